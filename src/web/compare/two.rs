//! Two attempts held against each other: what the model saw and proposed, what was called, what came back.
use crate::domain::kind::Kind;
use crate::domain::run::Attempt;
use crate::web::badge;
use crate::web::compare::context::{self, Context};
use crate::web::compare::side::{Heading, Side};
use crate::web::compare::table::{Row, Set, Table, arguments, line_of};
use crate::web::compare::words::Words;
use crate::web::format;
use crate::web::json;
use crate::web::link::Links;
use crate::web::message::{Block, Message};
use crate::web::run::bodies::{Bodies, Wants};
use crate::web::run::model::shown;
use crate::web::run::view::outcome_now;
use crate::web::text::{Text, plain, sentence, shortened};

/// Parts of an answer that are compared.
const OUTPUT_MAX: usize = 50;
/// Proposed calls that are compared.
const CALLS_MAX: usize = 20;

/// The comparison.
#[derive(Debug)]
pub(in crate::web) struct Two {
    pub(in crate::web) heads: [Heading; 2],
    pub(in crate::web) saw: Context,
    /// Why there is nothing to compare in what was seen.
    pub(in crate::web) saw_absent: &'static str,
    /// What the models said; `None` where neither said anything.
    pub(in crate::web) said: Option<Words>,
    /// Proposed calls.
    pub(in crate::web) calls: Vec<Call>,
    /// What was called with what.
    pub(in crate::web) arguments: Option<(Text, Table)>,
    pub(in crate::web) gate: Table,
    /// Said where a key would have held the second call.
    pub(in crate::web) no_key: Option<Text>,
    pub(in crate::web) happened: Table,
    /// What came back, as kept.
    pub(in crate::web) result: Option<Words>,
    pub(in crate::web) model: Table,
    pub(in crate::web) parameters: Table,
    pub(in crate::web) timing: Vec<Row>,
}

/// A call that a model asked for.
#[derive(Debug)]
pub(in crate::web) struct Call {
    /// The tool, and which call of it where there are several.
    pub(in crate::web) name: String,
    /// `first` or `second` where only that one asked for it.
    pub(in crate::web) only: Option<&'static str>,
    pub(in crate::web) arguments: Table,
}

impl Call {
    /// Whether the two did not ask for the same.
    pub(in crate::web) fn differs(&self) -> bool {
        self.only.is_some() || self.arguments.changed > 0
    }

    /// What is said of the difference.
    pub(in crate::web) fn line(&self) -> String {
        match self.only {
            Some(which) => format!("proposed by the {which} only"),
            None => self.arguments.line(),
        }
    }
}

/// Which bodies are needed.
pub(in crate::web) fn wants(before: &Side<'_>, after: &Side<'_>) -> Wants {
    let mut wants = Wants::default();
    for side in [before, after] {
        let own = [side.arguments(), side.result()].into_iter().flatten();
        wants.whole.extend(own.map(|content| side.place(content)));
        if let Some((_, call)) = side.call() {
            let proposed = call.record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
            let all = call.record.output.iter().take(OUTPUT_MAX).chain(proposed.take(CALLS_MAX));
            wants.whole.extend(all.map(|content| (call.record.facts.trace_id, content.digest)));
        }
    }
    if let (Some((_, one)), Some((_, other))) = (before.call(), after.call())
        && !std::ptr::eq(one, other)
    {
        let seen = context::wants(one, other);
        wants.whole.extend(seen.whole);
        wants.heads.extend(seen.heads);
    }
    wants
}

impl Two {
    /// Compares two attempts.
    pub(in crate::web) fn of(
        (before, after): (&Side<'_>, &Side<'_>),
        names: [String; 2],
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let (calls_before, calls_after) = (before.call(), after.call());
        let both = calls_before.zip(calls_after).map(|((_, one), (_, other))| (one, other));
        let one_call = both.is_some_and(|(one, other)| std::ptr::eq(one, other));
        let differing = both.filter(|_| !one_call);
        let saw = differing.map(|(one, other)| Context::of(one, other, bodies, links)).unwrap_or_default();
        let [first, second] = names;
        let called = [before, after].map(|side| side.arguments().map(|content| side.text(content, bodies)));
        let tool = after.step.tool.as_deref().unwrap_or(&after.step.name);
        Self {
            heads: [before.heading(first, links), after.heading(second, links)],
            saw_absent: match (both, one_call) {
                (_, true) => "Both come from the same model call.",
                (None, _) => "No model call is known for one of them.",
                (Some((one, other)), false) => {
                    if one.record.context.is_empty() && other.record.context.is_empty() {
                        "Neither call has a snapshot of what the model saw."
                    } else {
                        ""
                    }
                }
            },
            saw,
            said: differing.and_then(|(one, other)| said(one, other, bodies)),
            calls: differing.map(|(one, other)| calls(one, other, bodies)).unwrap_or_default(),
            arguments: called.iter().any(Option::is_some).then(|| {
                let [one, other] = called.map(|text| text.as_deref().map(arguments).unwrap_or_default());
                (Text::new(shortened(tool, 80)), Table::of(&one, &other))
            }),
            gate: Table::of(&gate(before), &gate(after)),
            no_key: no_key(before, after),
            happened: Table::of(&happened(before), &happened(after)),
            result: result(before, after, bodies),
            model: both.map(|(one, other)| Table::of(&model(one), &model(other))).unwrap_or_default(),
            parameters: both
                .map(|(one, other)| Table::of(&parameters(one), &parameters(other)))
                .unwrap_or_default(),
            timing: timing(before, after),
        }
    }

