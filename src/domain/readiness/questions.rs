//! The six questions, each a pure rule over what is known of a tool.
use crate::domain::counting::{counted, grouped};
use crate::domain::readiness::answer::{Answer, Reply};
use crate::domain::readiness::marks::Mark;
use crate::domain::readiness::sheet::{Decided, ToolSheet};

/// One of the six.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// Its place on the checklist, from 1.
    pub number: u8,
    /// A few words, for the head of a column.
    pub short: &'static str,
    /// The question.
    pub text: &'static str,
    /// Answers it for one tool.
    pub ask: fn(&ToolSheet, &Decided) -> Reply,
}

/// The checklist.
pub const QUESTIONS: [Question; 6] = [
    Question {
        number: 1,
        short: "Read or act, enforced in code",
        text: "Can every tool be classified as read-only or side-effecting, and is that enforced in code \
               rather than by prompt?",
        ask: |sheet, _| enforced(sheet),
    },
    Question {
        number: 2,
        short: "Key on every act",
        text: "Does every side-effecting call carry a key derived from run, step, target and action?",
        ask: |sheet, _| keyed(sheet),
    },
    Question {
        number: 3,
        short: "Defined behaviour when unknown",
        text: "Is there a defined behaviour, reconcile, replay or escalate, for each tool when the outcome \
               is unknown?",
        ask: |sheet, _| when_unknown(sheet),
    },
    Question {
        number: 4,
        short: "Structured status to the model",
        text: "Does the model receive structured failure statuses instead of raw errors it can improvise \
               around?",
        ask: |sheet, _| status(sheet),
    },
    Question {
        number: 5,
        short: "Rebuilds step by step",
        text: "Can you reconstruct any past run step by step, including retries and the context at each \
               point?",
        ask: |sheet, _| rebuilt(sheet),
    },
    Question {
        number: 6,
        short: "Retention and redaction decided",
        text: "Are trace retention and redaction decided, not defaulted?",
        ask: |_, decided| kept(decided),
    },
];

const CLASSIFIED: &[(Mark, &str)] = &[
    (Mark::Given, "calls classified by the runtime"),
    (Mark::Ruled, "calls classified by a rule or a convention"),
    (Mark::Assumed, "calls that nobody classified"),
    (Mark::Gated, "calls that passed a gate"),
    (Mark::ReadWrote, "reads that sent a changing request"),
    (Mark::SentThoughHeld, "calls sent although the gate held them"),
];

fn enforced(sheet: &ToolSheet) -> Reply {
    let n = |mark| sheet.count(mark);
    let acts = n(Mark::Act) + n(Mark::Held);
    let calls = acts + n(Mark::Read);
    let classify = "Send recount.step.kind from the code that runs the tool, and route acts through a gate \
                    that reports recount.gate.decision.";
    let reply = if calls == 0 {
        Reply::new(Answer::NotVisible, "It was not called in this time.", "A call.")
    } else if n(Mark::ReadWrote) > 0 {
        let why = counted(n(Mark::ReadWrote), "call that counts as a read", "calls that count as reads");
        let why = format!("{why} sent a changing request.");
        Reply::new(Answer::No, why, "Classify it as an act, in the code that runs it.")
    } else if n(Mark::SentThoughHeld) > 0 {
        let why = counted(n(Mark::SentThoughHeld), "held call", "held calls");
        let why = format!("{why} went out all the same.");
        Reply::new(Answer::No, why, "Let the gate return before the client is called.")
    } else if n(Mark::Given) < calls {
        match n(Mark::Given) + n(Mark::Ruled) {
            0 => Reply::new(Answer::No, "Nobody says whether it reads or acts.", classify),
            told => {
                let why = format!(
                    "{told} of {} classified, {} of these by the runtime itself; the rest is a rule that \
                     code need not follow.",
                    counted(calls, "call is", "calls are"),
                    n(Mark::Given)
                );
                Reply::new(Answer::Partly, why, classify)
            }
        }
    } else if n(Mark::Gated) < acts {
        let why =
            format!("The runtime says that it acts; {} of {} passed a gate.", n(Mark::Gated), acted(acts));
        Reply::new(Answer::Partly, why, "Route every act through the gate, and report its decision.")
    } else if acts > 0 {
        let why = format!(
            "The runtime classifies {calls}, and every act passed the gate.",
            calls = every(calls, "call")
        );
        Reply::new(Answer::Yes, why, "")
    } else {
        let why =
            format!("The runtime classifies {} as a read, and none was seen to write.", every(calls, "call"));
        Reply::new(Answer::Yes, why, "")
    };
    reply.by(sheet, CLASSIFIED)
}

