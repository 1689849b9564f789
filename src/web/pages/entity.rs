//! `/entities/{type}/{id}`: what agents did on it or for it, acts first, and all that limits the answer.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::store::EntityFilter;
use crate::store::queries::EntityTally;
use crate::store::rows::RunCursor;
use crate::web::entity::coverage::Coverage;
use crate::web::entity::gather::{Gathered, Question, around};
use crate::web::entity::names::Names;
use crate::web::entity::told::Told;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::holding;
use crate::web::link::{Links, encoded};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, shortened};
use crate::web::viewer::{Permission, Viewer};

/// Runs on one page.
const RUNS: u16 = 25;
/// Steps of one run on the page; its own page has the rest.
const STEPS_OF_RUN: usize = 200;

/// The page.
#[derive(Template)]
#[template(path = "pages/entity.html")]
pub(in crate::web) struct EntityPage {
    shell: Shell,
    kind: String,
    id: Text,
    title: String,
    also: Option<Text>,
    held: Vec<String>,
    may_erase: bool,
    hold_query: String,
    here: String,
    list: String,
    from: String,
    to: String,
    text: String,
    tallies: Vec<(&'static str, &'static str, String)>,
    days: Vec<Day>,
    floor: String,
    limits: Vec<(&'static str, Text, bool)>,
    exports: Vec<(&'static str, String)>,
    evidence: String,
    older: Option<String>,
    newest: Option<String>,
    printed: String,
    rows: String,
}

/// One day, newest first.
struct Day {
    name: String,
    anchor: String,
    acts: Vec<Line>,
    reads: Vec<Line>,
    holes: Vec<Text>,
    more: Vec<(String, String)>,
}

/// One step.
struct Line {
    at: String,
    datetime: String,
    state: &'static str,
    word: &'static str,
    said: Text,
    href: String,
    story: Vec<Text>,
    meta: Text,
    flags: Vec<Text>,
}

/// Answers `/entities/{type}/{id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((kind, id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
    let asked = days(&params);
    let filter = names.filter(&asked)?;
    let now_ns = format::now_ns();
    let question = Question { scope: &viewer.scope, names: &names, filter: &filter, now_ns };
    let wrong =
        || WebError::Invalid("`after` is not a place that this page gave; begin at its newest".to_owned());
    let after = params.get("after").map(|text| RunCursor::parse(text).ok_or_else(wrong)).transpose()?;
    let page = question.page(&state.store, &state.entities, (after.as_ref(), RUNS));
    let held = holding::on(&state, &viewer, &names);
    let (page, tally, around, held) =
        tokio::try_join!(page, question.tally(&state.store), around(&state, question), held)?;
    let coverage = Coverage::of(&tally, &filter, &around);
    let shell = Shell::of(&state, &viewer, "Accounts");
    let asked = Asked { names: &names, params: &params, filter: &filter, is_first: after.is_none(), now_ns };
    let may_erase = viewer.may(Permission::HoldAndErase);
    let page =
        Page(EntityPage { held, may_erase, ..EntityPage::of(shell, &asked, (&page, &tally), &coverage) });
    Ok(Seen::about(&[entity]).on(page.into_response()))
}

/// Answers `/accounts/{id}`.
pub(in crate::web) async fn of_account(State(state): State<WebState>, Path(id): Path<String>) -> Redirect {
    Redirect::to(&format!("{}/{}", state.links().to("/entities/account"), encoded(&id)))
}

/// The parameters with plain days (`2026-11-12`) spelt as moments; `to` means its whole day.
fn days(params: &Params) -> Params {
    let spelt = params.pairs().map(|(name, value)| {
        let day = value.parse::<jiff::civil::Date>().ok();
        match (name, day) {
            ("from", Some(day)) => format!("from={}", encoded(&format!("{day}T00:00:00Z"))),
            ("to", Some(day)) => {
                let next = day.tomorrow().unwrap_or(day);
                format!("to={}", encoded(&format!("{next}T00:00:00Z")))
            }
            _ => format!("{}={}", encoded(name), encoded(value)),
        }
    });
    Params::read(&spelt.collect::<Vec<_>>().join("&"))
}

struct Asked<'a> {
    names: &'a Names,
    params: &'a Params,
    filter: &'a EntityFilter,
    is_first: bool,
    now_ns: u64,
}

