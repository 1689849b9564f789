//! The inspector: one attempt, seen from six sides.
use crate::domain::fold::case_id::{of_key, of_span};
use crate::domain::ids::Project;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::run::{Attempt, Run, Slot};
use crate::web::badge::Badge;
use crate::web::compare::asked::nearest;
use crate::web::link::Links;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Wants};
use crate::web::run::gate::Gate;
use crate::web::run::happened::{self, Happened};
use crate::web::run::model::Model;
use crate::web::run::proposed::{self, Proposed};
use crate::web::run::raised::Raised;
use crate::web::run::raw::{Original, Raw};
use crate::web::run::saw::{self, Saw};
use crate::web::run::thread::attempt_badge;
use crate::web::run::verdict::title;
use crate::web::run::view::{Look, Tab, View, outcome_now};
use crate::web::text::{Text, shortened};

/// The inspector.
#[derive(Debug)]
pub(in crate::web) struct Inspector {
    /// Such as "Step 3 · Attempt 1 of 2".
    pub(in crate::web) whereabouts: String,
    pub(in crate::web) title: Text,
    /// Then and now, or the one state there is.
    pub(in crate::web) states: Vec<(&'static str, Badge)>,
    pub(in crate::web) note: String,
    /// Its case, when nobody knew what became of it.
    pub(in crate::web) case: Option<String>,
    /// What it is best compared with: the words and the address.
    pub(in crate::web) compare: Option<(String, String)>,
    pub(in crate::web) earlier: Option<String>,
    pub(in crate::web) later: Option<String>,
    pub(in crate::web) tabs: Vec<TabLink>,
    /// The open tab's whole name.
    pub(in crate::web) tab_name: String,
    /// Exceptions and tries, said before what the model saw and what happened.
    pub(in crate::web) raised: Raised,
    pub(in crate::web) pane: Pane,
}

/// A tab.
#[derive(Debug)]
pub(in crate::web) struct TabLink {
    pub(in crate::web) long: &'static str,
    pub(in crate::web) name: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// The open side.
#[derive(Debug)]
pub(in crate::web) enum Pane {
    /// What it saw.
    Saw(Box<Saw>),
    /// What it proposed.
    Proposed(Box<Proposed>),
    /// What happened.
    Happened(Box<Happened>),
    /// Model.
    Model(Box<Model>),
    /// Key & gate.
    Gate(Box<Gate>),
    /// Raw.
    Raw(Box<Raw>),
}

/// What the store gave for the open side.
#[derive(Debug, Default)]
pub(in crate::web) struct Loaded {
    /// The bodies that were wanted.
    pub(in crate::web) bodies: Bodies,
    /// The span as sent, when it was wanted.
    pub(in crate::web) original: Option<Original>,
    /// The case of the attempt, when nobody knew what became of it.
    pub(in crate::web) case_id: Option<String>,
}

/// What the open side needs from the store.
pub(in crate::web) fn wants(run: &Run, look: &Look<'_>, view: &View) -> Wants {
    match look.tab {
        Tab::Saw => Wants { span: true, ..saw::wants(run, look, view) },
        Tab::Proposed => proposed::wants(run, look),
        Tab::Happened => Wants { span: true, ..happened::wants(look) },
        Tab::Model | Tab::Gate => Wants::default(),
        Tab::Raw => Wants { span: true, ..Wants::default() },
    }
}

impl Inspector {
    /// The inspector of what is looked at.
    pub(in crate::web) fn of(
        run: &Run,
        look: &Look<'_>,
        view: &View,
        loaded: &Loaded,
        (links, now_ns): (&Links, u64),
    ) -> Self {
        let (long, name) = look.tab.name();
        let (earlier, later) = neighbours(run, look, view);
        let bodies = &loaded.bodies;
        Self {
            whereabouts: whereabouts(look),
            title: Text::new(shortened(&title(look.step), 160)),
            states: states(look.attempt),
            note: note(run, look),
            case: loaded.case_id.as_deref().map(|id| links.case(id)),
            compare: nearest(links, run, look.step, look.attempt),
            earlier,
            later,
            tabs: tabs(look, view),
            tab_name: format!("{long}{name}"),
            raised: match look.tab {
                Tab::Saw | Tab::Happened => Raised::of(look, loaded.original.as_ref(), bodies),
                Tab::Proposed | Tab::Model | Tab::Gate | Tab::Raw => Raised::default(),
            },
            pane: match look.tab {
                Tab::Saw => Pane::Saw(Box::new(Saw::of(run, look, view, bodies, links))),
                Tab::Proposed => Pane::Proposed(Box::new(Proposed::of(run, look, view, bodies, links))),
                Tab::Happened => Pane::Happened(Box::new(Happened::of(run, look, view, bodies, links))),
                Tab::Model => Pane::Model(Box::new(Model::of(run, look, view, links))),
                Tab::Gate => Pane::Gate(Box::new(Gate::of(run, look, (links, now_ns)))),
                Tab::Raw => Pane::Raw(Box::new(Raw::of(look, loaded.original.as_ref(), links))),
            },
        }
    }
}

/// How long it was unknown, and who or what ended that.
fn note(run: &Run, look: &Look<'_>) -> String {
    let resolved = look.attempt.path.last().filter(|moved| moved.evidence == Evidence::Resolution);
    let by = resolved.map(|moved| format!("by resolution of {}", shortened(&moved.by, 40)));
    let parts = [by, happened::unknown_for(run, look)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The case of an attempt: where it is unknown, or was.
pub(in crate::web) fn case_id(project: &Project, look: &Look<'_>) -> Option<String> {
    let attempt = look.attempt;
    let was_unknown = attempt.path.iter().any(|moved| moved.state == Outcome::Unknown);
    if !was_unknown && outcome_now(attempt) != Some(Outcome::Unknown) {
        return None;
    }
    let facts = &attempt.record.facts;
    let tool = facts.tool.as_deref().unwrap_or(&facts.name);
    Some(match &facts.key {
        Some(key) => of_key(project, tool, key),
        None => of_span(project, facts.trace_id, facts.span_id),
    })
}

fn whereabouts(look: &Look<'_>) -> String {
    let step = format!("Step {}", look.step.number);
    let all = look.step.attempts.len();
    let number = look.attempt.number;
    let latest = look.step.attempts.iter().map(|slot| match slot {
        Slot::Attempt(attempt) => attempt.number,
        Slot::Missing(number) => *number,
    });
    match all {
        0 | 1 => format!("{step} · {}", look.step.kind),
        _ => {
            let inferred = if look.attempt.given { "" } else { " (order inferred)" };
            format!("{step} · Attempt {number} of {}{inferred}", latest.max().unwrap_or(number))
        }
    }
}

fn states(attempt: &Attempt) -> Vec<(&'static str, Badge)> {
    match (attempt.outcome, attempt.now) {
        (Some(then), Some((now, _))) if then != now && !attempt.record.facts.gate.held() => {
            vec![("then", Badge::outcome(then)), ("now", Badge::outcome(now))]
        }
        _ => attempt_badge(attempt).map(|badge| ("", badge)).into_iter().collect(),
    }
}

fn tabs(look: &Look<'_>, view: &View) -> Vec<TabLink> {
    let span = Some(look.attempt.record.facts.span_id);
    Tab::ALL
        .into_iter()
        .map(|tab| {
            let (long, name) = tab.name();
            let href = View { span, tab: Some(tab), all_messages: false, ..view.clone() }.query();
            TabLink { long, name, href, on: tab == look.tab }
        })
        .collect()
}

/// The attempts before and after this one, over all steps.
fn neighbours(run: &Run, look: &Look<'_>, view: &View) -> (Option<String>, Option<String>) {
    let mut earlier = None;
    let mut all = run.steps.iter().filter(|step| view.show.lists(step)).flat_map(attempts);
    for attempt in all.by_ref() {
        if look.is_at(attempt) {
            let to = |attempt: &Attempt| View { from: None, ..view.clone() }.to(attempt);
            return (earlier.map(to), all.next().map(to));
        }
        earlier = Some(attempt);
    }
    (None, None)
}
