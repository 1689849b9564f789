//! What happened: the answer or its absence, the exchange below it, why it ran again, and how it was settled.
use crate::domain::ids::TraceId;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::badge;
use crate::web::finding;
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Piece, Wants};
use crate::web::run::head::Fact;
use crate::web::run::view::{Look, View, outcome_now};
use crate::web::text::{Text, sentence, shortened};

/// Exchanges listed on one page.
const EXCHANGES_MAX: usize = 50;

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Happened {
    /// The answer, first.
    pub(in crate::web) answer: Text,
    /// What that means.
    pub(in crate::web) meaning: &'static str,
    /// What was sent.
    pub(in crate::web) arguments: Option<Piece>,
    /// Where the arguments were found, when not on the span.
    pub(in crate::web) arguments_from: &'static str,
    /// What came back.
    pub(in crate::web) result: Option<Piece>,
    /// Where the result was found, when not on the span.
    pub(in crate::web) result_from: &'static str,
    /// The error as told.
    pub(in crate::web) error: Option<Text>,
    /// Times and status.
    pub(in crate::web) facts: Vec<Fact>,
    /// The exchanges below the step.
    pub(in crate::web) exchanges: Vec<Exchange>,
    /// Why it ran again: the attempt before, and the rule that linked them.
    pub(in crate::web) again: Option<(Text, String)>,
    /// What was noticed about it.
    pub(in crate::web) findings: Vec<(&'static str, Text)>,
    /// How it was settled, in order.
    pub(in crate::web) trail: Vec<Moment>,
}

/// An HTTP or MCP exchange below a step.
#[derive(Debug)]
pub(in crate::web) struct Exchange {
    pub(in crate::web) at: String,
    pub(in crate::web) what: Text,
    pub(in crate::web) status: Text,
    pub(in crate::web) took: String,
}

/// Which bodies the pane needs.
pub(in crate::web) fn wants(look: &Look<'_>) -> Wants {
    let mut wants = Wants::default();
    let trace = look.attempt.record.facts.trace_id;
    let (arguments, result) = (arguments(look.attempt), result(look.attempt));
    wants.whole.extend([arguments, result].into_iter().flatten().map(|content| (trace, content.digest)));
    if look.step.kind == Kind::Think {
        wants.whole.extend(look.attempt.record.output.iter().take(20).map(|content| (trace, content.digest)));
    }
    wants
}

fn arguments(attempt: &Attempt) -> Option<&crate::domain::content::ContentRef> {
    attempt.record.arguments.as_ref().or(attempt.arguments.as_ref())
}

fn result(attempt: &Attempt) -> Option<&crate::domain::content::ContentRef> {
    attempt.record.result.as_ref().or(attempt.result.as_ref())
}

impl Happened {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(
        run: &Run,
        look: &Look<'_>,
        view: &View,
        bodies: &Bodies,
        links: &Links,
    ) -> Self {
        let attempt = look.attempt;
        let record = &attempt.record;
        let trace: TraceId = record.facts.trace_id;
        let piece = |content| Piece::of_ref(trace, content, bodies, links);
        let error =
            record.facts.error.as_ref().map(|error| match (error.kind.as_str(), error.message.as_str()) {
                (kind, "") => kind.to_owned(),
                ("", message) => message.to_owned(),
                (kind, message) => format!("{kind}: {message}"),
            });
        let noticed = look.step.findings.iter().filter_map(|at| run.findings.get(*at));
        let span = record.facts.span_id;
        let here = noticed.filter(|finding| {
            finding.spans.is_empty() || finding.spans.iter().any(|(_, other)| *other == span)
        });
        Self {
            answer: Text::new(answer(look)),
            meaning: meaning(attempt),
            arguments: arguments(attempt).map(piece),
            arguments_from: if record.arguments.is_none() {
                "taken from the proposal; the span has none"
            } else {
                ""
            },
            result: result(attempt).map(piece),
            result_from: if record.result.is_none() {
                "taken from a later message; the span has none"
            } else {
                ""
            },
            error: error
                .or_else(|| Some(record.facts.status_message.clone()).filter(|text| !text.is_empty()))
                .map(Text::new),
            facts: facts(look),
            exchanges: attempt.transports.iter().take(EXCHANGES_MAX).map(exchange).collect(),
            again: again(look, view),
            findings: here
                .map(|finding| {
                    (
                        finding::title(finding.code),
                        Text::new(finding::said(&finding.message, finding.since_ns)),
                    )
                })
                .collect(),
            trail: trail(run, look),
        }
    }
}

fn answer(look: &Look<'_>) -> String {
    let reason = &look.attempt.reason;
    if !reason.is_empty() {
        let sentence = sentence(reason);
        return if sentence.ends_with('.') { sentence } else { format!("{sentence}.") };
    }
    match (look.step.kind, look.attempt.record.facts.ended_ns) {
        (_, None) => "No end was recorded.".to_owned(),
        (Kind::Think, Some(_)) => "The model answered.".to_owned(),
        (Kind::Read | Kind::Reconcile, Some(_)) => "The tool answered.".to_owned(),
        (Kind::Act | Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other, Some(_)) => {
            "It ended.".to_owned()
        }
    }
}

/// What the outcome means for what may be done next.
fn meaning(attempt: &Attempt) -> &'static str {
    if attempt.record.facts.gate.held() {
        return "The gate held this call, so nothing was sent.";
    }
    match attempt.outcome {
        Some(Outcome::Unknown) => {
            "A missing answer does not say whether the effect happened. It is neither failed nor done until \
             somebody looks."
        }
        Some(Outcome::Submitted) => "It was accepted. Whether the effect happened has not been seen yet.",
        Some(Outcome::Failed) => "It was explicitly refused, or never sent: the effect did not happen.",
        Some(Outcome::Confirmed) | None => "",
    }
}