impl EntityPage {
    fn of(
        shell: Shell,
        asked: &Asked<'_>,
        (page, tally): (&Gathered, &EntityTally),
        coverage: &Coverage,
    ) -> Self {
        let names = asked.names;
        let address = |extra: Option<(&str, &str)>| {
            let kept = asked.params.pairs().filter(|(name, _)| ["from", "to", "text"].contains(name));
            let pairs: Vec<String> = kept
                .chain(extra)
                .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
                .collect();
            let query = if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) };
            format!("{}{query}", shell.links.entity(&names.asked))
        };
        let api = |path: &str, format: &str| {
            let kept = days(asked.params);
            let kept = kept.pairs().filter(|(name, _)| ["from", "to", "text"].contains(name));
            let pairs: Vec<String> = kept
                .chain([("format", format)].into_iter().filter(|(_, format)| !format.is_empty()))
                .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
                .collect();
            let (kind, id) = (encoded(&names.asked.kind), encoded(&names.asked.id));
            format!("{}/{kind}/{id}{path}{}", shell.links.to("/api/v1/entities"), pairs.join("&"))
        };
        let also: Vec<&str> = names.aliases.iter().chain(&names.pseudonyms).map(String::as_str).collect();
        let value = |name: &str| asked.params.get(name).unwrap_or_default().to_owned();
        let limits = coverage.rows(asked.filter, tally);
        Self {
            kind: plain(&names.asked.kind),
            id: Text::new(shortened(&names.asked.id, 120)),
            title: plain(&shortened(&names.asked.id, 60)),
            held: Vec::new(),
            may_erase: false,
            hold_query: encoded(&names.asked.to_string()),
            also: (!also.is_empty()).then(|| Text::new(shortened(&also.join(", "), 400))),
            here: shell.links.entity(&names.asked),
            list: shell.links.to("/accounts"),
            from: plain(&value("from")),
            to: plain(&value("to")),
            text: plain(&value("text")),
            tallies: tallies(tally),
            days: by_day(page, &shell.links, asked.now_ns),
            floor: floor(page.next.is_none(), tally, asked),
            limits: limits.into_iter().map(|(name, said, warn)| (name, Text::new(said), warn)).collect(),
            exports: [("CSV", "csv"), ("JSON lines", "jsonl"), ("Parquet", "parquet")]
                .map(|(name, format)| (name, api("?", format)))
                .to_vec(),
            evidence: api("/evidence?", ""),
            older: page.next.as_ref().map(|next| address(Some(("after", &next.to_string())))),
            newest: (!asked.is_first).then(|| address(None)),
            printed: format!("{} UTC", format::moment(asked.now_ns)),
            rows: format::counted(tally.tally.steps(), "step", "steps"),
            shell,
        }
    }
}

fn tallies(tally: &EntityTally) -> Vec<(&'static str, &'static str, String)> {
    let tally = &tally.tally;
    let mut shown = vec![
        ("", "acts", tally.acts()),
        ("confirmed", "confirmed", tally.confirmed),
        ("failed", "failed", tally.failed),
        ("unknown", "unknown", tally.unknown),
    ];
    if tally.submitted > 0 {
        shown.push(("submitted", "submitted", tally.submitted));
    }
    if tally.held > 0 {
        shown.push(("none", "held", tally.held));
    }
    shown.push(("", "reads", tally.reads + tally.lookups));
    shown.into_iter().map(|(state, name, number)| (state, name, format::count(number))).collect()
}

