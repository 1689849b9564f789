//! What one run proves about each of its tools, counted, with an example each: the evidence of readiness.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::{Shown, shown};
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::{Kind, KindSource, Status, words};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::run::{Attempt, Run, RunStep, Whole};

words! {
    /// Something that a run shows about a tool. The words are what the derived table keeps.
    Mark {
        /// A call that was sent and counts as an act.
        Act = "act",
        /// A call that counts as a read or a look-up.
        Read = "read",
        /// A call that the gate held.
        Held = "held",
        /// The runtime itself says of what kind the call is.
        Given = "given",
        /// A rule of the operator or a convention says it.
        Ruled = "ruled",
        /// Its name suggests it, or nobody says it.
        Assumed = "assumed",
        /// An act that passed a gate which reports its decisions.
        Gated = "gated",
        /// A read that sent a changing request.
        ReadWrote = "read-wrote",
        /// A request went out although the gate held the call.
        SentThoughHeld = "sent-though-held",
        /// An act with a key.
        Keyed = "keyed",
        /// An act without one.
        Keyless = "keyless",
        /// A key that names its step or target, so it is seen to be derived from them.
        KeyBound = "key-bound",
        /// A further attempt under the key of the one before.
        KeyKept = "key-kept",
        /// A key that changed, was reused or was made up.
        KeyBroken = "key-broken",
        /// An attempt whose outcome was unknown.
        Unknown = "unknown",
        /// Of these: looked up, read back or resolved before anything else was sent.
        FoundOut = "found-out",
        /// Of these: sent again under the same key.
        Replayed = "replayed",
        /// Of these: sent again blindly.
        Blind = "blind",
        /// Of these: still open.
        LeftOpen = "left-open",
        /// A call that went wrong and came back as a status.
        FailureStatus = "failure-status",
        /// A call that went wrong and came back as a raw error.
        FailureRaw = "failure-raw",
        /// A call that went wrong and came back in words.
        FailureWords = "failure-words",
        /// A call that went wrong, and what came back is not recorded.
        FailureUnseen = "failure-unseen",
        /// A run with this tool.
        Run = "run",
        /// A run that is proven to be whole.
        RunWhole = "run-whole",
        /// A run of which something is missing.
        RunBroken = "run-broken",
        /// A run all of whose model calls came with what the model saw.
        ContextKept = "context-kept",
        /// A run with a model call that came without.
        ContextMissing = "context-missing",
    }
}

/// What rules noticed that counts against an answer.
const AGAINST: &[(Code, Mark)] = &[
    (Code::RetriedWhileUnknown, Mark::Blind),
    (Code::KeyChanged, Mark::KeyBroken),
    (Code::KeyPerAttempt, Mark::KeyBroken),
    (Code::KeyReused, Mark::KeyBroken),
    (Code::KeyFromModel, Mark::KeyBroken),
    (Code::ReadWrote, Mark::ReadWrote),
    (Code::SentThoughHeld, Mark::SentThoughHeld),
];

/// What a run shows about a tool, how often, and where first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMark {
    /// The tool.
    pub tool: String,
    /// What it shows.
    pub mark: Mark,
    /// How often.
    pub count: u32,
    /// The step that shows it.
    pub number: u32,
    /// Its attempt.
    pub trace_id: TraceId,
    /// Its attempt.
    pub span_id: SpanId,
}

