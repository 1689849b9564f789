//! Our own attributes: what no convention carries. Read on spans, span events and log records.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::{Draft, Place};
use crate::conventions::field::{Count, Field, Read, Text, code, count, read, text};
use crate::conventions::fill;
use crate::domain::counting::counted;
use crate::domain::finding::Code;
use crate::domain::kind::{Carrier, Kind};
use crate::domain::value::Value;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "recount",
        title: "Recount",
        about: "Attempts, keys, gate decisions and outcomes, which no other convention carries. \
                Read on spans, on span events and on log records; a log record of an intent \
                survives a crash, a span does not.",
        reads: READS,
    },
    scopes: &[],
    events: &["recount.*"],
    code: read_events,
};

const KIND: &str = "recount.step.kind";

const DEADLINE: &str = "recount.run.deadline";
const READS_SAMPLED: &str = "recount.reads_sampled";

const READS: &[Read] = &[
    text("recount.run.id", Text::Run),
    count("recount.run.epoch", Count::Epoch),
    count("recount.run.seq", Count::Seq),
    count("recount.run.step_count", Count::RunStepCount),
    code(DEADLINE, "until when the run may go on: what begins later is a finding"),
    code(READS_SAMPLED, "how many reads the sender left out: the record says that it is not whole"),
    text("recount.worker.id", Text::Worker),
    text("recount.step.id", Text::Step),
    code(KIND, "kind of step: think, read, act, reconcile, wait, agent, transport or other"),
    count("recount.step.attempt", Count::Attempt),
    text("recount.step.verifies", Text::Verifies),
    text("recount.action.target", Text::Target),
    text("recount.action.key", Text::Key),
    read("recount.action.key_expires_at", Field::KeyExpires),
    read("recount.action.outcome", Field::Outcome),
    read("recount.action.evidence", Field::Evidence),
    text("recount.action.value", Text::Value),
    text("recount.action.downstream_id", Text::DownstreamId),
    text("recount.action.compensates", Text::Compensates),
    read("recount.gate.decision", Field::Gate),
    text("recount.context.ref", Text::ContextRef),
    read("recount.account.id", Field::Account),
    read("recount.entities", Field::Entities),
    text("recount.user.id", Text::User),
    text("recount.approver", Text::Approver),
    text("recount.policy.version", Text::PolicyVersion),
];

fn read_events(draft: &mut Draft<'_>) -> Option<()> {
    // The latest event is heard first, and none against the span's own attributes.
    for (number, event) in draft.source.events.iter().enumerate().rev() {
        for (at, (key, value)) in
            event.attributes.iter().enumerate().filter(|(_, (key, _))| key.starts_with("recount."))
        {
            let Some(row) = READS.iter().find(|row| row.key == key) else { continue };
            // "Submitted" was true when it was written; the end of the span says more.
            let past =
                row.field == Field::Outcome && draft.source.ended && value.as_str() == Some("submitted");
            if !past {
                fill::fill(draft, row.field, Place::Event(number, at));
            }
        }
    }
    if let Some(word) = draft.get(KIND).and_then(fill::text) {
        match Kind::from_word(&word) {
            Some(kind) => draft.claim(KindRule::Recount, Work::Kind(kind)),
            None if word == "tool" => draft.claim(KindRule::Recount, Work::Tool),
            None => draft.finding(Code::Unreadable, "attribute `recount.step.kind` names no kind of step"),
        }
    }
    notice(draft);
    let facts = &draft.step.facts;
    let acts = facts.key.is_some() || facts.outcome.is_some() || facts.target.is_some();
    let is_span = draft.source.carrier == Carrier::Span;
    let planned = is_span && (facts.step_id.is_some() || facts.attempt.is_some());
    if acts {
        draft.claim(KindRule::ActionNamed, Work::Tool);
    } else if planned {
        draft.claim(KindRule::StepNamed, Work::Tool);
    }
    Some(())
}