fn keyed(sheet: &ToolSheet) -> Reply {
    let n = |mark| sheet.count(mark);
    let (sent, with, broken) = (n(Mark::Act), n(Mark::Keyed), n(Mark::KeyBroken));
    let shown = n(Mark::KeyBound) + n(Mark::KeyKept);
    let derive = "Derive one key from run, step, target and action before the first attempt, store it with \
                  the intent, and send it with every attempt.";
    let reply = if !sheet.acts() {
        Reply::new(Answer::DoesNotApply, "It only reads.", "")
    } else if sent == 0 {
        Reply::new(Answer::NotVisible, "Every call was held; none was sent.", "An act that is sent.")
    } else if with == 0 {
        Reply::new(Answer::No, format!("None of {} carried a key.", acted(sent)), derive)
    } else if broken > 0 && shown == 0 {
        let why = format!(
            "A key changed, was used for something else or came from the model, {}.",
            counted(broken, "time", "times")
        );
        Reply::new(Answer::No, why, derive)
    } else if with < sent || broken > 0 {
        let why = format!(
            "{with} of {} carried a key; it was not the right one {}.",
            acted(sent),
            counted(broken, "time", "times")
        );
        Reply::new(Answer::Partly, why, derive)
    } else if shown == 0 {
        let why = format!(
            "A key went with {}, and nothing shows what it is derived from: none was tried again.",
            every(sent, "act")
        );
        Reply::new(
            Answer::Partly,
            why,
            "A retry that carries the same key, or keys that name step and target.",
        )
    } else {
        let why = format!(
            "A key went with {}; {} a step or target, {} the key.",
            every(sent, "act"),
            counted(n(Mark::KeyBound), "key names", "keys name"),
            counted(n(Mark::KeyKept), "retry kept", "retries kept")
        );
        Reply::new(Answer::Yes, why, "")
    };
    reply.by(
        sheet,
        &[
            (Mark::Keyed, "acts with a key"),
            (Mark::Keyless, "acts without a key"),
            (Mark::KeyBound, "keys that name their step or target"),
            (Mark::KeyKept, "retries under the same key"),
            (Mark::KeyBroken, "keys that changed, were reused or made up"),
        ],
    )
}

