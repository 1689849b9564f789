//! Two attempts held against each other, as the API writes them.
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::api::differences::{Piece, Text, Values, pieces};
use crate::web::api::record::Content;
use crate::web::compare::context::{self, Context, Said, Stretch};
use crate::web::compare::side::Side;
use crate::web::compare::two::{self, Two};
use crate::web::format::rfc3339;
use crate::web::link::Links;
use crate::web::run::bodies::Bodies;
use crate::web::run::view::outcome_now;

/// Two attempts: of one step, of two steps, or of two runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedAttempts")]
pub(in crate::web) struct Attempts {
    first: One,
    second: One,
    /// Those of the parts below that differ.
    differs_in: Vec<&'static str>,
    context: Seen,
    /// What the models said; null where neither said anything.
    said: Option<Text>,
    proposed: Vec<Proposed>,
    /// What was called with what; null where neither has arguments.
    arguments: Option<Values>,
    gate: Values,
    /// Two attempts of one act without a key: the key that both would have had.
    key_not_used: Option<String>,
    happened: Values,
    result: Option<Text>,
    model: Values,
    parameters: Values,
    /// So much later the second started; negative where it started before the first.
    started_apart_ms: i64,
}

/// An attempt, and the model call that it came from.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedAttempt")]
struct One {
    run_id: String,
    step_id: String,
    number: u32,
    kind: &'static str,
    name: String,
    tool: Option<String>,
    target: Option<String>,
    attempt: u32,
    trace_id: String,
    span_id: String,
    outcome: Option<&'static str>,
    outcome_now: Option<&'static str>,
    started_at: String,
    ended_at: Option<String>,
    latency_ms: Option<u64>,
    /// How long nobody tried after the attempt before.
    waited_ms: Option<u64>,
    call: Option<Call>,
    /// Its page.
    href: String,
}

/// A model call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedCall")]
struct Call {
    step_id: String,
    number: u32,
    trace_id: String,
    span_id: String,
    tokens_in: Option<u64>,
    tokens_out: Option<u64>,
    cost_usd: Option<f64>,
}

/// What the two model calls saw.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedContext")]
struct Seen {
    /// Why there is nothing to compare.
    absent: Option<&'static str>,
    added: usize,
    removed: usize,
    changed: usize,
    messages: Vec<Message>,
    /// Messages that differ and are not listed.
    left_out: usize,
    tools: Tools,
}

/// Messages next to each other that are the same, or one that differs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedMessage")]
struct Message {
    /// same, added, removed or changed.
    change: &'static str,
    /// How many.
    count: usize,
    first: Option<Body>,
    second: Option<Body>,
}

/// A message of one side.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedBody")]
struct Body {
    content: Content,
    /// Its words, where the other side has nearly the same.
    words: Option<Vec<Piece>>,
}

/// Tools that were not offered alike.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedTools")]
struct Tools {
    first_only: Vec<String>,
    second_only: Vec<String>,
    /// Offered to both, described differently.
    changed: Vec<String>,
}

/// A call that a model asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedProposal")]
struct Proposed {
    /// The tool, and which call of it where there are several.
    name: String,
    /// `first` or `second` where only that one asked for it.
    only: Option<&'static str>,
    arguments: Values,
}

impl Attempts {
    /// The comparison of two attempts.
    pub(in crate::web) fn of(
        (before, after): (&Side<'_>, &Side<'_>),
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let two = Two::of((before, after), <[String; 2]>::default(), bodies, links);
        let started_ms = |side: &Side<'_>| i128::from(side.attempt.record.facts.started_ns / 1_000_000);
        let apart = started_ms(after) - started_ms(before);
        Self {
            first: One::of(before, links),
            second: One::of(after, links),
            differs_in: differing(&two),
            context: Seen::of(&two, bodies),
            said: two.said.as_ref().map(Text::from),
            proposed: two.calls.iter().map(Proposed::from).collect(),
            arguments: two.arguments.as_ref().map(|(_, table)| Values::sent(table)),
            gate: Values::named(&two.gate),
            key_not_used: two.no_key.as_ref().map(|key| key.as_str().to_owned()),
            happened: Values::named(&two.happened),
            result: two.result.as_ref().map(Text::from),
            model: Values::named(&two.model),
            parameters: Values::sent(&two.parameters),
            started_apart_ms: i64::try_from(apart).unwrap_or(i64::MAX),
        }
    }
}