/// Everything that a run shows about its tools, by tool and mark.
pub fn marks_of(run: &Run) -> Vec<ToolMark> {
    let mut marking = Marking { found: BTreeMap::new() };
    let mut tools: BTreeMap<&str, (&RunStep, &Attempt)> = BTreeMap::new();
    for step in run.steps.iter().filter(|step| is_tool(step.kind)) {
        let tool = step.tool.as_deref().unwrap_or(&step.name);
        for attempt in step.attempts() {
            tools.entry(tool).or_insert((step, attempt));
            marking.attempt(tool, step, attempt);
        }
        marking.findings(tool, run, step);
    }
    let whole = match run.completeness.verdict {
        Whole::Yes => Some(Mark::RunWhole),
        Whole::No => Some(Mark::RunBroken),
        Whole::NotProvable => None,
    };
    let thinks = run.steps.iter().any(|step| step.kind == Kind::Think);
    let bare = run.findings.iter().any(|finding| finding.code == Code::SnapshotMissing);
    let context = thinks.then_some(if bare { Mark::ContextMissing } else { Mark::ContextKept });
    for (tool, (step, attempt)) in tools {
        for mark in [Some(Mark::Run), whole, context].into_iter().flatten() {
            marking.add(tool, mark, (step, attempt));
        }
    }
    marking.found.into_values().collect()
}

fn is_tool(kind: Kind) -> bool {
    match kind {
        Kind::Read | Kind::Act | Kind::Reconcile => true,
        Kind::Think | Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => false,
    }
}

struct Marking<'a> {
    found: BTreeMap<(&'a str, Mark), ToolMark>,
}

impl<'a> Marking<'a> {
    fn add(&mut self, tool: &'a str, mark: Mark, (step, attempt): (&RunStep, &Attempt)) {
        let facts = &attempt.record.facts;
        let fresh = || ToolMark {
            tool: tool.to_owned(),
            mark,
            count: 0,
            number: step.number,
            trace_id: facts.trace_id,
            span_id: facts.span_id,
        };
        let found = self.found.entry((tool, mark)).or_insert_with(fresh);
        found.count = found.count.saturating_add(1);
    }

    fn attempt(&mut self, tool: &'a str, step: &RunStep, attempt: &Attempt) {
        let facts = &attempt.record.facts;
        let at = (step, attempt);
        let is_act = step.kind == Kind::Act;
        let held = is_act && facts.gate.held();
        self.add(
            tool,
            if held {
                Mark::Held
            } else if is_act {
                Mark::Act
            } else {
                Mark::Read
            },
            at,
        );
        let source = match facts.kind_source {
            KindSource::Given => Mark::Given,
            KindSource::Rule | KindSource::Convention => Mark::Ruled,
            KindSource::Inferred | KindSource::Default => Mark::Assumed,
        };
        self.add(tool, source, at);
        if is_act && facts.gate != Gate::None {
            self.add(tool, Mark::Gated, at);
        }
        if held {
            return;
        }
        if is_act {
            self.key(tool, at);
            self.unknown(tool, at);
        }
        if went_wrong(attempt) {
            let mark = match shown(attempt.result.as_ref(), facts.error.as_ref()) {
                Shown::Status => Mark::FailureStatus,
                Shown::Raw => Mark::FailureRaw,
                Shown::Other => Mark::FailureWords,
                Shown::Nothing => Mark::FailureUnseen,
            };
            self.add(tool, mark, at);
        }
    }

    fn key(&mut self, tool: &'a str, (step, attempt): (&RunStep, &Attempt)) {
        let at = (step, attempt);
        let Some(key) = attempt.record.facts.key.as_deref() else {
            self.add(tool, Mark::Keyless, at);
            return;
        };
        self.add(tool, Mark::Keyed, at);
        let target = step.target.as_deref().map(|target| target.split_once(':').map_or(target, |(_, id)| id));
        let names = |part: &str| part.len() > 2 && key.contains(part);
        if target.is_some_and(names) || names(&step.step_id) && step.step_id != key {
            self.add(tool, Mark::KeyBound, at);
        }
        let before = step.attempts().filter(|other| other.number < attempt.number).last();
        if before.is_some_and(|before| before.record.facts.key.as_deref() == Some(key)) {
            self.add(tool, Mark::KeyKept, at);
        }
    }