    /// Whether the model or its parameters differ.
    pub(in crate::web) fn model_changed(&self) -> bool {
        self.model.changed + self.parameters.changed > 0
    }

    /// Such as "1 of 4 changed", over the model and its parameters.
    pub(in crate::web) fn model_line(&self) -> String {
        line_of(&[&self.model, &self.parameters])
    }
}

/// What the models said, apart from the calls they asked for.
fn said(one: &Attempt, other: &Attempt, bodies: &Bodies) -> Option<Words> {
    let text = |call: &Attempt| -> String {
        let parts = call.record.output.iter().take(OUTPUT_MAX).map(|content| {
            match bodies.get(&(call.record.facts.trace_id, content.digest)) {
                Some(body) if body.whole => prose_of(&Message::of(body.kind, &body.role, &body.text)),
                Some(_) | None => content.preview.clone(),
            }
        });
        parts.collect::<Vec<_>>().join("\n\n")
    };
    let (one, other) = (text(one).trim().to_owned(), text(other).trim().to_owned());
    (!one.is_empty() || !other.is_empty()).then(|| Words::of(&one, &other))
}

/// What a message says in prose.
fn prose_of(message: &Message) -> String {
    let said = message.blocks.iter().filter_map(|block| match block {
        Block::Said(text) | Block::Thought(text) => Some(text.as_str()),
        Block::Call(..) | Block::Code(_) | Block::Media(_) => None,
    });
    said.collect::<Vec<_>>().join("\n\n")
}

/// The proposed calls in order, the nth beside the nth of the same tool.
fn calls(one: &Attempt, other: &Attempt, bodies: &Bodies) -> Vec<Call> {
    let named = |call: &Attempt| -> Vec<(String, Set)> {
        let mut seen: Vec<&str> = Vec::new();
        let proposed = call.record.proposed.iter().take(CALLS_MAX);
        let one = proposed.map(|kept| {
            let tool = kept.call.tool.as_str();
            seen.push(tool);
            let nth = seen.iter().filter(|name| **name == tool).count();
            let text = kept.call.arguments.as_ref().map(|content| {
                let body = bodies.get(&(call.record.facts.trace_id, content.digest));
                body.map_or_else(|| content.preview.clone(), |body| body.text.clone())
            });
            let tool = plain(&shortened(tool, 80));
            let name = if nth > 1 { format!("{tool}, call {nth}") } else { tool };
            (name, text.as_deref().map(arguments).unwrap_or_default())
        });
        one.collect()
    };
    let (old, new) = (named(one), named(other));
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in old.iter().chain(&new) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let empty = Set::new();
    let find = |calls: &[(String, Set)], name: &String| -> Option<usize> {
        calls.iter().position(|(known, _)| known == name)
    };
    let one = |name: &&String| {
        let (before, after) = (find(&old, name), find(&new, name));
        let set = |calls: &[(String, Set)], at: Option<usize>| {
            at.and_then(|at| calls.get(at)).map_or_else(|| empty.clone(), |(_, set)| set.clone())
        };
        let arguments = Table::of(&set(&old, before), &set(&new, after));
        let only = match (before, after) {
            (Some(_), None) => Some("first"),
            (None, Some(_)) => Some("second"),
            _ => None,
        };
        Call { name: (*name).clone(), only, arguments }
    };
    names.iter().map(one).collect()
}