fn floor(is_last: bool, tally: &EntityTally, asked: &Asked<'_>) -> String {
    match (is_last, tally.runs, asked.filter.from_ns) {
        (_, 0, _) => {
            "Nothing is kept of it in this period, which does not say that nothing was done.".to_owned()
        }
        (true, _, None) => "Nothing earlier is kept.".to_owned(),
        (true, _, Some(_)) => "This is where the period begins.".to_owned(),
        (false, _, _) => "More follows on the next page.".to_owned(),
    }
}

fn by_day(page: &Gathered, links: &Links, now_ns: u64) -> Vec<Day> {
    let mut days: Vec<(String, Day)> = Vec::new();
    let mut shown: Vec<&Told> = Vec::new();
    for run in &page.runs {
        let of_run = page.told.iter().filter(|told| told.run_id == run.run_id);
        shown.extend(of_run.take(STEPS_OF_RUN));
    }
    shown.sort_by_key(|told| std::cmp::Reverse((day_of(told.at_ns), 0)));
    for told in shown {
        let day = place(&mut days, told.at_ns, now_ns);
        let line = Line::of(told, links);
        match told.kind {
            Kind::Act | Kind::Wait => day.acts.push(line),
            Kind::Read | Kind::Reconcile | Kind::Think | Kind::Agent | Kind::Transport | Kind::Other => {
                day.reads.push(line);
            }
        }
    }
    for run in &page.runs {
        let of_run = || page.told.iter().filter(|told| told.run_id == run.run_id);
        let Some(first) = of_run().next() else { continue };
        let day = place(&mut days, first.at_ns, now_ns);
        if !run.completeness.gaps.is_empty() {
            let (id, gaps) = (shortened(&run.run_id, 60), run.completeness.gaps.join(", "));
            day.holes.push(Text::new(format!("Of {id}, {gaps}. Something may be missing here.")));
        }
        let left = of_run().count().saturating_sub(STEPS_OF_RUN);
        if left > 0 {
            let line = format!("{} more of this run", format::counted(format::length(left), "step", "steps"));
            day.more.push((line, links.run(&run.run_id)));
        }
    }
    days.into_iter().map(|(_, day)| day).collect()
}

fn day_of(at_ns: u64) -> u64 {
    at_ns / 86_400_000_000_000
}

fn place(days: &mut Vec<(String, Day)>, at_ns: u64, now_ns: u64) -> &mut Day {
    let anchor = format::rfc3339(at_ns).get(..10).unwrap_or_default().to_owned();
    let at = match days.iter().position(|(day, _)| *day == anchor) {
        Some(at) => at,
        None => {
            let name = format::long_day(at_ns, now_ns);
            let (acts, reads, holes, more) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let day = Day { name, anchor: format!("day-{anchor}"), acts, reads, holes, more };
            let at = days.iter().position(|(earlier, _)| *earlier < anchor).unwrap_or(days.len());
            days.insert(at, (anchor, day));
            at
        }
    };
    #[expect(clippy::indexing_slicing, reason = "the place was found or made just above")]
    &mut days[at].1
}

impl Line {
    fn of(told: &Told, links: &Links) -> Self {
        let state = match (told.kind, told.outcome) {
            (_, Some(outcome)) => outcome.word(),
            (_, None) => "none",
        };
        let word = match (told.kind, told.outcome) {
            (_, Some(Outcome::Submitted)) => "submitted",
            (_, Some(outcome)) => outcome.word(),
            (Kind::Act, None) => "held",
            (_, None) => "",
        };
        let flags = told.findings.iter().map(|(_, message)| Text::new(message.clone()));
        Self {
            at: format::minute(told.at_ns),
            datetime: format::rfc3339(told.at_ns),
            state,
            word,
            said: Text::new(told.sentence.clone()),
            href: format!("{}?span={}", links.run(&told.run_id), told.span_id),
            story: told.story.iter().map(|said| Text::new(said.clone())).collect(),
            meta: Text::new(shortened(&told.authority(), 400)),
            flags: if told.kind == Kind::Act { flags.collect() } else { Vec::new() },
        }
    }
}