    fn unknown(&mut self, tool: &'a str, (step, attempt): (&RunStep, &Attempt)) {
        let at = (step, attempt);
        if attempt.outcome != Some(Outcome::Unknown) {
            return;
        }
        self.add(tool, Mark::Unknown, at);
        match attempt.now {
            Some((_, Evidence::Reconcile | Evidence::ReadBack | Evidence::Resolution)) => {
                self.add(tool, Mark::FoundOut, at);
            }
            Some((Outcome::Confirmed | Outcome::Failed, _)) => self.add(tool, Mark::Replayed, at),
            Some((Outcome::Unknown | Outcome::Submitted, _)) | None => self.add(tool, Mark::LeftOpen, at),
        }
    }

    /// What the rules noticed that counts against an answer.
    fn findings(&mut self, tool: &'a str, run: &Run, step: &RunStep) {
        for finding in step.findings.iter().filter_map(|at| run.findings.get(*at)) {
            let against = AGAINST.iter().find(|(code, _)| *code == finding.code);
            let Some((_, mark)) = against.copied() else { continue };
            let place = |attempt: &Attempt| (attempt.record.facts.trace_id, attempt.record.facts.span_id);
            let shows = |attempt: &&Attempt| finding.spans.contains(&place(attempt));
            let chosen = step.attempts().filter(shows).last().or_else(|| step.attempts().last());
            if let Some(attempt) = chosen {
                self.add(tool, mark, (step, attempt));
            }
        }
    }
}

/// Whether the call did not end as it should, so that the model had to be told something about it.
fn went_wrong(attempt: &Attempt) -> bool {
    let facts = &attempt.record.facts;
    let refused = facts.http.as_ref().and_then(|http| http.status_code).is_some_and(|code| code >= 400);
    let outcome = matches!(attempt.outcome, Some(Outcome::Failed | Outcome::Unknown));
    outcome || refused || facts.status == Status::Error || facts.error.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fold::story::{Story, a_run};
    use crate::domain::outcome::Outcome::Confirmed;
    use crate::domain::step::Facts;

    fn marks(story: &Story) -> Vec<String> {
        marks_of(&story.fold())
            .iter()
            .map(|mark| format!("{} {} {}", mark.tool, mark.mark, mark.count))
            .collect()
    }

    #[test]
    fn a_naive_run_proves_little() {
        let naive = a_run().act("refund").on("order:4812").times_out().result("Error: timed out");
        let found = marks(&naive.act("refund").on("order:4812").think());
        for expected in [
            "refund act 2",
            "refund keyless 2",
            "refund unknown 1",
            "refund left-open 1",
            "refund failure-raw 1",
        ] {
            assert!(found.contains(&expected.to_owned()), "{expected}: {found:?}");
        }
        assert!(found.contains(&"refund blind 1".to_owned()) && found.contains(&"refund run 1".to_owned()));
        assert!(!found.iter().any(|mark| mark.contains("keyed") || mark.contains("run-whole")), "{found:?}");
    }

    #[test]
    fn a_designed_run_proves_much() {
        let given = |facts: &mut Facts| facts.kind_source = KindSource::Given;
        let act = |story: Story| {
            let story = story.act("refund").step("st-3").on("order:4812").key("r1:st-3:refund:4812");
            story.with(given)
        };
        let story = act(a_run()).gate(Gate::New).times_out().result("{\"status\":\"outcome_unknown\"}");
        let story = story.reconcile("find", Some(Confirmed)).verifies("st-3");
        let found = marks(&act(story).gate(Gate::Duplicate));
        for expected in [
            "refund act 1",
            "refund held 1",
            "refund gated 2",
            "refund given 2",
            "refund keyed 1",
            "refund key-bound 1",
            "refund found-out 1",
            "refund failure-status 1",
            "find read 1",
        ] {
            assert!(found.contains(&expected.to_owned()), "{expected}: {found:?}");
        }
        assert!(!found.iter().any(|mark| mark.contains("blind") || mark.contains("left-open")), "{found:?}");
    }
}
