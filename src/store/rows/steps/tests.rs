//! Any step, with something or nothing in every field, comes back from its row as it was.
use crate::domain::ids::{Digest, Project, RecordId, SpanId, TraceId};
use crate::domain::record::{Record, Redaction};
use crate::domain::step::{Dropped, Event, Facts, Failure, Http, Link, Proposal, ScopeInfo, Step, Tokens};
use crate::domain::value::Value;
use crate::store::rows::cell::Day;
use crate::store::rows::kept::Kept;
use crate::store::rows::reader::Reader;
use crate::store::rows::steps::{StepRow, all, write_step};
use crate::store::rows::writer::Writer;

use crate::domain::content::{Content, ContentKind};
use crate::domain::entity::Entity;
use crate::domain::finding::{Code, Finding};

use crate::domain::kind::{Carrier, Kind, KindSource, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};

use proptest::prelude::*;

/// Something in every field, different for every seed; absent where the bit of the field is not set.
struct Filler {
    seed: u64,
    place: u64,
}

impl Filler {
    fn number(&mut self) -> u64 {
        self.place += 1;
        let mixed = (self.seed ^ self.place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
    fn text(&mut self) -> String {
        format!("é{:x}", self.number() % 9973)
    }
    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (!self.number().is_multiple_of(3)).then(|| make(self))
    }
    fn list<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.number() % 3).map(|_| make(self)).collect()
    }
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.number()).unwrap() % all.len()]
    }
    fn small(&mut self) -> u32 {
        u32::try_from(self.number() % 100_000).unwrap()
    }
    fn attributes(&mut self) -> Vec<(String, Value)> {
        self.list(|filler| {
            let value = match filler.number() % 4 {
                0 => Value::Double(0.1),
                1 => Value::Int(-3),
                2 => Value::Map(vec![("k".into(), Value::Array(vec![Value::Bool(true)]))]),
                _ => Value::String(filler.text()),
            };
            (filler.text(), value)
        })
    }
    fn facts(&mut self) -> Facts {
        Facts {
            trace_id: TraceId([self.seed.to_le_bytes()[0]; 16]),
            span_id: SpanId(self.number().to_le_bytes()),
            parent_span_id: self.maybe(|_| SpanId([7; 8])),
            carrier: self.one_of(Carrier::ALL),
            run_id: self.maybe(Self::text),
            step_id: self.maybe(Self::text),
            session_id: self.maybe(Self::text),
            user_id: self.maybe(Self::text),
            agent: self.maybe(Self::text),
            agent_version: self.maybe(Self::text),
            worker: self.maybe(Self::text),
            epoch: self.maybe(Self::number),
            seq: self.maybe(|_| 0),
            run_step_count: self.maybe(Self::number),
            service: self.maybe(Self::text),
            environment: self.maybe(Self::text),
            dialect: self.text(),
            kind: self.one_of(Kind::ALL),
            kind_source: self.one_of(KindSource::ALL),
            name: self.text(),
            started_ns: self.number(),
            ended_ns: self.maybe(|_| u64::MAX),
            attempt: self.maybe(|_| 0),
            tries: self.maybe(Self::small),
            link_keys: self.list(Self::text),
            errors_shown: self.list(Self::text),
            model: self.maybe(Self::text),
            model_requested: self.maybe(Self::text),
            provider: self.maybe(Self::text),
            parameters: self.attributes(),
            finish_reasons: self.list(Self::text),
            tokens: self.tokens(),
            cost_usd: self.maybe(|_| 0.0),
            tool: self.maybe(Self::text),
            tool_call_id: self.maybe(Self::text),
            target: self.maybe(Self::text),
            key: self.maybe(Self::text),
            key_expires_ns: self.maybe(|_| 1),
            gate: self.one_of(Gate::ALL),
            outcome: self.maybe(|filler| filler.one_of(Outcome::ALL)),
            evidence: self.maybe(|filler| filler.one_of(Evidence::ALL)),
            read_back_required: self.number().is_multiple_of(2),
            value: self.maybe(Self::text),
            downstream_id: self.maybe(Self::text),
            verifies: self.maybe(Self::text),
            compensates: self.maybe(Self::text),
            approver: self.maybe(Self::text),
            policy_version: self.maybe(Self::text),
            context_ref: self.maybe(Self::text),
            entities: self.list(|filler| Entity { kind: "order".into(), id: filler.text() }),
            status: self.one_of(Status::ALL),
            status_message: self.text(),
            error: self.maybe(|filler| Failure { kind: filler.text(), message: String::new() }),
            http: self.maybe(|filler| Http {
                method: filler.maybe(Self::text),
                status_code: filler.maybe(|_| 503),
                resend_count: filler.maybe(|_| 0),
                retry_after: filler.maybe(Self::text),
            }),
            links: self.list(|filler| Link {
                trace_id: TraceId([9; 16]),
                span_id: SpanId([8; 8]),
                attributes: filler.attributes(),
            }),
            findings: self.list(|filler| Finding::new(filler.one_of(Code::ALL), filler.text())),
            dropped: Dropped { attributes: self.small(), events: self.small(), links: self.small() },
        }
    }
    fn tokens(&mut self) -> Tokens {
        Tokens {
            input: self.maybe(Self::number),
            output: self.maybe(|_| 0),
            cache_read: self.maybe(Self::number),
            cache_write: self.maybe(Self::number),
            reasoning: self.maybe(Self::number),
            cache_apart: self.number().is_multiple_of(2),
        }
    }
    fn step(&mut self) -> Step {
        let bodies: Vec<Content> = (0..4)
            .map(|_| Content {
                kind: self.one_of(&ContentKind::ALL),
                role: self.text(),
                is_json: false,
                body: self.text().repeat(60),
                cut_from: None,
            })
            .collect();
        let body = |filler: &mut Self| usize::try_from(filler.number() % 4).unwrap();
        Step {
            facts: self.facts(),
            bodies,
            context: self.list(body),
            output: self.list(body),
            arguments: self.maybe(body),
            result: self.maybe(body),
            proposed: self.list(|filler| Proposal {
                call_id: filler.maybe(Self::text),
                tool: filler.text(),
                arguments: filler.maybe(body),
                complete: filler.number().is_multiple_of(2),
            }),
            attributes: self.attributes(),
            events: self.list(|filler| Event {
                name: filler.text(),
                at_ns: filler.number(),
                attributes: filler.attributes(),
            }),
            resource: self.attributes(),
            scope: ScopeInfo { name: self.text(), version: self.text(), attributes: self.attributes() },
        }
    }
}