fn when_unknown(sheet: &ToolSheet) -> Reply {
    let n = |mark| sheet.count(mark);
    let (unknown, blind) = (n(Mark::Unknown), n(Mark::Blind));
    let handled = n(Mark::FoundOut) + n(Mark::Replayed);
    let write =
        "Set on_unknown for the tool in recount.toml, and let the executor do it before anything else.";
    let reply = match (sheet.acts(), sheet.ruled.on_unknown) {
        (false, _) => Reply::new(Answer::DoesNotApply, "It only reads.", ""),
        (true, _) if blind > 0 => {
            let why = format!(
                "Sent again blindly {blind} of {} that the outcome was unknown.",
                counted(unknown, "time", "times")
            );
            Reply::new(Answer::No, why, "Let unknown block the repeat until a look-up has settled it.")
        }
        (true, Some(rule)) if unknown == 0 => {
            let why =
                format!("The rule is {rule}; no outcome was unknown, so nothing shows that it is followed.");
            Reply::new(Answer::Partly, why, "An unknown outcome that is dealt with as the rule says.")
        }
        (true, None) if unknown == 0 => {
            Reply::new(Answer::NotVisible, "No outcome was unknown, and no rule says what to do then.", write)
        }
        (true, rule) if handled < unknown => {
            let why = format!(
                "{} of {} open; the rule is {}.",
                unknown - handled,
                counted(unknown, "unknown outcome is", "unknown outcomes are"),
                rule.unwrap_or("not set")
            );
            let answer = if handled == 0 && rule.is_none() { Answer::No } else { Answer::Partly };
            Reply::new(answer, why, "A look-up for every unknown outcome, or somebody who resolves its case.")
        }
        (true, Some(rule)) => {
            let why = format!(
                "The rule is {rule}, and {} was settled before a repeat.",
                every(unknown, "unknown outcome")
            );
            Reply::new(Answer::Yes, why, "")
        }
        (true, None) => {
            let why = format!(
                "A look-up or a repeat under the key settled {}, but no rule says so.",
                every(unknown, "unknown outcome")
            );
            Reply::new(Answer::Partly, why, write)
        }
    };
    reply.by(
        sheet,
        &[
            (Mark::Unknown, "unknown outcomes"),
            (Mark::FoundOut, "looked up, read back or resolved"),
            (Mark::Replayed, "sent again under the same key"),
            (Mark::Blind, "sent again blindly"),
            (Mark::LeftOpen, "still open"),
        ],
    )
}

fn status(sheet: &ToolSheet) -> Reply {
    let n = |mark| sheet.count(mark);
    let (good, raw, words) = (n(Mark::FailureStatus), n(Mark::FailureRaw), n(Mark::FailureWords));
    let (seen, unseen) = (good + raw + words, n(Mark::FailureUnseen));
    let wrap =
        "Catch errors in the executor and hand the model a status: what is known, and what happens next.";
    let reply = if seen + unseen == 0 {
        Reply::new(Answer::NotVisible, "No call went wrong in this time.", "A call that goes wrong.")
    } else if seen == 0 {
        let why = format!(
            "{} wrong, and what came back is not recorded.",
            counted(unseen, "call went", "calls went")
        );
        Reply::new(Answer::NotVisible, why, "Turn on the capture of tool results.")
    } else if good == seen {
        Reply::new(Answer::Yes, format!("A status came back for {}.", every(seen, "recorded failure")), "")
    } else if good == 0 && raw > 0 {
        Reply::new(
            Answer::No,
            format!(
                "{raw} of {} came back as a raw error, none as a status.",
                counted(seen, "failure", "failures")
            ),
            wrap,
        )
    } else {
        let why = format!(
            "{good} of {} came back as a status, {raw} as a raw error.",
            counted(seen, "failure", "failures")
        );
        Reply::new(Answer::Partly, why, wrap)
    };
    reply.by(
        sheet,
        &[
            (Mark::FailureStatus, "failures told as a status"),
            (Mark::FailureRaw, "failures told as a raw error"),
            (Mark::FailureWords, "failures told in words"),
            (Mark::FailureUnseen, "failures of which the result is not recorded"),
        ],
    )
}

fn rebuilt(sheet: &ToolSheet) -> Reply {
    let n = |mark| sheet.count(mark);
    let (runs, whole, broken) = (n(Mark::Run), n(Mark::RunWhole), n(Mark::RunBroken));
    let (saw, blank) = (n(Mark::ContextKept), n(Mark::ContextMissing));
    let send = "Send recount.run.step_count on the last span, capture what the model saw, and flush before \
                stopping.";
    let reply = if runs == 0 {
        Reply::new(Answer::NotVisible, "No run with it in this time.", "A run.")
    } else if broken == runs || (saw == 0 && blank > 0) {
        let why = format!(
            "{broken} of {} gaps; what the model saw is missing in {blank}.",
            counted(runs, "run has", "runs have")
        );
        Reply::new(Answer::No, why, send)
    } else if whole == runs && saw == runs {
        let why = format!(
            "The record is proven whole of {}, with what the model saw at each step.",
            every(runs, "run")
        );
        Reply::new(Answer::Yes, why, "")
    } else {
        let why = format!(
            "{whole} of {} proven whole; with gaps: {broken}; with what the model saw: {saw}.",
            counted(runs, "run is", "runs are")
        );
        Reply::new(Answer::Partly, why, send)
    };
    reply.by(
        sheet,
        &[
            (Mark::Run, "runs"),
            (Mark::RunWhole, "runs proven whole"),
            (Mark::RunBroken, "runs with gaps"),
            (Mark::ContextKept, "runs with what the model saw"),
            (Mark::ContextMissing, "runs without what the model saw"),
        ],
    )
}

