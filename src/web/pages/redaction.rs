//! `/redaction`: the rules in force and what each did lately, and a place to try rules. What is typed here is
//! not stored, logged or sent on.
use std::collections::BTreeMap;

use askama::Template;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::redaction::{Mode, Redactor, RuleLine, Settings, Tried, listing};
use crate::store::queries::redactions_lately;
use crate::web::dry_run::{Diff, SPANS_MAX, diff};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::run::head::Fact;
use crate::web::state::WebState;
use crate::web::text::{Text, shortened};
use crate::web::viewer::{Permission, Viewer};

/// How far "lately" goes back.
const LATELY_NS: u64 = 7 * 86_400 * 1_000_000_000;
/// Most bytes of a form.
const FORM_BYTES_MAX: usize = 1 << 20;
/// Changed records that are named.
const CHANGED_MAX: usize = 20;

/// The page.
#[derive(Template)]
#[template(path = "pages/redaction.html")]
pub(in crate::web) struct RedactionPage {
    shell: Shell,
    facts: Vec<Fact>,
    refused: Option<String>,
    own: Vec<Line>,
    builtin: Vec<Line>,
    quiet: Vec<Line>,
    off: Vec<Line>,
    others: Vec<Line>,
    unread: bool,
    sample: Text,
    rules: Text,
    wrong: Option<Text>,
    tried: Option<Shown>,
    diff: Option<Differs>,
    records_max: u16,
    may_reveal: bool,
}

/// One rule on the page.
struct Line {
    id: String,
    finds: Text,
    place: Text,
    does: Text,
    version: String,
    origin: Text,
    fired: String,
}

/// Where a rule is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listed {
    Own,
    Fired,
    Quiet,
    Off,
}

impl Listed {
    fn of(line: &RuleLine, count: u64) -> Self {
        match (line.origin.starts_with("pack "), line.on, count) {
            (false, _, _) => Self::Own,
            (true, false, _) => Self::Off,
            (true, true, 0) => Self::Quiet,
            (true, true, _) => Self::Fired,
        }
    }
}

/// The outcome of a try.
struct Shown {
    after: Text,
    heading: String,
    done: Vec<(String, String)>,
    with_typed: bool,
}

/// What typed rules would do to kept records.
struct Differs {
    heading: String,
    by_rule: Vec<(String, String)>,
    changed: Vec<(String, Text, Text)>,
    more: usize,
}

/// What was typed.
#[derive(Debug, Default)]
struct Form {
    sample: String,
    rules: String,
    over_kept: bool,
}

/// Answers `GET /redaction`.
pub(in crate::web) async fn show(State(state): State<WebState>, viewer: Viewer) -> Response {
    page(&state, &viewer, Form::default()).await
}

/// Answers `POST /redaction`: tries what was typed.
pub(in crate::web) async fn try_out(
    State(state): State<WebState>,
    viewer: Viewer,
    body: Bytes,
) -> Result<Response, WebError> {
    if body.len() > FORM_BYTES_MAX {
        return Err(WebError::Invalid("Paste less: at most 1 MiB can be tried at once.".to_owned()));
    }
    let mut form = Form::default();
    for (name, value) in url::form_urlencoded::parse(&body) {
        match name.as_ref() {
            "sample" => form.sample = value.replace("\r\n", "\n"),
            "rules" => form.rules = value.replace("\r\n", "\n"),
            "kept" => form.over_kept = true,
            _ => {
                return Err(WebError::Invalid("This form has the fields sample, rules and kept.".to_owned()));
            }
        }
    }
    Ok(page(&state, &viewer, form).await)
}