/// The row as it must come back, said without any row.
fn told(kept: &Kept<'_>) -> StepRow {
    let step = kept.step;
    let content = |body: usize| kept.content(body).unwrap();
    StepRow {
        record: Record {
            record_id: kept.record_id,
            received_ns: kept.received_ns,
            facts: step.facts.clone(),
            context: step.context.iter().map(|body| kept.bodies[*body]).collect(),
            output: step.output.iter().map(|body| content(*body)).collect(),
            arguments: step.arguments.map(content),
            arguments_canonical: kept.arguments_canonical,
            result: step.result.map(content),
            proposed: kept.proposed(),
            redactions: kept.redactions.to_vec(),
            rules_version: kept.rules_version.to_owned(),
        },
        attributes: step.attributes.clone(),
        events: step.events.clone(),
        resource: step.resource.clone(),
        scope: step.scope.clone(),
        bodies: Vec::new(),
        salt: kept.salt,
    }
}

proptest! {
    #[test]
    fn any_step_comes_back(seed: u64) {
        let mut filler = Filler { seed, place: 0 };
        let step = filler.step();
        let bodies: Vec<Digest> = (1..5).map(|byte| Digest([byte; 16])).collect();
        let redactions = filler.list(|filler| Redaction {
            path: filler.text(),
            rule: filler.text(),
            method: "mask".into(),
            count: filler.small(),
            bytes: filler.number(),
        });
        let kept = Kept {
            project: &Project::default(),
            record_id: RecordId([5; 16]),
            received_ns: 1_795_970_000_000_000_000,
            expires: Day(20_000),
            step: &step,
            bodies: &bodies,
            arguments_canonical: filler.maybe(|_| Digest([6; 16])),
            proposed_canonical: step.proposed.iter().map(|_| filler.maybe(|_| Digest([7; 16]))).collect(),
            redactions: &redactions,
            rules_version: "7",
            salt: [4; 16],
        };
        let mut out = Writer::default();
        write_step(&mut out, &kept);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        let mut row = StepRow::default();
        for column in all() {
            (column.read)(&mut from, &mut row).unwrap();
        }
        prop_assert_eq!(from.left(), 0);
        prop_assert_eq!(row, told(&kept));
    }
}
