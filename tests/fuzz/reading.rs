//! A body read to the end, as the server does: decoded, read by the conventions, redacted, kept as a record, folded.
use std::collections::HashSet;

use recount::conventions::{Conventions, LOG_BODY, ToolRules, rebuild};
use recount::domain::content::{Content, ContentRef};
use recount::domain::fold::runs_of;
use recount::domain::ids::RecordId;
use recount::domain::price::Prices;
use recount::domain::record::{KeptProposal, Record};
use recount::domain::run::Run;
use recount::domain::secret::SecretKey;
use recount::domain::step::{Proposal, Step};
use recount::domain::summary::RunSummary;
use recount::domain::value::Value;
use recount::evidence::{canonical_digest, content_digest, log_record_id, span_record_id};
use recount::otlp::{
    ITEMS_MAX, WireLog, WireSpan, decode_logs_json, decode_logs_protobuf, decode_traces_json,
    decode_traces_protobuf, read_metrics_json, read_metrics_protobuf,
};
use recount::redaction::{Redactor, Settings};

use crate::corpus::Signal;

const NOW_NS: u64 = 1_795_980_000_000_000_000;

pub(crate) struct Reader {
    conventions: Conventions,
    redactor: Redactor,
    key: SecretKey,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            conventions: Conventions::new(ToolRules::default()),
            redactor: Redactor::new(&Settings::default()).unwrap(),
            key: SecretKey::new(1, [7; 32]),
        }
    }

    /// A body of OTLP. It may be refused, and what is taken is read on.
    pub(crate) fn read(&self, signal: Signal, is_json: bool, body: &[u8]) {
        match signal {
            Signal::Traces => {
                let decode = if is_json { decode_traces_json } else { decode_traces_protobuf };
                if let Ok(decoded) = decode(body) {
                    assert!(decoded.items.len() as u64 <= ITEMS_MAX);
                    assert!(decoded.refused.iter().all(|refused| !refused.reason.is_empty()));
                    self.spans(&decoded.items);
                }
            }
            Signal::Logs => {
                let decode = if is_json { decode_logs_json } else { decode_logs_protobuf };
                if let Ok(decoded) = decode(body) {
                    self.logs(&decoded.items);
                }
            }
            Signal::Metrics => {
                let read = if is_json { read_metrics_json } else { read_metrics_protobuf };
                read(body).map(drop).unwrap_or_default();
            }
        }
    }

    pub(crate) fn spans(&self, spans: &[WireSpan]) {
        self.fold(self.records(spans, &[]));
    }

    pub(crate) fn logs(&self, logs: &[WireLog]) {
        self.fold(self.records(&[], logs));
    }

    pub(crate) fn records(&self, spans: &[WireSpan], logs: &[WireLog]) -> Vec<Record> {
        let mut records = Vec::with_capacity(spans.len() + logs.len());
        for span in spans {
            let step = self.conventions.step(span);
            whole(&step, &span.attributes);
            records.push(self.keep(span_record_id(&self.key, span), step));
        }
        for log in logs {
            let step = self.conventions.step_of_log(log);
            let mut sent = log.attributes.clone();
            sent.push((LOG_BODY.to_owned(), log.body.clone()));
            whole(&step, &sent);
            records.push(self.keep(log_record_id(&self.key, log), step));
        }
        records
    }

    pub(crate) fn fold(&self, records: Vec<Record>) {
        let count = records.len();
        let parts = runs_of(records);
        let mut folded = 0;
        for part in parts.values() {
            let mut run = Run::of_part(part, &[], NOW_NS);
            folded += part.records.len();
            Prices::default().apply(&mut run);
            let summary = RunSummary::of(&run);
            assert!(summary.attempt_count as usize <= part.records.len(), "no attempt without a record");
            let mut ids: Vec<&str> = run.steps.iter().map(|step| step.step_id.as_str()).collect();
            ids.sort_unstable();
            let steps = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), steps, "each step has an id of its own");
        }
        assert!(folded >= count || count == 0, "{folded} of {count} records are in runs");
    }

    fn keep(&self, record_id: RecordId, step: Step) -> Record {
        let clean = self.redactor.clean(step, &self.key);
        let step = clean.get();
        let refs: Vec<ContentRef> = step.bodies.iter().map(|content| self.content(content)).collect();
        let canonical = |at: Option<usize>| canonical_digest(&self.key, &step.bodies.get(at?)?.body);
        let proposed = step.proposed.iter().map(|call| KeptProposal {
            call: Proposal {
                call_id: call.call_id.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.map(|at| refs[at].clone()),
                complete: call.complete,
            },
            arguments_canonical: canonical(call.arguments),
        });
        Record {
            record_id,
            received_ns: NOW_NS,
            context: step.context.iter().map(|at| refs[*at].digest).collect(),
            output: step.output.iter().map(|at| refs[*at].clone()).collect(),
            arguments: step.arguments.map(|at| refs[at].clone()),
            arguments_canonical: canonical(step.arguments),
            result: step.result.map(|at| refs[at].clone()),
            proposed: proposed.collect(),
            redactions: clean.redactions().to_vec(),
            rules_version: clean.rules_version().to_owned(),
            facts: step.facts.clone(),
        }
    }

    fn content(&self, content: &Content) -> ContentRef {
        ContentRef {
            digest: content_digest(&self.key, content.kind, &content.role, &content.body),
            kind: content.kind,
            role: content.role.clone(),
            bytes: content.body.len() as u64,
            preview: content.body.chars().take(80).collect(),
        }
    }
}

/// Every attribute comes together again from what stayed in place and the bodies.
fn whole(step: &Step, sent: &[(String, Value)]) {
    let body = |at: usize| step.bodies.get(at).map(|content| content.body.as_str());
    let keys: HashSet<&str> = sent.iter().map(|(key, _)| key.as_str()).collect();
    let sent: HashSet<String> = sent.iter().map(|(key, value)| format!("{key}={value:?}")).collect();
    for (key, kept) in step.attributes.iter().filter(|(key, _)| keys.contains(key.as_str())) {
        let again = format!("{key}={:?}", rebuild(kept, &body));
        assert!(sent.contains(&again), "{key} does not come together again");
    }
}