fn kept(decided: &Decided) -> Reply {
    let Decided { retention, redaction } = decided;
    let (answer, change) = match (retention.by_somebody, redaction.by_somebody) {
        (true, true) => (Answer::Yes, ""),
        (true, false) => (Answer::Partly, "Set [redaction] in recount.toml."),
        (false, true) => (Answer::Partly, "Set [retention] in recount.toml."),
        (false, false) => (Answer::No, "Set [retention] and [redaction] in recount.toml."),
    };
    Reply::new(answer, format!("{} {}", retention.said, redaction.said).trim(), change)
}

/// `the one call`, `each of 12 calls`.
fn every(number: u64, what: &str) -> String {
    match number {
        1 => format!("the one {what}"),
        _ => format!("each of {} {what}s", grouped(number)),
    }
}

fn acted(number: u64) -> String {
    counted(number, "act", "acts")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::readiness::sheet::{Decision, Ruled, Tally};

    fn sheet(marks: &[(Mark, u64)]) -> ToolSheet {
        let tallies = marks.iter().map(|(mark, count)| (*mark, Tally { count: *count, ..Tally::default() }));
        ToolSheet { tool: "refund".to_owned(), tallies: tallies.collect(), ..ToolSheet::default() }
    }

    fn ruled(marks: &[(Mark, u64)]) -> ToolSheet {
        ToolSheet { ruled: Ruled { on_unknown: Some("reconcile") }, ..sheet(marks) }
    }

    fn answers(number: usize, cases: Vec<(ToolSheet, Answer)>) {
        let question = QUESTIONS[number - 1];
        for (sheet, answer) in cases {
            let reply = (question.ask)(&sheet, &Decided::default());
            assert_eq!(reply.answer, answer, "question {number}: {:?}: {}", sheet.tallies, reply.why);
            assert_eq!(reply.change.is_empty(), matches!(answer, Answer::Yes | Answer::DoesNotApply));
            let seen = sheet.tallies.values().any(|tally| tally.count > 0);
            assert!(answer != Answer::Yes || (seen && !reply.proofs.is_empty()), "yes needs evidence");
        }
    }

    #[test]
    fn nothing_seen_is_never_yes() {
        let nothing = sheet(&[]);
        for question in QUESTIONS {
            let reply = (question.ask)(&nothing, &Decided::default());
            assert_ne!(reply.answer, Answer::Yes, "{}", question.text);
        }
    }

    #[test]
    fn one_classified_and_enforced() {
        use Mark::*;
        answers(
            1,
            vec![
                (sheet(&[(Act, 3), (Given, 3), (Gated, 3)]), Answer::Yes),
                (sheet(&[(Act, 2), (Held, 1), (Given, 3), (Gated, 2)]), Answer::Partly),
                (sheet(&[(Read, 9), (Given, 9)]), Answer::Yes),
                (sheet(&[(Read, 9), (Given, 9), (ReadWrote, 1)]), Answer::No),
                (sheet(&[(Act, 3), (Given, 3), (Gated, 3), (SentThoughHeld, 1)]), Answer::No),
                (sheet(&[(Act, 3), (Ruled, 3)]), Answer::Partly),
                (sheet(&[(Act, 3), (Assumed, 3)]), Answer::No),
                (sheet(&[]), Answer::NotVisible),
            ],
        );
    }

    #[test]
    fn two_keys() {
        use Mark::*;
        answers(
            2,
            vec![
                (sheet(&[(Act, 3), (Keyed, 3), (KeyBound, 3)]), Answer::Yes),
                (sheet(&[(Act, 3), (Keyed, 3), (KeyKept, 1)]), Answer::Yes),
                (sheet(&[(Act, 3), (Keyed, 3)]), Answer::Partly),
                (sheet(&[(Act, 3), (Keyed, 2), (Keyless, 1), (KeyBound, 2)]), Answer::Partly),
                (sheet(&[(Act, 3), (Keyed, 3), (KeyBroken, 1)]), Answer::No),
                (sheet(&[(Act, 3), (Keyless, 3)]), Answer::No),
                (sheet(&[(Held, 3)]), Answer::NotVisible),
                (sheet(&[(Read, 3)]), Answer::DoesNotApply),
            ],
        );
    }

    #[test]
    fn three_unknown_outcomes() {
        use Mark::*;
        answers(
            3,
            vec![
                (ruled(&[(Act, 3), (Unknown, 2), (FoundOut, 2)]), Answer::Yes),
                (ruled(&[(Act, 3), (Unknown, 2), (Replayed, 2)]), Answer::Yes),
                (ruled(&[(Act, 3)]), Answer::Partly),
                (ruled(&[(Act, 3), (Unknown, 2), (FoundOut, 1), (LeftOpen, 1)]), Answer::Partly),
                (ruled(&[(Act, 3), (Unknown, 2), (FoundOut, 2), (Blind, 1)]), Answer::No),
                (sheet(&[(Act, 3), (Unknown, 2), (FoundOut, 2)]), Answer::Partly),
                (sheet(&[(Act, 3), (Unknown, 2), (LeftOpen, 2)]), Answer::No),
                (sheet(&[(Act, 3)]), Answer::NotVisible),
                (sheet(&[(Read, 3)]), Answer::DoesNotApply),
            ],
        );
    }

    #[test]
    fn four_what_the_model_is_told() {
        use Mark::*;
        answers(
            4,
            vec![
                (sheet(&[(Act, 3), (FailureStatus, 2)]), Answer::Yes),
                (sheet(&[(Act, 3), (FailureStatus, 2), (FailureRaw, 1)]), Answer::Partly),
                (sheet(&[(Act, 3), (FailureWords, 1)]), Answer::Partly),
                (sheet(&[(Act, 3), (FailureRaw, 1)]), Answer::No),
                (sheet(&[(Act, 3), (FailureUnseen, 1)]), Answer::NotVisible),
                (sheet(&[(Act, 3)]), Answer::NotVisible),
            ],
        );
    }

    #[test]
    fn five_runs_rebuilt() {
        use Mark::*;
        answers(
            5,
            vec![
                (sheet(&[(Run, 2), (RunWhole, 2), (ContextKept, 2)]), Answer::Yes),
                (sheet(&[(Run, 2), (ContextKept, 2)]), Answer::Partly),
                (sheet(&[(Run, 2), (RunWhole, 1), (RunBroken, 1), (ContextKept, 2)]), Answer::Partly),
                (sheet(&[(Run, 2), (RunWhole, 2), (ContextMissing, 2)]), Answer::No),
                (sheet(&[(Run, 2), (RunBroken, 2), (ContextKept, 2)]), Answer::No),
                (sheet(&[]), Answer::NotVisible),
            ],
        );
    }

    #[test]
    fn six_is_decided_by_settings_alone() {
        let of = |retention: bool, redaction: bool| {
            let decision = |said: &str, by_somebody| Decision { said: said.to_owned(), by_somebody };
            let decided = Decided {
                retention: decision("Acts are kept 7 years.", retention),
                redaction: decision("5 rules are on.", redaction),
            };
            let reply = (QUESTIONS[5].ask)(&sheet(&[]), &decided);
            assert_eq!(reply.why, "Acts are kept 7 years. 5 rules are on.", "what is in force is said");
            reply.answer
        };
        assert_eq!(
            [of(true, true), of(true, false), of(false, false)],
            [Answer::Yes, Answer::Partly, Answer::No]
        );
    }
}
