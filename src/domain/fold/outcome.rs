//! What one attempt came to, and why we say so: conventions.md section 4 in code.
use std::borrow::Cow;

use crate::domain::finding::Code;
use crate::domain::fold::answer::{Answer, Loss, Why};
use crate::domain::fold::node::Node;
use crate::domain::fold::recognise::{of_failure, of_http};
use crate::domain::fold::words::took;
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::step::Failure;

/// What one attempt came to, before anybody looked it up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// `None` on what is no act, on held calls and on pauses.
    pub(super) outcome: Option<Outcome>,
    pub(super) evidence: Option<Evidence>,
    /// In words.
    pub(super) reason: Cow<'static, str>,
    /// What came back.
    pub(super) answer: Answer,
    /// When a submitted attempt becomes unknown by itself.
    pub(super) lapses_at: Option<u64>,
    /// The runtime said `failed` where no answer came.
    pub(super) failed_is_unknown: bool,
    /// It waits for somebody: neither failed nor unknown.
    pub(super) paused: bool,
}

/// Reads one attempt with its evidence.
pub(super) fn told(node: &Node<'_>, evidence: &[&Node<'_>], now_ns: u64) -> Told {
    let (answer, span_ns) = best_answer(node, evidence);
    let mut told = Told {
        outcome: None,
        evidence: None,
        reason: reason(answer, span_ns),
        answer,
        lapses_at: None,
        failed_is_unknown: false,
        paused: false,
    };
    if node.missing {
        told.reason = "Not received yet".into();
    } else if is_paused(node) {
        told.paused = true;
        told.reason = "Paused".into();
    } else if node.kind != Kind::Act {
        not_an_act(&mut told, node, now_ns);
    } else if node.facts().gate.held() {
        told.reason = match node.facts().gate {
            Gate::Duplicate => "Held by the gate: done before",
            Gate::Unknown | Gate::New | Gate::None => "Held by the gate: an earlier attempt is unknown",
        }
        .into();
    } else if node.facts().outcome.is_some() {
        given(&mut told, node, now_ns);
    } else if node.open && answer == Answer::Fine {
        unanswered(&mut told, node, now_ns);
    } else {
        let (outcome, evidence) = of_answer(answer);
        told.outcome = Some(outcome);
        told.evidence = Some(evidence);
        if outcome == Outcome::Confirmed && node.facts().read_back_required {
            told.outcome = Some(Outcome::Submitted);
        }
    }
    told
}

fn not_an_act(told: &mut Told, node: &Node<'_>, now_ns: u64) {
    if node.open && told.answer == Answer::Fine {
        told.reason = if node.lapsed(now_ns) {
            format!("No end received after {}", took(now_ns.saturating_sub(node.start))).into()
        } else {
            "Still running".into()
        };
    } else if !node.is_work() || node.kind == Kind::Wait {
        // Containers and waits ask nobody: an error that passed through them says nothing about an answer.
        told.reason = if told.answer == Answer::Fine { "Ended" } else { "Ended with an error" }.into();
    } else if told.answer == Answer::Fine {
        told.reason = "Answered OK".into();
    } else if told.answer == Answer::Unclear {
        told.reason = "It went wrong".into();
    }
}

/// What the runtime says counts, except that no runtime can turn a missing answer into a "no".
fn given(told: &mut Told, node: &Node<'_>, now_ns: u64) {
    let facts = node.facts();
    let Some(outcome) = facts.outcome else { return };
    let evidence = facts.evidence.unwrap_or(Evidence::Given);
    match outcome {
        Outcome::Failed if told.answer.like_timeout() => {
            told.failed_is_unknown = true;
            told.outcome = Some(Outcome::Unknown);
            told.evidence = Some(Evidence::Timeout);
        }
        Outcome::Submitted if told.answer == Answer::Fine => unanswered(told, node, now_ns),
        Outcome::Submitted => {
            let (outcome, evidence) = of_answer(told.answer);
            told.outcome = Some(outcome);
            told.evidence = Some(evidence);
        }
        Outcome::Confirmed | Outcome::Failed | Outcome::Unknown => {
            told.outcome = Some(outcome);
            told.evidence = Some(evidence);
            // The answer says it more precisely, where it says the same.
            if told.answer == Answer::Fine || of_answer(told.answer).0 != outcome {
                told.reason = given_reason(outcome, evidence).into();
            }
        }
    }
}

fn given_reason(outcome: Outcome, evidence: Evidence) -> String {
    let how = match evidence {
        Evidence::ReadBack => ", by reading it back",
        Evidence::Reconcile => ", by looking it up",
        Evidence::Timeout => ": no answer came",
        Evidence::Given | Evidence::Status | Evidence::Error | Evidence::Resolution => "",
    };
    format!("The runtime says {outcome}{how}")
}

/// Sent, and nothing came back: submitted until the deadline, unknown after it.
fn unanswered(told: &mut Told, node: &Node<'_>, now_ns: u64) {
    told.lapses_at = Some(node.lapses_at());
    if now_ns >= node.lapses_at() {
        told.outcome = Some(Outcome::Unknown);
        told.evidence = Some(Evidence::Timeout);
        let silence = took(now_ns.saturating_sub(node.start.min(node.received)));
        told.reason = format!("No answer after {silence}").into();
    } else {
        told.outcome = Some(Outcome::Submitted);
        told.evidence = node.facts().evidence.or(node.facts().outcome.map(|_| Evidence::Given));
        told.reason = "Sent, no answer yet".into();
    }
}