fn facts(look: &Look<'_>) -> Vec<Fact> {
    let attempt = look.attempt;
    let record = &attempt.record.facts;
    let timed_out = attempt.evidence == Some(crate::domain::outcome::Evidence::Timeout);
    let mut facts = vec![Fact::new("Sent", format!("{} UTC", format::clock_ms(record.started_ns)))];
    match record.ended_ns {
        Some(ended) => {
            let label = if timed_out { "Stopped waiting" } else { "Answered" };
            facts.push(Fact::new(label, format::clock_ms(ended)));
            facts.push(Fact::new("Latency", format::duration(ended.saturating_sub(record.started_ns))));
        }
        None => facts.push(Fact::new("Answered", "no end recorded")),
    }
    let status = record.http.as_ref().and_then(|http| http.status_code);
    let below = attempt
        .transports
        .iter()
        .filter_map(|transport| transport.facts.http.as_ref()?.status_code)
        .next_back();
    match status.or(below) {
        Some(code) => facts.push(Fact::new("HTTP status", code.to_string())),
        None if look.step.kind == Kind::Act => facts.push(Fact::new("HTTP status", "none received")),
        None => {}
    }
    for (label, value) in [
        (
            "Error type",
            record.error.as_ref().map(|error| error.kind.as_str()).filter(|kind| !kind.is_empty()),
        ),
        ("Call id", record.tool_call_id.as_deref()),
        ("Downstream id", record.downstream_id.as_deref()),
        ("Value", record.value.as_deref().map(|value| format::stake(value, 200)).as_deref()),
        ("Approved by", record.approver.as_deref()),
        ("Worker", record.worker.as_deref()),
    ] {
        facts.extend(value.map(|value| Fact::new(label, shortened(value, 200))));
    }
    facts
}

fn exchange(record: &Record) -> Exchange {
    let facts = &record.facts;
    let status = facts.http.as_ref().and_then(|http| http.status_code).map(|code| code.to_string());
    let error = facts.error.as_ref().map(|error| {
        if error.kind.is_empty() { shortened(&error.message, 80) } else { shortened(&error.kind, 80) }
    });
    Exchange {
        at: format::clock_ms(facts.started_ns),
        what: Text::new(shortened(&facts.name, 120)),
        status: Text::new(status.or(error).unwrap_or_else(|| "no answer".to_owned())),
        took: facts
            .ended_ns
            .map(|end| format::duration(end.saturating_sub(facts.started_ns)))
            .unwrap_or_default(),
    }
}

