//! `/unknowns`: what can't we tell, who finds out, and by when.
use std::collections::BTreeSet;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::case::Case;
use crate::domain::outcome::Outcome;
use crate::store::queries::{CaseCounts, CaseOrder, case_counts, cases};
use crate::web::badge::Badge;
use crate::web::case::asked::Asked;
use crate::web::case::line::{Line, Standing};
use crate::web::entity::names::hidden_too;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::saved::{self, Listed};
use crate::web::state::WebState;
use crate::web::text::{plain, shortened};
use crate::web::viewer::Viewer;

/// Lines on one page.
const LINES: u16 = 50;
/// How far back settled ones are counted.
const WEEK_NS: u64 = 7 * 24 * 3_600_000_000_000;

/// The page.
#[derive(Template)]
#[template(path = "pages/unknowns.html")]
pub(in crate::web) struct UnknownsPage {
    shell: Shell,
    asked: Asked,
    choices: Vec<Choice>,
    tallies: Vec<(String, String)>,
    /// What was just done.
    said: Option<&'static str>,
    tool: String,
    owner: String,
    account: String,
    tools: Vec<String>,
    owners: Vec<String>,
    clear: String,
    settled: String,
    /// Nothing is unknown, and nothing was asked.
    is_blank: bool,
    lines: Vec<Line>,
    was: Badge,
    footer: String,
    /// Where a claim leads back to.
    back: String,
    bulk: Option<String>,
    bulk_name: String,
    first: Option<String>,
    next: Option<String>,
    views: saved::Menu,
}

/// One of the ways to look at the queue.
pub(in crate::web) struct Choice {
    name: &'static str,
    count: String,
    href: String,
    on: bool,
}

/// What the store gave.
pub(in crate::web) struct Found {
    /// The queue in numbers.
    pub(in crate::web) counts: CaseCounts,
    /// The cases of this page.
    pub(in crate::web) cases: Vec<Case>,
    /// The next page.
    pub(in crate::web) next: Option<String>,
}

/// Answers `/unknowns`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let asked = Asked::read(&params, &["done"])?;
    let now_ns = format::now_ns();
    let place = (asked.after.as_ref(), asked.limit.unwrap_or(LINES));
    let filter = hidden_too(&state, &viewer.scope, asked.filter(now_ns)).await?;
    let page = cases(&state.store, &viewer.scope, (&filter, asked.order()), place, now_ns);
    let since_ns = now_ns.saturating_sub(WEEK_NS);
    let me = viewer.name();
    let counts = case_counts(&state.store, &viewer.scope, &me, since_ns, now_ns);
    let (page, counts) = futures_util::future::try_join(page, counts).await?;
    let found = Found { counts, next: page.next.map(|next| asked.cursor(&next)), cases: page.cases };
    let said = match params.get("done") {
        Some("claim") => Some("It is yours now. Open it to say what happened."),
        Some("bulk") => Some("Recorded for all of them. Each case has its own record of it."),
        _ => None,
    };
    let shell = Shell::of(&state, &viewer, "Unknowns");
    let views = saved::menu(&state, &viewer, (Listed::Unknowns, &asked.query())).await?;
    Ok(Page(UnknownsPage::of(&state, asked, (found, views), (shell, said, now_ns))).into_response())
}