fn pairs<'a>(values: impl IntoIterator<Item = (&'a str, Option<String>)>) -> Set {
    values.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn gate(side: &Side<'_>) -> Set {
    let facts = &side.attempt.record.facts;
    let is_act = side.step.kind == Kind::Act;
    pairs([
        ("Key", facts.key.clone()),
        ("Gate", is_act.then(|| badge::GateChip::of(facts.gate).word.to_owned())),
        ("Target", facts.target.clone()),
        ("Worker", facts.worker.clone()),
        ("Epoch", facts.epoch.map(|epoch| epoch.to_string())),
        ("Policy", facts.policy_version.clone()),
        ("Approved by", facts.approver.clone()),
    ])
}

/// Two attempts of one act without a key: what a key would have done.
fn no_key(before: &Side<'_>, after: &Side<'_>) -> Option<Text> {
    let keyless = |side: &Side<'_>| side.step.kind == Kind::Act && side.attempt.record.facts.key.is_none();
    if !keyless(before) || !keyless(after) || before.step.step_id != after.step.step_id {
        return None;
    }
    let target = after.step.target.as_deref()?;
    let tool = after.step.tool.as_deref().unwrap_or(&after.step.name);
    let key = format!("{}:{}:{tool}:{target}", after.run.run_id, after.step.step_id);
    Some(Text::new(shortened(&key, 200)))
}

fn happened(side: &Side<'_>) -> Set {
    let attempt = side.attempt;
    let facts = &attempt.record.facts;
    let own = facts.http.as_ref().and_then(|http| http.status_code);
    let mut below = attempt.transports.iter().filter_map(|record| record.facts.http.as_ref()?.status_code);
    let error = facts.error.as_ref();
    pairs([
        ("Outcome then", attempt.outcome.map(|outcome| outcome.word().to_owned())),
        ("Outcome now", outcome_now(attempt).map(|outcome| outcome.word().to_owned())),
        ("What is known", Some(sentence(&attempt.reason)).filter(|reason| !reason.is_empty())),
        ("HTTP status", own.or(below.next_back()).map(|code| code.to_string())),
        ("Error", error.map(|error| error.kind.clone()).filter(|kind| !kind.is_empty())),
        ("Error message", error.map(|error| error.message.clone()).filter(|text| !text.is_empty())),
        ("Downstream id", facts.downstream_id.clone()),
    ])
}

fn result(before: &Side<'_>, after: &Side<'_>, bodies: &Bodies) -> Option<Words> {
    let text = |side: &Side<'_>| {
        let text = side.text(side.result()?, bodies);
        Some(json::laid_out(&text).unwrap_or(text))
    };
    let (one, other) = (text(before), text(after));
    (one.is_some() || other.is_some())
        .then(|| Words::of(&one.unwrap_or_default(), &other.unwrap_or_default()))
}

fn model(call: &Attempt) -> Set {
    let facts = &call.record.facts;
    pairs([
        ("Model asked for", facts.model_requested.clone()),
        ("Model that answered", facts.model.clone()),
        ("Provider", facts.provider.clone()),
        ("Agent version", facts.agent_version.clone()),
        ("Finished because", Some(facts.finish_reasons.join(", ")).filter(|text| !text.is_empty())),
    ])
}

fn parameters(call: &Attempt) -> Set {
    let all = call.record.facts.parameters.iter();
    all.map(|(name, value)| (name.clone(), shown(value))).collect()
}

fn timing(before: &Side<'_>, after: &Side<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: &str, old: Option<String>, new: Option<String>, drift: String| {
        if old.is_some() || new.is_some() {
            let row = Row::of(name, old.as_deref(), new.as_deref());
            rows.push(row.plain().saying(drift));
        }
    };
    let started = |side: &Side<'_>| side.attempt.record.facts.started_ns;
    let (one, other) = (started(before), started(after));
    let apart = match other.checked_sub(one) {
        Some(later) => format!("{} later", format::duration(later)),
        None => format!("{} earlier", format::duration(one - other)),
    };
    row("Started", Some(format::moment(one)), Some(format::moment(other)), apart);
    for (name, old, new) in [
        ("Took", before.took_ns(), after.took_ns()),
        ("Waited since the attempt before", before.waited_ns(), after.waited_ns()),
    ] {
        let drift = match (old, new) {
            (Some(old), Some(new)) if new > old => format!("{} longer", format::duration(new - old)),
            (Some(old), Some(new)) if new < old => format!("{} shorter", format::duration(old - new)),
            (Some(_), Some(_)) => "same".to_owned(),
            _ => String::new(),
        };
        row(name, old.map(format::duration), new.map(format::duration), drift);
    }
    let calls = [before, after].map(|side| side.call().map(|(_, call)| call));
    let [one, other] = calls;
    for (name, of) in [
        ("Tokens in", (|call: &Attempt| call.record.facts.tokens.input) as fn(&Attempt) -> Option<u64>),
        ("Tokens out", |call| call.record.facts.tokens.output),
    ] {
        let (old, new) = (one.and_then(of), other.and_then(of));
        let drift = match (old, new) {
            (Some(old), Some(new)) if new > old => format!("{} more", format::count(new - old)),
            (Some(old), Some(new)) if new < old => format!("{} fewer", format::count(old - new)),
            (Some(_), Some(_)) => "same".to_owned(),
            _ => String::new(),
        };
        row(name, old.map(format::count), new.map(format::count), drift);
    }
    let cost = |call: Option<&Attempt>| call.and_then(|call| call.cost).map(|cost| format::dollars(cost.usd));
    row("Cost", cost(one), cost(other), String::new());
    rows
}
