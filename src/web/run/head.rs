//! The head of the run page: its name, and the facts that identify it.
use crate::domain::cost::{Cost, CostSource};
use crate::domain::entity::Entity;
use crate::domain::run::{Run, RunState, Whole};
use crate::domain::summary::RunSummary;
use crate::web::format;
use crate::web::link::Links;
use crate::web::query::{Field, Query, Term, Test};
use crate::web::text::{Text, shortened};

/// The head.
#[derive(Debug)]
pub(in crate::web) struct Head {
    /// The name for people.
    pub(in crate::web) title: Text,
    /// The run id.
    pub(in crate::web) run_id: Text,
    /// The agent, and the runs of that agent.
    pub(in crate::web) agent: Option<(Text, String)>,
    /// The facts.
    pub(in crate::web) facts: Vec<Fact>,
    /// The run as JSON.
    pub(in crate::web) json: String,
}

/// A labelled value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Fact {
    pub(in crate::web) label: &'static str,
    pub(in crate::web) value: Text,
    /// Runs with the same value.
    pub(in crate::web) href: Option<String>,
    /// Said after it, quietly.
    pub(in crate::web) more: String,
}

impl Fact {
    /// A fact.
    pub(in crate::web) fn new(label: &'static str, value: impl Into<String>) -> Self {
        Self { label, value: Text::new(value), href: None, more: String::new() }
    }

    pub(in crate::web) fn more(mut self, more: impl Into<String>) -> Self {
        self.more = more.into();
        self
    }

    fn to(mut self, href: String) -> Self {
        self.href = Some(href);
        self
    }
}

/// The filter for one value of a field.
pub(in crate::web) fn runs_by(links: &Links, field: Field, value: &str) -> String {
    let test = Test::Is(field, value.to_owned());
    links.runs_with(&Query { terms: vec![Term { negated: false, test }] }.to_string())
}

impl Head {
    /// The head of a run.
    pub(in crate::web) fn of(
        run: &Run,
        (summary, cost): (&RunSummary, Option<Cost>),
        links: &Links,
        now_ns: u64,
    ) -> Self {
        let by = |field, value: &str| runs_by(links, field, value);
        let mut facts = Vec::new();
        if run.name.is_empty() {
            facts.push(Fact::new("Name", "not given"));
        }
        facts.extend(account(&run.entities, links));
        if let Some(agent) = &run.agent {
            let version =
                run.agent_version.as_deref().map(|version| shortened(version, 40)).unwrap_or_default();
            facts.push(Fact::new("Agent", shortened(agent, 80)).to(by(Field::Agent, agent)).more(version));
        }
        if let Some(model) = summary.models.first() {
            let more = match summary.models.len() {
                1 => String::new(),
                n => format!("and {} more", n - 1),
            };
            facts.push(Fact::new("Model", shortened(model, 80)).to(by(Field::Model, model)).more(more));
        }
        facts.push(Fact::new("Started", format::moment(run.started_ns)).more("UTC"));
        facts.push(took(run, now_ns));
        facts.extend(sums(run, summary, cost));
        facts.push(workers(run));
        if let Some(session) = &run.session_id {
            facts.push(Fact::new("Session", shortened(session, 40)).to(by(Field::Session, session)));
        }
        let environment = run.environment.as_deref().map(|name| shortened(name, 40)).unwrap_or_default();
        let service = match &run.service {
            Some(service) => Fact::new("Service", shortened(service, 60)).to(by(Field::Service, service)),
            None => Fact::new("Service", "not given"),
        };
        facts.push(service.more(environment));
        facts.extend(linked(run, links));
        Self {
            title: Text::new(shortened(title(run), 200)),
            run_id: Text::new(shortened(&run.run_id, 80)),
            agent: run
                .agent
                .as_deref()
                .map(|agent| (Text::new(shortened(agent, 60)), by(Field::Agent, agent))),
            facts,
            json: links.to(&format!("/api/v1/runs/{}", crate::web::link::segment(&run.run_id))),
        }
    }
}

/// The trace that a span of this run links to, which nobody says is of the same run.
fn linked(run: &Run, links: &Links) -> Option<Fact> {
    let first = run.linked_traces.first()?;
    let more = match run.linked_traces.len() {
        1 => String::new(),
        n => format!("and {} more", n - 1),
    };
    let href = links.to(&format!("/traces/{first}"));
    Some(Fact::new("Linked to trace", first.to_string()).to(href).more(more))
}

/// The name of a run for people.
pub(in crate::web) fn title(run: &Run) -> &str {
    if run.name.is_empty() { &run.run_id } else { &run.name }
}

fn account(entities: &[Entity], links: &Links) -> Option<Fact> {
    let accounts: Vec<&Entity> = entities.iter().filter(|entity| entity.kind == "account").collect();
    let first = accounts.first()?;
    let more = match accounts.len() {
        1 => String::new(),
        n => format!("and {} more", n - 1),
    };
    Some(Fact::new("Account", shortened(&first.id, 60)).to(links.entity(first)).more(more))
}

fn took(run: &Run, now_ns: u64) -> Fact {
    let until = |end: u64| format::duration(end.saturating_sub(run.started_ns));
    let fact = |text: String| Fact::new("Took", text);
    match (run.state, run.ended_ns) {
        (RunState::Running, _) => fact(until(now_ns)).more("so far"),
        (RunState::Ended, Some(end)) if run.completeness.verdict == Whole::No => {
            fact(format!("at least {}", until(end)))
        }
        (RunState::Ended, Some(end)) => fact(until(end)),
        (RunState::Lost, Some(end)) => fact(format!("at least {}", until(end))),
        (RunState::Ended | RunState::Lost, None) => fact("not known".to_owned()),
    }
}

fn sums(run: &Run, summary: &RunSummary, cost: Option<Cost>) -> Vec<Fact> {
    let or_more = if run.completeness.verdict == Whole::No { "or more" } else { "" };
    let mut facts = Vec::new();
    if summary.tokens_in.is_some() || summary.tokens_out.is_some() {
        let tokens =
            summary.tokens_in.unwrap_or_default().saturating_add(summary.tokens_out.unwrap_or_default());
        facts.push(Fact::new("Tokens", format::count(tokens)).more(or_more));
    }
    if let Some(cost) = cost {
        let or_more = if cost.partial { "or more" } else { or_more };
        let said: Vec<&str> = [or_more, said_by(cost.source)].into_iter().filter(|s| !s.is_empty()).collect();
        facts.push(Fact::new("Cost", format::dollars(cost.usd)).more(said.join(", ")));
    }
    facts
}

/// Who says what something cost.
pub(in crate::web) fn said_by(source: CostSource) -> &'static str {
    match source {
        CostSource::Given => "given by the runtime",
        CostSource::Computed => "computed from your prices",
        CostSource::Mixed => "partly given, partly computed from your prices",
    }
}

fn workers(run: &Run) -> Fact {
    let shown: Vec<String> = run.workers.iter().take(3).map(|worker| shortened(worker, 40)).collect();
    let mut more = Vec::new();
    if run.workers.len() > 3 {
        more.push(format!("and {} more", run.workers.len() - 3));
    }
    let epochs: Vec<String> = run.epochs.iter().take(4).map(ToString::to_string).collect();
    match epochs.as_slice() {
        [] => {}
        [one] => more.push(format!("epoch {one}")),
        several => more.push(format!("epochs {}", several.join(", "))),
    }
    let value = if shown.is_empty() { "not recorded".to_owned() } else { shown.join(", ") };
    Fact::new(if run.workers.len() == 1 { "Worker" } else { "Workers" }, value).more(more.join(", "))
}