impl UnknownsPage {
    /// The page of what was found.
    pub(in crate::web) fn of(
        state: &WebState,
        asked: Asked,
        (found, views): (Found, saved::Menu),
        (shell, said, now_ns): (Shell, Option<&'static str>, u64),
    ) -> Self {
        let links = shell.links.clone();
        let to = |asked: &Asked| asked.href(&links);
        let state_only = Asked { settled: asked.settled, ..Asked::default() };
        let lines: Vec<Line> = found
            .cases
            .iter()
            .map(|case| Line::of(case, &state.settings.tools.policy(&case.tool), &links, now_ns))
            .collect();
        let open = lines.iter().filter(|line| matches!(line.standing, Standing::Open { pending: false, .. }));
        let is_first = asked.after.is_none();
        Self {
            choices: choices(&asked, &found.counts, (&shell.who, to)),
            tallies: if found.counts.open == 0 { Vec::new() } else { tallies(&found.counts, now_ns) },
            said,
            tool: plain(asked.tool.as_deref().unwrap_or_default()),
            owner: plain(asked.owner.as_deref().unwrap_or_default()),
            account: plain(asked.account.as_deref().unwrap_or_default()),
            tools: seen(found.cases.iter().map(|case| case.tool.as_str())),
            owners: seen(found.cases.iter().filter_map(|case| case.owner.as_deref())),
            clear: to(&state_only),
            settled: to(&Asked { settled: true, ..Asked::default() }),
            is_blank: lines.is_empty() && asked == Asked::default() && found.counts.open == 0,
            was: Badge::outcome(Outcome::Unknown),
            footer: footer(&asked).to_owned(),
            back: asked.query(),
            bulk: (open.count() > 1 && !asked.settled)
                .then(|| links.to(&format!("/unknowns/resolve{}", asked.query()))),
            bulk_name: if asked.is_narrowed() || asked.unowned {
                "Settle all that match".to_owned()
            } else {
                "Settle several at once".to_owned()
            },
            first: (!is_first).then(|| to(&asked)),
            next: found.next.as_deref().map(|cursor| {
                let query = asked.query();
                let sign = if query.is_empty() { "?" } else { "&" };
                links.to(&format!("/unknowns{query}{sign}cursor={}", crate::web::link::encoded(cursor)))
            }),
            lines,
            asked,
            views,
            shell,
        }
    }
}

fn choices(asked: &Asked, counts: &CaseCounts, (me, to): (&str, impl Fn(&Asked) -> String)) -> Vec<Choice> {
    let open =
        Asked { settled: false, owner: None, unowned: false, sort: None, after: None, ..asked.clone() };
    let is_mine = asked.owner.as_deref() == Some(me);
    let choice = |name, count: Option<u64>, asked: Asked, on| Choice {
        name,
        count: count.map(format::count).unwrap_or_default(),
        href: to(&asked),
        on,
    };
    let mine = Asked { owner: Some(me.to_owned()), ..open.clone() };
    let unowned = Asked { unowned: true, ..open.clone() };
    let settled = Asked { settled: true, ..open.clone() };
    let is_all = !asked.settled && !asked.unowned && asked.owner.is_none();
    vec![
        choice("All", Some(counts.open), open, is_all),
        choice("Mine", Some(counts.mine), mine, !asked.settled && is_mine),
        choice("No owner", Some(counts.unowned), unowned, !asked.settled && asked.unowned),
        choice("Settled", None, settled, asked.settled),
    ]
}

fn tallies(counts: &CaseCounts, now_ns: u64) -> Vec<(String, String)> {
    let since = |at: u64| format::duration(now_ns.saturating_sub(at));
    let oldest = counts.oldest_ns.map(|at| format!("open, oldest {}", since(at)));
    let mut tallies = vec![(format::count(counts.open), oldest.unwrap_or_else(|| "open".to_owned()))];
    let stakes: Vec<String> = counts
        .stakes
        .iter()
        .take(3)
        .map(|money| format!("{} {}", format::amount(money.amount), money.currency).trim().to_owned())
        .collect();
    let stakes = if stakes.is_empty() { "not told".to_owned() } else { stakes.join(", ") };
    tallies.push((stakes, "may or may not have moved".to_owned()));
    tallies.push(match counts.next_expiry_ns {
        Some(at) => (format::duration(at.saturating_sub(now_ns)), "until the next key ends".to_owned()),
        None => ("–".to_owned(), "no key's end is known".to_owned()),
    });
    tallies.push((format::count(counts.unowned), "without an owner".to_owned()));
    let settled = match counts.settled {
        0 => "settled in 7 days".to_owned(),
        _ => format!("settled in 7 days, median {}", format::duration(counts.settled_median_ns)),
    };
    tallies.push((format::count(counts.settled), settled));
    tallies
}

fn footer(asked: &Asked) -> &'static str {
    match asked.order() {
        CaseOrder::Urgency => "Ordered by what becomes unsafe first, then by amount, then by age.",
        CaseOrder::Age => "The longest unknown first.",
        CaseOrder::Value => "The largest amount first.",
        CaseOrder::Changed => "The latest change first.",
    }
}

/// The values seen, each once, for offering them.
fn seen<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let values: BTreeSet<String> = values.map(|value| plain(&shortened(value, 60))).collect();
    values.into_iter().take(30).collect()
}