fn of_answer(answer: Answer) -> (Outcome, Evidence) {
    match answer {
        Answer::Fine => (Outcome::Confirmed, Evidence::Status),
        Answer::Accepted => (Outcome::Submitted, Evidence::Status),
        Answer::Refused(_) | Answer::Throttled | Answer::NeverSent(_) => (Outcome::Failed, Evidence::Error),
        Answer::Lost(_) => (Outcome::Unknown, Evidence::Timeout),
        Answer::Broken(_) | Answer::Unclear => (Outcome::Unknown, Evidence::Error),
    }
}

/// The most precise answer there is, and how long the call took that gave it: child HTTP calls before the
/// step's own HTTP status, that before its error type, that before its error text, that before its status.
fn best_answer(node: &Node<'_>, evidence: &[&Node<'_>]) -> (Answer, u64) {
    let own = own_answer(node);
    let mut calls: Vec<&&Node<'_>> = evidence.iter().filter(|call| call.changes()).collect();
    if calls.is_empty() {
        calls = evidence.iter().filter(|call| call.is_tool() || own != Answer::Fine).collect();
    }
    let mut lost = None;
    let mut last = None;
    for call in calls {
        let Some(answer) = call_answer(call) else { continue };
        if matches!(answer, Answer::Fine | Answer::Accepted) {
            lost = None;
        } else if answer.may_have_happened() {
            lost = Some((answer, length(call)));
        }
        last = Some((answer, length(call)));
    }
    match (lost, last) {
        (Some(lost), _) => lost,
        // It answered well, and then something went wrong here: what it did is not said by either.
        (None, Some((Answer::Fine | Answer::Accepted, _))) if own != Answer::Fine => (own, length(node)),
        (None, Some(last)) => last,
        (None, None) => (own, length(node)),
    }
}

fn own_answer(node: &Node<'_>) -> Answer {
    let facts = node.facts();
    let told = of_http(facts.http.as_ref(), facts.error.as_ref(), node.erred());
    if let Some(answer) = told.filter(|answer| *answer != Answer::Unclear) {
        // A good status does not outweigh an error that the span tells as well.
        return match (answer, facts.error.as_ref()) {
            (Answer::Fine | Answer::Accepted, Some(failure)) => of_failure(failure),
            (answer, _) => answer,
        };
    }
    let prose = Failure { kind: String::new(), message: facts.status_message.clone() };
    match told {
        Some(_) => of_failure(&prose),
        None => Answer::Fine,
    }
}

fn call_answer(call: &Node<'_>) -> Option<Answer> {
    let facts = call.facts();
    let erred = call.erred();
    let told = of_http(facts.http.as_ref(), facts.error.as_ref(), erred);
    if call.open && told.is_none() {
        return Some(Answer::Lost(Loss::Timeout));
    }
    // An HTTP call that went wrong without a status got no answer, whatever else it tells.
    let unanswered = told == Some(Answer::Unclear) && call.kind == Kind::Transport;
    let told = told.map(|answer| if unanswered { Answer::Lost(Loss::Timeout) } else { answer });
    told.or((!erred && call.is_tool()).then_some(Answer::Fine))
}

fn length(node: &Node<'_>) -> u64 {
    node.end.unwrap_or(node.start).saturating_sub(node.start)
}

/// Control flow by exception: a pause for approval is shown as an error by most instrumentation.
fn is_paused(node: &Node<'_>) -> bool {
    let facts = node.facts();
    let kind = facts.error.as_ref().map_or("", |failure| failure.kind.as_str());
    let last = kind.rsplit(['.', ':']).next().unwrap_or_default();
    facts.findings.iter().any(|finding| finding.code == Code::Paused)
        || matches!(last, "GraphInterrupt" | "NodeInterrupt" | "CallDeferred" | "ApprovalRequired")
}

fn reason(answer: Answer, span_ns: u64) -> Cow<'static, str> {
    let words = match answer {
        Answer::Fine => "Answered OK, not read back",
        Answer::Accepted => "Accepted with 202, not seen done",
        Answer::Refused(Some(409)) => "Refused with 409: it may be done already",
        Answer::Refused(Some(code)) => return format!("Refused with {code}").into(),
        Answer::Refused(None) => "Refused",
        Answer::Throttled => "Refused with 429, not executed",
        Answer::NeverSent(Why::NoConnection) => "Never sent: no connection",
        Answer::NeverSent(Why::Invalid) => "Never sent: the call was invalid",
        Answer::NeverSent(Why::Denied) => "Never sent: not approved",
        Answer::Lost(Loss::Timeout) if span_ns == 0 => "No answer came",
        Answer::Lost(Loss::Timeout) => return format!("No answer after {}", took(span_ns)).into(),
        Answer::Lost(Loss::Broke) => "The connection broke before an answer came",
        Answer::Lost(Loss::Cancelled) => "Cancelled before an answer came",
        Answer::Broken(code) => return format!("Answered {code}: we can't say what it did").into(),
        Answer::Unclear => "It went wrong, and nothing says whether it was done",
    };
    words.into()
}