/// What these attributes say of the record as a whole.
fn notice(draft: &mut Draft<'_>) {
    let deadline = draft.get(DEADLINE).and_then(fill::time_ns);
    if deadline.is_some_and(|deadline| draft.step.facts.started_ns > deadline) {
        draft.finding(Code::BeyondBudget, "A call began after the time that the run had");
    }
    match draft.get(READS_SAMPLED).and_then(Value::as_int) {
        None | Some(..=0) => {}
        Some(reads) => {
            let reads = counted(reads, "read was", "reads were");
            draft.finding(Code::ReadsSampled, format!("{reads} sampled away before sending"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{codes, event, read, span};
    use crate::domain::kind::KindSource;
    use crate::domain::outcome::{Gate, Outcome};
    use crate::otlp::WireSpan;

    #[test]
    fn everything_that_is_given() {
        let step = read(&span(
            "refund",
            vec![
                ("recount.run.id", "r1".into()),
                ("recount.run.epoch", 4.into()),
                ("recount.step.id", "st-3".into()),
                ("recount.step.kind", "act".into()),
                ("recount.step.attempt", 2.into()),
                ("recount.action.key", "k".into()),
                ("recount.action.key_expires_at", "2026-11-29T16:33:20Z".into()),
                ("recount.action.outcome", "unknown".into()),
                ("recount.gate.decision", "new".into()),
                ("recount.entities", "order:4812, account:2291".into()),
            ],
        ));
        let facts = &step.facts;
        assert_eq!((facts.kind, facts.kind_source), (Kind::Act, KindSource::Given));
        assert_eq!((facts.attempt, facts.epoch), (Some(2), Some(4)));
        assert_eq!((facts.outcome, facts.gate), (Some(Outcome::Unknown), Gate::New));
        assert_eq!(facts.key_expires_ns, Some(1_795_970_000_000_000_000));
        assert_eq!(facts.entities.len(), 2);
        assert_eq!(codes(&step), []);
    }

    #[test]
    fn b32_a_step_with_a_number_is_no_plumbing() {
        let step = read(&span(
            "refund",
            vec![
                ("recount.step.id", "st-3".into()),
                ("recount.step.attempt", 1.into()),
                ("args", "{\"amount\":40}".into()),
                ("http.response.status_code", 503.into()),
            ],
        ));
        assert_eq!((step.facts.kind, step.facts.tool.as_deref()), (Kind::Act, Some("refund")));
        assert_eq!(step.facts.http.as_ref().unwrap().status_code, Some(503));
        assert_eq!(step.bodies[step.arguments.unwrap()].body, "{\"amount\":40}");
    }

    #[test]
    fn what_begins_too_late_and_what_was_left_out_is_noticed() {
        let of = |name: &'static str, value: Value| codes(&read(&span("refund", vec![(name, value)])));
        // The span of these tests begins on 29 Nov 2026.
        assert_eq!(of("recount.run.deadline", "2026-11-01T00:00:00Z".into()), [Code::BeyondBudget]);
        assert_eq!(of("recount.run.deadline", "2026-12-01T00:00:00Z".into()), []);
        assert_eq!(of("recount.reads_sampled", 3.into()), [Code::ReadsSampled]);
        assert_eq!(of("recount.reads_sampled", 0.into()), []);
    }

    #[test]
    fn words_that_are_none_are_findings() {
        let list = vec![
            ("recount.step.kind", "do".into()),
            ("recount.step.attempt", 0.into()),
            ("recount.action.outcome", "maybe".into()),
        ];
        let step = read(&span("x", list));
        assert_eq!((step.facts.attempt, step.facts.outcome), (None, None));
        assert_eq!(codes(&step), [Code::Unreadable; 3]);
    }

    #[test]
    fn events_fill_what_the_span_left_open() {
        let intent = event(
            "recount.intent",
            vec![("recount.action.outcome", "submitted".into()), ("recount.action.key", "k".into())],
        );
        let answer = event("recount.answer", vec![("recount.action.outcome", "confirmed".into())]);
        let sent = WireSpan { events: vec![intent.clone(), answer], ..span("refund", vec![]) };
        let step = read(&sent);
        assert_eq!((step.facts.outcome, step.facts.key.as_deref()), (Some(Outcome::Confirmed), Some("k")));
        assert_eq!(step.facts.dialect, "recount");
        let ended = read(&WireSpan { events: vec![intent.clone()], ..span("refund", vec![]) });
        assert_eq!(ended.facts.outcome, None);
        let open = read(&WireSpan { events: vec![intent], ended_ns: 0, ..span("refund", vec![]) });
        assert_eq!(open.facts.outcome, Some(Outcome::Submitted));
    }
}
