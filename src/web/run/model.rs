//! The model: which one was asked and which answered, with what parameters, at what price.
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::value::Value;
use crate::web::format;
use crate::web::link::Links;
use crate::web::query::Field;
use crate::web::run::bars::attempts;
use crate::web::run::head::{Fact, runs_by, said_by};
use crate::web::run::view::{Look, View};
use crate::web::text::{Text, shortened};
use crate::web::value;

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Model {
    /// Said first when the model call is another step's.
    pub(in crate::web) source: Option<(String, String)>,
    /// What is known about the call.
    pub(in crate::web) facts: Vec<Fact>,
    /// The parameters that were sent.
    pub(in crate::web) parameters: Vec<(Text, Text)>,
    /// Whether other attempts of the call ran with the same; `None` when there is only one.
    pub(in crate::web) drift: Option<Drift>,
    /// There is no model call to show.
    pub(in crate::web) absent: bool,
}

/// Whether attempts ran alike.
#[derive(Debug)]
pub(in crate::web) struct Drift {
    pub(in crate::web) warn: bool,
    pub(in crate::web) text: &'static str,
}

impl Model {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(run: &Run, look: &Look<'_>, view: &View, links: &Links) -> Self {
        let own = look.step.kind == Kind::Think || look.attempt.record.facts.model.is_some();
        let found = if own { Some((look.step, look.attempt)) } else { look.proposer(run) };
        let Some((step, attempt)) = found else {
            return Self {
                source: None,
                facts: Vec::new(),
                parameters: Vec::new(),
                drift: None,
                absent: true,
            };
        };
        let facts = &attempt.record.facts;
        Self {
            source: (step.step_id != look.step.step_id).then(|| {
                (format!("step {}", step.number), format!("{}#step-{}", view.to(attempt), step.number))
            }),
            facts: about(attempt, links),
            parameters: facts
                .parameters
                .iter()
                .map(|(name, value)| (Text::new(shortened(name, 80)), Text::new(shown(value))))
                .collect(),
            drift: drift(step),
            absent: false,
        }
    }
}

/// A parameter's value as it is shown.
pub(in crate::web) fn shown(value: &Value) -> String {
    shortened(&value::compact(value), 400)
}

fn about(attempt: &Attempt, links: &Links) -> Vec<Fact> {
    let facts = &attempt.record.facts;
    let mut about = Vec::new();
    if let Some(model) = facts.model_requested.as_deref() {
        about.push(Fact::new("Model asked for", shortened(model, 120)));
    }
    if let Some(model) = facts.model.as_deref() {
        let mut fact = Fact::new("Model that answered", shortened(model, 120));
        fact.href = Some(runs_by(links, Field::Model, model));
        about.push(fact);
    }
    about.extend(facts.provider.as_deref().map(|provider| Fact::new("Provider", shortened(provider, 120))));
    if let Some(ended) = facts.ended_ns {
        about.push(Fact::new("Latency", format::duration(ended.saturating_sub(facts.started_ns))));
    }
    about.extend(tokens(attempt));
    about.extend(
        attempt.cost.map(|cost| Fact::new("Cost", format::dollars(cost.usd)).more(said_by(cost.source))),
    );
    about
}

fn tokens(attempt: &Attempt) -> Option<Fact> {
    let tokens = &attempt.record.facts.tokens;
    let told = [(tokens.input, "in"), (tokens.output, "out")];
    let line: Vec<String> =
        told.iter().filter_map(|(n, word)| n.map(|n| format!("{} {word}", format::count(n)))).collect();
    let quiet = [
        (tokens.cache_read, "read from cache"),
        (tokens.cache_write, "written to cache"),
        (tokens.reasoning, "for reasoning"),
    ];
    let mut more: Vec<String> =
        quiet.iter().filter_map(|(n, word)| n.map(|n| format!("{} {word}", format::count(n)))).collect();
    if tokens.cache_apart && tokens.cache_read.is_some() {
        more.push("cached ones not contained in the first number".to_owned());
    }
    if line.is_empty() && more.is_empty() {
        return None;
    }
    let mut fact = Fact::new("Tokens", if line.is_empty() { "not told".to_owned() } else { line.join(", ") });
    fact.more = more.join(", ");
    Some(fact)
}

/// Compares the attempts of one call.
fn drift(step: &RunStep) -> Option<Drift> {
    let mut all = attempts(step);
    let first = all.next()?;
    let rest: Vec<&Attempt> = all.collect();
    if rest.is_empty() {
        return None;
    }
    let facts = &first.record.facts;
    let same_model = rest.iter().all(|other| other.record.facts.model == facts.model);
    let same_parameters = rest.iter().all(|other| other.record.facts.parameters == facts.parameters);
    Some(match (same_model, same_parameters) {
        (true, true) => {
            Drift { warn: false, text: "Same model and parameters in every attempt of this call." }
        }
        (true, false) => Drift { warn: true, text: "The parameters changed between attempts of this call." },
        (false, true) => Drift { warn: true, text: "The model changed between attempts of this call." },
        (false, false) => {
            Drift { warn: true, text: "The model and its parameters changed between attempts of this call." }
        }
    })
}