fn again(look: &Look<'_>, view: &View) -> Option<(Text, String)> {
    let before = attempts(look.step).take_while(|attempt| !look.is_at(attempt)).last()?;
    let how = match (look.attempt.given, look.attempt.link) {
        (true, _) => "the runtime numbers its attempts".to_owned(),
        (false, Some(link)) => format!("we linked them by {link}"),
        (false, None) => "we linked them".to_owned(),
    };
    let outcome = before.outcome.map(|outcome| format!(" ({outcome})")).unwrap_or_default();
    let reason = if before.reason.is_empty() { "ended".to_owned() } else { shortened(&before.reason, 160) };
    let said = format!("Attempt {}{outcome}: {reason}. That it is the same step: {how}.", before.number);
    Some((Text::new(said), view.to(before)))
}

/// Something that happened, and when.
#[derive(Debug)]
pub(in crate::web) struct Moment {
    /// For machines; empty for now.
    pub(in crate::web) datetime: String,
    pub(in crate::web) at: String,
    pub(in crate::web) text: Text,
}

impl Moment {
    fn at(ns: u64, text: String) -> Self {
        Self { datetime: format::rfc3339(ns), at: format::clock(ns), text: Text::new(text) }
    }

    fn now(text: String) -> Self {
        Self { datetime: String::new(), at: "now".to_owned(), text: Text::new(text) }
    }
}

/// How an attempt became what it is now: its own end, each look-up, and the state that counts.
fn trail(run: &Run, look: &Look<'_>) -> Vec<Moment> {
    let attempt = look.attempt;
    let Some((outcome, evidence)) = attempt.now.filter(|(now, _)| attempt.outcome != Some(*now)) else {
        return Vec::new();
    };
    let mut trail = Vec::new();
    if let (Some(own), Some(ended)) = (attempt.outcome, attempt.record.facts.ended_ns) {
        trail.push(Moment::at(ended, format!("The outcome was {own}.")));
    }
    for lookup in lookups(run, look.step).take(10) {
        let tool = lookup.tool.as_deref().unwrap_or(&lookup.name);
        let reason = attempts(lookup).next_back().map(|attempt| attempt.reason.as_str()).unwrap_or_default();
        let at = attempts(lookup).next().map_or(0, |attempt| attempt.record.facts.started_ns);
        let said = if reason.is_empty() { String::new() } else { format!(": {}", shortened(reason, 200)) };
        let line = format!("Asked {}{said} (step {}).", shortened(tool, 80), lookup.number);
        trail.push(Moment::at(at, line));
    }
    trail.push(Moment::now(format!("{outcome}, {}.", badge::evidence(outcome, evidence))));
    trail
}

fn lookups<'a>(run: &'a Run, step: &RunStep) -> impl Iterator<Item = &'a RunStep> {
    let step_id = step.step_id.clone();
    run.steps.iter().filter(move |other| other.verifies.as_ref() == Some(&step_id))
}

/// How long it could not be told what became of an attempt, where a look-up settled it.
pub(in crate::web) fn unknown_for(run: &Run, look: &Look<'_>) -> Option<String> {
    let was_open = look.attempt.outcome.is_some_and(Outcome::blocks_retry);
    let is_settled = outcome_now(look.attempt).is_some_and(|now| !now.blocks_retry());
    let ended = look.attempt.record.facts.ended_ns.filter(|_| was_open && is_settled)?;
    let settled =
        lookups(run, look.step).flat_map(attempts).filter_map(|attempt| attempt.record.facts.ended_ns);
    let at = settled.filter(|at| *at >= ended).min()?;
    Some(format!("unknown for {}", format::duration(at - ended)))
}