fn differing(two: &Two) -> Vec<&'static str> {
    let texts =
        |words: &Option<crate::web::compare::words::Words>| words.as_ref().is_some_and(|w| w.differ());
    let parts = [
        ("context", two.saw.changed),
        ("said", texts(&two.said)),
        ("proposed", two.calls.iter().any(two::Call::differs)),
        ("arguments", two.arguments.as_ref().is_some_and(|(_, table)| table.changed > 0)),
        ("gate", two.gate.changed > 0),
        ("happened", two.happened.changed > 0),
        ("result", texts(&two.result)),
        ("model", two.model.changed > 0),
        ("parameters", two.parameters.changed > 0),
    ];
    parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

impl One {
    fn of(side: &Side<'_>, links: &Links) -> Self {
        let (step, attempt) = (side.step, side.attempt);
        let facts = &attempt.record.facts;
        Self {
            run_id: side.run.run_id.clone(),
            step_id: step.step_id.clone(),
            number: step.number,
            kind: step.kind.word(),
            name: step.name.clone(),
            tool: step.tool.clone(),
            target: step.target.clone(),
            attempt: attempt.number,
            trace_id: facts.trace_id.to_string(),
            span_id: facts.span_id.to_string(),
            outcome: attempt.outcome.map(|outcome| outcome.word()),
            outcome_now: outcome_now(attempt).map(|outcome| outcome.word()),
            started_at: rfc3339(facts.started_ns),
            ended_at: facts.ended_ns.map(rfc3339),
            latency_ms: side.took_ns().map(|took| took / 1_000_000),
            waited_ms: side.waited_ns().map(|waited| waited / 1_000_000),
            call: side.call().map(|(step, call)| {
                let facts = &call.record.facts;
                Call {
                    step_id: step.step_id.clone(),
                    number: step.number,
                    trace_id: facts.trace_id.to_string(),
                    span_id: facts.span_id.to_string(),
                    tokens_in: facts.tokens.input,
                    tokens_out: facts.tokens.output,
                    cost_usd: call.cost.map(|cost| cost.usd),
                }
            }),
            href: links.attempt(&side.run.run_id, &facts.span_id),
        }
    }
}

impl Seen {
    fn of(two: &Two, bodies: &Bodies) -> Self {
        let Context { counts, stretches, tools, left_out, .. } = &two.saw;
        Self {
            absent: Some(two.saw_absent).filter(|why| !why.is_empty()),
            added: counts.added,
            removed: counts.removed,
            changed: counts.changed,
            messages: stretches.iter().map(|stretch| Message::of(stretch, bodies)).collect(),
            left_out: *left_out,
            tools: Tools::from(tools),
        }
    }
}

impl Message {
    fn of(stretch: &Stretch, bodies: &Bodies) -> Self {
        let (before, after) = match stretch {
            Stretch::Same(count, ..) => {
                return Self { change: "same", count: *count, first: None, second: None };
            }
            Stretch::Pair(before, after) => (before, after),
        };
        let body = |said: &Said| Body {
            content: Content::at(said.place.0, said.place.1, bodies),
            words: said.words.as_deref().map(pieces),
        };
        Self {
            change: match (before, after) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "removed",
                (None, _) => "added",
            },
            count: 1,
            first: before.as_deref().map(body),
            second: after.as_deref().map(body),
        }
    }
}

impl From<&context::Offered> for Tools {
    fn from(offered: &context::Offered) -> Self {
        Self {
            first_only: offered.first.clone(),
            second_only: offered.second.clone(),
            changed: offered.altered.clone(),
        }
    }
}

impl From<&two::Call> for Proposed {
    fn from(call: &two::Call) -> Self {
        Self { name: call.name.clone(), only: call.only, arguments: Values::sent(&call.arguments) }
    }
}
