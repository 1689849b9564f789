//! `/keys/{key}`: was this done once, and is sending it again still safe.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use crate::domain::action::{Action, ActionUse};
use crate::domain::counting::counted;
use crate::domain::outcome::{Gate, Outcome};
use crate::domain::policy::replay_safe;
use crate::domain::run::Run;
use crate::store::queries::{CaseFilter, CaseOrder, cases, compensations, key_actions, own_actions};
use crate::web::badge::{self, Badge, GateChip};
use crate::web::case::matter::{RUNS_MAX, runs};
use crate::web::case::uses::{self, Use, askings};
use crate::web::case::window::Window;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::key::drift::{Called, Cell, Drift};
use crate::web::key::machine::{Machine, why};
use crate::web::key::parts::parts;
use crate::web::key::spelt::{asked, spelt};
use crate::web::link::{Links, encoded};
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::query::Field;
use crate::web::reading;
use crate::web::run::bodies::{Bodies, Wants};
use crate::web::run::head::{Fact, runs_by};
use crate::web::state::WebState;
use crate::web::text::{Text, plain, sentence, shortened};
use crate::web::viewer::Viewer;

/// Uses listed.
const USES_MAX: usize = 200;
/// Acts listed that undo it.
const UNDONE_MAX: usize = 5;

/// The page.
#[derive(Template)]
#[template(path = "pages/key.html")]
pub(in crate::web) struct KeyPage {
    shell: Shell,
    /// The whole key, for the title.
    key: String,
    parts: Vec<(Text, &'static str)>,
    /// What it is about, for the breadcrumb.
    what: Text,
    badge: Badge,
    line: String,
    facts: Vec<Fact>,
    /// The tools that used it, when they are several: name, address, whether it is shown.
    tools: Vec<(Text, String, bool)>,
    window: Window,
    machine: Machine,
    drift: Option<Drift>,
    tool: Text,
    again: String,
    uses: Vec<Row>,
    left_out: String,
    case: Option<(Badge, String)>,
    json: String,
}

/// What a page shows beside its key.
#[derive(Debug)]
pub(in crate::web) struct Beside {
    /// Its case: how it stands, and its address.
    case: Option<(Badge, String)>,
    /// The tools that used it, when they are several.
    tools: Vec<(Text, String, bool)>,
    /// Until when the provider keeps it.
    ends_ns: Option<u64>,
    /// The keys of acts that undo it.
    undone_by: Vec<String>,
}

/// One use of the key, or one thing that moved its state.
#[derive(Debug)]
pub(in crate::web) struct Row {
    at_ns: u64,
    rank: u8,
    at: String,
    datetime: String,
    name: String,
    href: Option<String>,
    gate: Option<GateChip>,
    did: Text,
    badge: Option<Badge>,
    who: Text,
}

/// Answers `/keys/{key}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path(key): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["tool"])?;
    let now_ns = format::now_ns();
    let names = spelt(&state, &viewer.scope, &key);
    let mut actions = key_actions(&state.store, &viewer.scope, &asked(&names), now_ns).await?;
    if let Some(kept) = actions.first().filter(|_| actions.iter().all(|action| action.key != key)) {
        // Redaction kept it as a pseudonym, whose page this is.
        let query = params.get("tool").map(|tool| format!("?tool={}", encoded(tool))).unwrap_or_default();
        return Ok(Redirect::to(&format!("{}{query}", state.links().key(&kept.key))).into_response());
    }
    actions.retain(|action| action.key == key);
    let wanted = params.get("tool");
    let chosen = actions.iter().find(|action| wanted.is_none_or(|tool| action.tool == tool));
    let Some(action) = chosen else {
        // An act without a key has a name in lists; its page is its step.
        let own = own_actions(&state.store, &viewer.scope, &asked(&names), now_ns).await?;
        let step = own.first().and_then(|act| Some((act.run_ids.first()?, act.uses.first()?)));
        if let Some((run_id, used)) = step {
            let to = state.links().attempt(run_id, &used.span_id);
            return Ok(Redirect::to(&to).into_response());
        }
        let key = plain(&shortened(&key, 80));
        return Err(WebError::NotFound(format!(
            "No act under the key {key} has arrived, or it has expired."
        )));
    };
    let filter = CaseFilter {
        states: crate::domain::case::CaseState::ALL.to_vec(),
        keys: vec![key.clone()],
        tool: Some(action.tool.clone()),
        ..CaseFilter::default()
    };
    let order = CaseOrder::Changed;
    let case = async {
        let page = cases(&state.store, &viewer.scope, (&filter, order), (None, 1), now_ns).await?;
        Ok(page.cases.into_iter().next())
    };
    let folded = runs(&state, &viewer, &action.run_ids, now_ns);
    let undone_by = async { Ok(compensations(&state.store, &viewer.scope, &[&key]).await?) };
    let (case, runs, undone_by) = futures_util::future::try_join3(case, folded, undone_by).await?;
    let bodies = arguments(&state, &viewer, &uses::of_key(&runs, &action.tool, &key)).await?;
    let shell = Shell::of(&state, &viewer, "Keys");
    let case = case.map(|case| (Badge::outcome(case.outcome), shell.links.case(&case.case_id)));
    let tools = tools(&actions, action, &shell.links);
    let ends_ns =
        state.settings.tools.policy(&action.tool).key_ends_ns(action.key_expires_ns, action.started_ns);
    let beside = Beside { case, tools, ends_ns, undone_by };
    Ok(Page(KeyPage::of(action, (&runs, &bodies), beside, (shell, now_ns))).into_response())
}