async fn page(state: &WebState, viewer: &Viewer, form: Form) -> Response {
    let project = &viewer.scope.project;
    let book = state.desk.rules.book();
    let settings = book.settings().of(project);
    let now = book.of(project);
    let now_ns = format::now_ns();
    let lately = redactions_lately(&state.store, &viewer.scope, now_ns.saturating_sub(LATELY_NS)).await;
    if let Err(error) = &lately {
        tracing::warn!(%error, "the redaction page could not ask the store");
    }
    let unread = lately.is_err();
    let mut fired: BTreeMap<String, u64> = BTreeMap::new();
    for used in lately.unwrap_or_default() {
        *fired.entry(used.rule).or_default() += used.places;
    }
    let (typed, wrong) = match typed_rules(state, settings, &form.rules) {
        Ok(typed) => (typed, None),
        Err(error) => (None, Some(Text::new(error))),
    };
    let is_asked = wrong.is_none() && !form.sample.trim().is_empty();
    let tried = is_asked.then(|| shown(typed.as_ref().unwrap_or(now).try_on(&form.sample), typed.is_some()));
    let differs = match typed.as_ref().filter(|_| form.over_kept) {
        Some(other) => diff(&state.store, &viewer.scope, (now, other)).await.ok(),
        None => None,
    };
    let mut lines: Vec<(Listed, Line)> = listing(settings)
        .into_iter()
        .map(|line| {
            let count = fired.remove(&line.label).unwrap_or_default();
            (Listed::of(&line, count), of(line, count, unread))
        })
        .collect();
    let mut take = |wanted: Listed| -> Vec<Line> {
        let (taken, left) =
            std::mem::take(&mut lines).into_iter().partition::<Vec<_>, _>(|(state, _)| *state == wanted);
        lines = left;
        taken.into_iter().map(|(_, line)| line).collect()
    };
    Page(RedactionPage {
        shell: Shell::of(state, viewer, "Redaction"),
        facts: facts(state, settings, now, now_ns),
        refused: state
            .desk
            .rules
            .since()
            .1
            .map(|refused| format!("{} UTC: {}", format::minute(refused.at_ns), refused.why)),
        own: take(Listed::Own),
        builtin: take(Listed::Fired),
        quiet: take(Listed::Quiet),
        off: take(Listed::Off),
        others: fired.into_iter().map(|(rule, count)| gone(rule, count)).collect(),
        unread,
        sample: Text::new(form.sample),
        rules: Text::new(form.rules),
        wrong,
        tried,
        diff: differs.map(|found| differs_of(state, found)),
        records_max: SPANS_MAX,
        may_reveal: viewer.may(Permission::Reveal),
    })
    .into_response()
}

/// The rules that were typed, compiled; `None` when nothing was.
fn typed_rules(state: &WebState, now: &Settings, typed: &str) -> Result<Option<Redactor>, String> {
    if typed.trim().is_empty() {
        return Ok(None);
    }
    let settings = (state.desk.read)(typed, now)?;
    Redactor::new(&settings).map(Some).map_err(|error| error.to_string())
}

fn facts(state: &WebState, settings: &Settings, now: &Redactor, now_ns: u64) -> Vec<Fact> {
    let (since_ns, _) = state.desk.rules.since();
    let mode = match &settings.mode {
        Mode::Deny => "deny list: what no rule hits is kept".to_owned(),
        Mode::Allow(listed) => {
            format!("allow list: content is removed unless one of {} selectors names it", listed.len())
        }
    };
    vec![
        Fact::new("Rules", now.rules_version()),
        Fact::new("In force for", format::duration(now_ns.saturating_sub(since_ns))),
        Fact::new("Mode", mode),
    ]
}

fn of(line: RuleLine, count: u64, unread: bool) -> Line {
    let fired = if unread { "–".to_owned() } else { format::count(count) };
    Line {
        id: line.id,
        finds: Text::new(shortened(&line.finds, 200)),
        place: Text::new(shortened(&line.place, 120)),
        does: Text::new(shortened(&line.does, 60)),
        version: line.version,
        // Of a path, the file's name is enough.
        origin: Text::new(line.origin.rsplit('/').next().unwrap_or_default()),
        fired,
    }
}

/// A rule that is no longer there, but was lately.
fn gone(rule: String, count: u64) -> Line {
    let (id, version) = rule.split_once('@').unwrap_or((&rule, ""));
    Line {
        id: shortened(id, 40),
        finds: Text::from("of earlier rules, or what could not be looked at"),
        place: Text::default(),
        does: Text::default(),
        version: shortened(version, 12),
        origin: Text::default(),
        fired: format::count(count),
    }
}

fn shown(tried: Tried, with_typed: bool) -> Shown {
    let mut rules: BTreeMap<(String, String), u64> = BTreeMap::new();
    for done in tried.done {
        *rules.entry((done.rule, done.method)).or_default() += u64::from(done.count);
    }
    let places = rules.values().sum::<u64>();
    let heading = match places {
        0 => "Nothing is changed".to_owned(),
        _ => format!(
            "{} changed by {}",
            format::counted(places, "place", "places"),
            format::counted(rules.len() as u64, "rule", "rules")
        ),
    };
    let done = rules
        .into_iter()
        .map(|((rule, method), count)| {
            (rule, format!("{method}, {}", format::counted(count, "place", "places")))
        })
        .collect();
    Shown { after: Text::new(tried.after), heading, done, with_typed }
}

fn differs_of(state: &WebState, found: Diff) -> Differs {
    let heading = format!(
        "{} of the last {} would be left otherwise",
        format::count(found.changed.len() as u64),
        format::counted(found.tried as u64, "record", "records"),
    );
    let more = found.changed.len().saturating_sub(CHANGED_MAX);
    let changed = found.changed.into_iter().take(CHANGED_MAX).map(|(trace, name, rules)| {
        let href = state.links().to(&format!("/traces/{trace}"));
        (href, Text::new(shortened(&name, 80)), Text::new(shortened(&rules.join(", "), 300)))
    });
    let by_rule =
        found.by_rule.into_iter().map(|(rule, count)| (rule, format::counted(count, "place", "places")));
    Differs { heading, by_rule: by_rule.collect(), changed: changed.collect(), more }
}
