//! The glossary: every word of the product with one plain definition. A test holds it against the words that
//! kinds, outcomes, gates, evidence, states and roles are written with.

/// A word.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Word {
    /// As it is written on pages, in the API and in tables.
    pub(in crate::web) word: &'static str,
    /// What it means, in one or two sentences.
    pub(in crate::web) means: &'static str,
    /// Where to see it; empty for none.
    pub(in crate::web) at: &'static str,
}

/// Words of one kind.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Group {
    /// Such as "What agents do".
    pub(in crate::web) name: &'static str,
    /// What they have in common; may be empty.
    pub(in crate::web) says: &'static str,
    /// The words, in the order in which they explain one another.
    pub(in crate::web) words: &'static [Word],
}

const fn word(word: &'static str, means: &'static str) -> Word {
    Word { word, means, at: "" }
}

const fn seen(word: &'static str, at: &'static str, means: &'static str) -> Word {
    Word { word, means, at }
}

/// Every word.
pub(in crate::web) const GROUPS: &[Group] = &[
    Group {
        name: "What agents do",
        says: "",
        words: &[
            word(
                "project",
                "The tenant that records belong to. It comes from the credential, never from what was \
                 sent.",
            ),
            seen("run", "/runs", "One execution of an agent, over one or more traces and workers."),
            word("session", "A conversation. It holds runs."),
            word("step", "One planned piece of work in a run, with every attempt at it."),
            word(
                "attempt",
                "One execution of a step: one span. A retry is attempt 2 of its step, whoever ran it.",
            ),
            word("retry", "An attempt beyond the first of its step."),
            word("kind", "What sort of work a step is, and so whether it may be repeated."),
            word("tool", "What a step calls, by its name."),
            word("target", "What an act is on, such as order:4812."),
            word("action", "What an act intends: a tool on a target, under one key, over all its attempts."),
            seen(
                "key",
                "/keys",
                "The idempotency key of an act: made before the first attempt, and the same for every \
                 retry.",
            ),
            word("entity", "Something acted upon or for, written type:id, such as order:4812."),
            seen("account", "/accounts", "An entity of the type account: whose matters an agent works on."),
            word(
                "agent",
                "The program that decides and acts, by its name; as a kind, the span of an agent or sub- \
                 agent, a container of steps.",
            ),
            word("worker", "The process that ran an attempt."),
            word(
                "epoch",
                "The number of a worker's lease on a run. It rises when another worker takes over; a \
                 lower one is stale.",
            ),
            word("snapshot", "What the model saw before it decided: its messages, instructions and tools."),
            word(
                "proposal",
                "A tool call that a model asked for. It may be executed, changed, or never executed.",
            ),
            word("parameters", "What a model was called with besides its messages, such as its temperature."),
        ],
    },
    Group {
        name: "Kinds of steps",
        says: "",
        words: &[
            word("think", "A model call. Repeating it costs tokens, and the answer may differ."),
            word("read", "A tool call without effects. Repeating it is harmless."),
            word(
                "act",
                "A tool call with effects. Repeating it may do it twice. A tool that nobody classified \
                 counts as one.",
            ),
            word(
                "reconcile",
                "A step that asks what became of an act; as evidence: such a step found it out. Also \
                 called a look-up.",
            ),
            word("wait", "An approval or a sleep."),
            word("transport", "An HTTP or MCP call below a step: evidence for it, never a step of its own."),
            word("other", "Plumbing of a framework, folded away."),
        ],
    },
    Group {
        name: "What became of an act",
        says: "An attempt keeps its own outcome for ever. What is known now stands beside it.",
        words: &[
            word("outcome", "What became of an act: submitted, confirmed, failed or unknown."),
            word("submitted", "Sent, and no answer yet; or accepted and not yet seen done."),
            word("confirmed", "It happened."),
            word("failed", "It did not happen: it was refused, or never sent."),
            word(
                "unknown",
                "Nobody knows whether it happened. Never shown as failed and never as done. As a word of \
                 the gate: an earlier attempt is unknown, so the call was held.",
            ),
            word("deadline", "When an act that was sent without an answer becomes unknown by itself."),
            word("effect", "What an act changed in the world, once, however many attempts it took."),
            word("double effect", "The same effect made twice."),
            word("value", "The money or amount at stake in an act."),
            word("compensation", "An act that undoes another one."),
        ],
    },
    Group {
        name: "Why an outcome is believed",
        says: "",
        words: &[
            word("evidence", "Why an outcome is believed."),
            word("given", "The runtime said so."),
            word(
                "status",
                "The call answered OK. That a request was accepted does not prove that it took effect.",
            ),
            word("error", "An explicit refusal."),
            word("timeout", "No answer came. That proves nothing either way."),
            word("read_back", "Somebody looked at the thing itself afterwards."),
            word("resolution", "A person or a job closed the case, and said what shows it."),
        ],
    },
    Group {
        name: "What the gate decided",
        says: "The gate is asked before a call is sent. A held call has no outcome: nothing was sent.",
        words: &[
            word("gate", "The piece of your code that decides whether a call is sent."),
            word("new", "Nothing was sent under this key before: the call went out."),
            word("duplicate", "It was done before: the call was held, and the first result returned."),
            word("none", "No gate reported; of a run: it made no act."),
        ],
    },
    Group {
        name: "Unknowns and who settles them",
        says: "",
        words: &[
            seen(
                "case",
                "/unknowns",
                "An act that is or was unknown, with its owner, its age and a way out.",
            ),
            word("waiting", "Of a case: the act is submitted and not unknown yet."),
            word("open", "Of a case: nobody knows, and nobody has said."),
            word("pending", "Of a case: somebody closed it, and a second person has not agreed yet."),
            word("resolved", "Of a case: it is known, by a resolution or by evidence."),
            word("owner", "Who finds out what became of a case."),
            word(
                "policy",
                "What a tool's rule says to do when its act is unknown: reconcile, replay or escalate.",
            ),
            word(
                "window",
                "How long a provider remembers a key. After it, sending again under the same key may act \
                 twice.",
            ),
        ],
    },
    Group {
        name: "Whether a run is over, and its record whole",
        says: "",
        words: &[
            word("running", "Something of the run started and has not ended, and was heard of lately."),
            word("ended", "Everything of the run that started has ended."),
            word("lost", "Something of the run never ended, and nothing was heard for a while."),
            word("verdict", "One line that says what a run amounts to."),
            word(
                "completeness",
                "Whether the record of a run is whole. It is told apart from what the run did.",
            ),
            word("yes", "Of completeness: the runtime's own count of steps proves that nothing is missing."),
            word("no", "Of completeness: something is missing, and the page says what."),
            word("not_provable", "Of completeness: nothing is known to be missing, and nothing proves it."),
            word("gap", "A step or attempt that must have existed and did not arrive."),
            seen(
                "finding",
                "/findings",
                "Something odd or dangerous that was noticed, with the steps that show it.",
            ),
            seen(
                "readiness",
                "/readiness",
                "Six questions for each tool before an agent may act alone, answered by what was \
                 recorded.",
            ),
        ],
    },
    Group {
        name: "Speed and use",
        says: "",
        words: &[
            word("429", "The answer of a service that was asked too fast. Nothing was done."),
            word("throttle", "Being refused with a 429."),
            word("token", "The unit in which models count what they read and write."),
            word("cost", "What model calls cost: as the runtime gives it, else from your prices."),
            word(
                "percentile",
                "The length that a share of all calls stayed at or below: of 100 calls, 90 took no \
                 longer than about the 90th.",
            ),
        ],
    },
    Group {
        name: "Keeping and hiding",
        says: "",
        words: &[
            word("record", "What was kept of one span or log, after redaction."),
            seen("redaction", "/redaction", "Hiding what must not be kept, before anything is written."),
            word(
                "pseudonym",
                "A stand-in that redaction puts for an id: the same for the same id, and telling nothing \
                 of it.",
            ),
            word(
                "digest",
                "A short number made of a text. Equal texts have equal digests, so a text is kept once \
                 and compared quickly.",
            ),
            word("reject", "Something that was sent and refused, with the reason."),
            word("sampling", "Leaving out some reads on purpose. Acts are never left out."),
            word("retention", "How long something is kept before it expires."),
            word("hold", "What keeps records beyond their retention, such as an open case."),
            word("bundle", "An answer about an entity, signed, that anybody can verify without Recount."),
            seen("activity", "/activity", "The record of who looked at what and who changed what."),
        ],
    },
    Group {
        name: "Who may what",
        says: "A role is held in a project, and may be limited to some entities.",
        words: &[
            word("scope", "What a viewer may see: a project, or some entities of it."),
            word("sender", "The role that only sends: for the keys of agents."),
            word("viewer", "The role that sees what agents did."),
            word("operator", "The role that sees, and settles cases."),
            word(
                "auditor",
                "The role that sees everything in its scope and who looked at what, and exports; it \
                 changes nothing.",
            ),
            word(
                "revealer",
                "The role that brings back what redaction encrypted, one value at a time, for a reason \
                 that is recorded.",
            ),
            word("admin", "The role that says who may what; by that alone it sees no record."),
        ],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::access::Role;
    use crate::domain::case::CaseState;
    use crate::domain::kind::Kind;
    use crate::domain::outcome::{Evidence, Gate, Outcome};
    use crate::domain::run::{RunState, Whole};
    use crate::web::routes::addresses;

    #[test]
    fn every_word_that_is_written_is_explained_once() {
        let all: Vec<&Word> = GROUPS.iter().flat_map(|group| group.words).collect();
        let words: BTreeSet<&str> = all.iter().map(|word| word.word).collect();
        assert_eq!(words.len(), all.len(), "a word is explained twice");
        let mut written: Vec<&str> = Vec::new();
        written.extend(Kind::ALL.iter().map(|one| one.word()));
        written.extend(Outcome::ALL.iter().map(|one| one.word()));
        written.extend(Gate::ALL.iter().map(|one| one.word()));
        written.extend(Evidence::ALL.iter().map(|one| one.word()));
        written.extend(CaseState::ALL.iter().map(|one| one.word()));
        written.extend(Role::ALL.iter().map(|one| one.word()));
        written.extend([RunState::Running, RunState::Ended, RunState::Lost].map(RunState::word));
        written.extend([Whole::Yes, Whole::No, Whole::NotProvable].map(Whole::word));
        written.extend(["run", "step", "attempt", "action", "key", "gate", "outcome", "evidence", "case"]);
        written.extend(["finding", "snapshot", "epoch", "completeness", "session", "entity", "project"]);
        for word in written {
            assert!(words.contains(word), "{word} is written on pages and explained nowhere");
        }
    }

    #[test]
    fn definitions_are_sentences_and_places_exist() {
        let served: BTreeSet<&str> = addresses().map(|(path, _)| path).collect();
        for word in GROUPS.iter().flat_map(|group| group.words) {
            assert!(word.means.ends_with('.') && word.means.len() > 10, "{}", word.word);
            assert!(word.means.len() < 200, "{}: say it shorter", word.word);
            assert!(word.at.is_empty() || served.contains(word.at), "{} is seen at {}", word.word, word.at);
        }
    }
}