fn tools(actions: &[Action], here: &Action, links: &Links) -> Vec<(Text, String, bool)> {
    if actions.len() < 2 {
        return Vec::new();
    }
    let link = |action: &Action| {
        let href = format!("{}?tool={}", links.key(&action.key), encoded(&action.tool));
        (Text::new(shortened(&action.tool, 60)), href, action.tool == here.tool)
    };
    actions.iter().map(link).collect()
}

/// What the attempts were called with.
async fn arguments(state: &WebState, viewer: &Viewer, uses: &[Use<'_>]) -> Result<Bodies, WebError> {
    let mut wants = Wants::default();
    for used in uses.iter().take(USES_MAX) {
        let attempt = used.attempt;
        let arguments = attempt.record.arguments.as_ref().or(attempt.arguments.as_ref());
        wants.whole.extend(arguments.map(|content| (attempt.record.facts.trace_id, content.digest)));
    }
    reading::load(&state.store, &viewer.scope, &wants).await
}

impl KeyPage {
    /// The page.
    pub(in crate::web) fn of(
        action: &Action,
        (runs, bodies): (&[Run], &Bodies),
        Beside { case, tools, ends_ns, undone_by }: Beside,
        (shell, now_ns): (Shell, u64),
    ) -> Self {
        let links = shell.links.clone();
        let uses = uses::of_key(runs, &action.tool, &action.key);
        let run_ids: Vec<&str> = action.run_ids.iter().map(String::as_str).collect();
        let target = action.target.as_deref().map(|target| format!(" on {}", shortened(target, 60)));
        let rows = rows(action, &uses, &links, now_ns);
        let left_out = rows.len().saturating_sub(USES_MAX);
        let unread = action.run_ids.len().saturating_sub(RUNS_MAX);
        Self {
            key: plain(&shortened(&action.key, 400)),
            parts: parts(&action.key, &run_ids),
            what: Text::new(format!("{}{}", shortened(&action.tool, 60), target.unwrap_or_default())),
            badge: Badge::outcome(action.outcome),
            line: line(action),
            facts: [facts(action, &uses, &links, now_ns), undone(&undone_by, &links)].concat(),
            tools,
            window: Window::of(true, action.started_ns, ends_ns, now_ns),
            machine: Machine::of(&action.path, action.held_count),
            drift: Drift::of(&called(action, &uses, bodies)),
            tool: Text::new(shortened(&action.tool, 60)),
            again: again(action, ends_ns, now_ns),
            uses: rows.into_iter().take(USES_MAX).collect(),
            left_out: match (left_out, unread) {
                (0, 0) => String::new(),
                (0, runs) => {
                    format!("Look-ups of {} are not listed.", counted(runs, "more run", "more runs"))
                }
                (1, _) => "1 more is not listed; the JSON has every attempt.".to_owned(),
                (rows, _) => format!("{rows} more are not listed; the JSON has every attempt."),
            },
            case,
            json: links.to(&format!("/api/v1/keys/{}", encoded(&action.key))),
            shell,
        }
    }
}

/// What it amounts to: "One intent, asked twice, done once."
fn line(action: &Action) -> String {
    let asked = action.attempt_count.saturating_add(action.held_count);
    let asked = match asked {
        0 | 1 => "asked once".to_owned(),
        2 => "asked twice".to_owned(),
        n => format!("asked {} times", format::count(n)),
    };
    let done = match action.outcome {
        Outcome::Confirmed => "done once",
        Outcome::Failed => "not done",
        Outcome::Unknown => "and nobody knows whether it was done",
        Outcome::Submitted => "not seen done yet",
    };
    format!("One intent, {asked}, {done}.")
}

fn facts(action: &Action, uses: &[Use<'_>], links: &Links, now_ns: u64) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(account) = action.entities.iter().find(|entity| entity.kind == "account") {
        let mut fact = Fact::new("Account", shortened(&account.id, 60));
        fact.href = Some(links.entity(account));
        facts.push(fact);
    }
    let mut of_runs = Fact::new("Runs", format::number(action.run_ids.len()));
    of_runs.href = Some(runs_by(links, Field::Key, &action.key));
    facts.push(of_runs);
    facts.push(Fact::new("Sent", times(action.attempt_count)));
    if action.held_count > 0 {
        facts.push(Fact::new("Held by the gate", times(action.held_count)));
    }
    facts.push(Fact::new("Look-ups", format::number(askings(uses).len())));
    facts.extend(action.value.as_deref().map(|value| Fact::new("At stake", format::stake(value, 60))));
    facts.extend(action.downstream_id.as_deref().map(|id| Fact::new("Result", shortened(id, 60))));
    let unknown = action.path.iter().find(|moved| moved.state == Outcome::Unknown);
    if let Some(from) = unknown {
        let until = action.path.iter().find(|moved| {
            moved.at_ns >= from.at_ns && matches!(moved.state, Outcome::Confirmed | Outcome::Failed)
        });
        let until = until.map_or(now_ns, |moved| moved.at_ns);
        facts.push(Fact::new("Unknown for", format::duration(until.saturating_sub(from.at_ns))));
    }
    if let Some(undone) = &action.compensates {
        let mut fact = Fact::new("Undoes", shortened(undone, 60));
        fact.href = Some(links.key(undone));
        facts.push(fact);
    }
    facts
}

/// What undoes it, each with its own page.
fn undone(by: &[String], links: &Links) -> Vec<Fact> {
    let mut facts: Vec<Fact> = by
        .iter()
        .take(UNDONE_MAX)
        .map(|key| {
            let mut fact = Fact::new("Undone by", shortened(key, 60));
            fact.href = Some(links.key(key));
            fact
        })
        .collect();
    if let (Some(last), left) = (facts.last_mut(), by.len().saturating_sub(UNDONE_MAX))
        && left > 0
    {
        last.more = format!("and {left} more; the JSON has them all");
    }
    facts
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", format::count(n)),
    }
}

/// What would become of it if it were asked again now.
fn again(action: &Action, ends_ns: Option<u64>, now_ns: u64) -> String {
    let safe = replay_safe(true, ends_ns, action.outcome, now_ns);
    let gate = match action.outcome {
        Outcome::Confirmed => "A gate that asks here hears that it is done, and sends nothing.",
        Outcome::Failed => "A gate that asks here hears that it was not done: it may be sent again.",
        Outcome::Unknown => "A gate that asks here hears that nobody knows, and holds the call.",
        Outcome::Submitted => "A gate that asks here hears that it is under way, and holds the call.",
    };
    let provider = match (safe, action.outcome) {
        (_, Outcome::Failed) => "",
        (Some(true), _) => " Sent past the gate, the provider would recognise the key and not act twice.",
        (Some(false), _) => {
            " Sent past the gate, it would count as new at the provider and may act a second time."
        }
        (None, _) => " Nobody said how long the provider keeps the key: treat sending again as unsafe.",
    };
    format!("{gate}{provider}")
}

fn called(action: &Action, uses: &[Use<'_>], bodies: &Bodies) -> Vec<Called> {
    let several = action.run_ids.len() > 1;
    let sent = uses.iter().filter(|used| !used.attempt.record.facts.gate.held());
    sent.take(USES_MAX)
        .enumerate()
        .map(|(at, used)| {
            let attempt = used.attempt;
            let place = attempt.record.arguments.as_ref().or(attempt.arguments.as_ref());
            let body = place.and_then(|content| bodies.get(&(attempt.record.facts.trace_id, content.digest)));
            Called {
                name: if several { format!("Use {}", at + 1) } else { format!("Attempt {}", attempt.number) },
                arguments: body.filter(|body| body.whole).map(|body| body.text.clone()),
            }
        })
        .collect()
}

/// Every use and every move of the state, in order of time.
fn rows(action: &Action, uses: &[Use<'_>], links: &Links, now_ns: u64) -> Vec<Row> {
    let mut rows: Vec<Row> = action.uses.iter().flat_map(|used| of_use(used, action, links)).collect();
    let in_uses = |moved: &crate::domain::path::Move| match &moved.origin {
        crate::domain::path::Origin::Span { span_id, .. } => {
            action.uses.iter().any(|u| u.span_id == *span_id)
        }
        crate::domain::path::Origin::Event(_) | crate::domain::path::Origin::Deadline => false,
    };
    rows.extend(action.path.iter().filter(|moved| !in_uses(moved)).map(|moved| {
        let span = match &moved.origin {
            crate::domain::path::Origin::Span { run_id, span_id, .. } => Some((run_id, span_id)),
            crate::domain::path::Origin::Event(_) | crate::domain::path::Origin::Deadline => None,
        };
        Row {
            at_ns: moved.at_ns,
            rank: 2,
            name: sentence(why(moved)),
            href: span.map(|(run_id, span_id)| links.attempt(run_id, span_id)),
            gate: None,
            did: Text::new(sentence(badge::evidence(moved.state, moved.evidence))),
            badge: Some(Badge::outcome(moved.state)),
            who: Text::new(shortened(&moved.by, 40)),
            at: String::new(),
            datetime: String::new(),
        }
    }));
    // Look-ups that moved nothing: they got no answer, or it did not say.
    for asked in askings(uses) {
        let href = links.attempt(&asked.run.run_id, &asked.look.span_id);
        if rows.iter().all(|row| row.href.as_deref() != Some(href.as_str())) {
            rows.push(Row {
                at_ns: asked.look.at_ns,
                rank: 2,
                name: "Look-up".to_owned(),
                href: Some(href),
                gate: None,
                did: Text::new(if asked.look.answered {
                    "The answer does not say"
                } else {
                    "Not answered, which proves nothing"
                }),
                badge: None,
                who: Text::default(),
                at: String::new(),
                datetime: String::new(),
            });
        }
    }
    rows.sort_by_key(|row| (row.at_ns, row.rank));
    for row in &mut rows {
        let day = format::day(row.at_ns, now_ns);
        row.at = format!("{day} {}", format::clock_ms(row.at_ns)).trim().to_owned();
        row.datetime = format::rfc3339(row.at_ns);
    }
    rows
}

/// An attempt: its sending, and its end.
fn of_use(used: &ActionUse, action: &Action, links: &Links) -> Vec<Row> {
    let who = match (&used.worker, used.epoch) {
        (Some(worker), Some(epoch)) => format!("{}, epoch {epoch}", shortened(worker, 40)),
        (Some(worker), None) => shortened(worker, 40),
        (None, Some(epoch)) => format!("epoch {epoch}"),
        (None, None) => String::new(),
    };
    let row = |at_ns, rank, gate, did: String, outcome: Option<Outcome>| Row {
        at_ns,
        rank,
        name: format!("Attempt {}", used.number),
        href: Some(links.attempt(&used.run_id, &used.span_id)),
        gate,
        did: Text::new(did),
        badge: outcome.map(Badge::outcome),
        who: Text::new(who.clone()),
        at: String::new(),
        datetime: String::new(),
    };
    let chip = Some(GateChip::of(used.gate));
    if used.gate.held() {
        let did = match used.gate {
            Gate::Duplicate => "Held: done before. Nothing was sent",
            Gate::Unknown => "Held: an earlier outcome was unknown. Nothing was sent",
            Gate::New | Gate::None => "Held. Nothing was sent",
        };
        let known = action.path.iter().rfind(|moved| moved.at_ns <= used.started_ns);
        return vec![row(used.started_ns, 0, chip, did.to_owned(), known.map(|moved| moved.state))];
    }
    let mut rows = vec![row(used.started_ns, 0, chip, "Sent".to_owned(), Some(Outcome::Submitted))];
    // A record of the intent alone ends as it begins: that nothing was heard since is said by its deadline.
    let heard = |ended: &u64| *ended > used.started_ns || used.outcome != Some(Outcome::Unknown);
    if let (Some(ended), Some(outcome)) = (used.ended_ns.filter(heard), used.outcome) {
        rows.push(row(ended, 1, None, sentence(&shortened(&used.reason, 160)), Some(outcome)));
    }
    rows
}
