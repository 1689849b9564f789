//! Leaves of the evidence log: the hash of a record as kept, from which anybody can check it later.
//!
//! A leaf is SHA-256 over one zero byte (RFC 9162: what tells a leaf from a node) and the record as canonical
//! JSON (RFC 8785), so that a shell with `sha256sum` can verify it. Values are spelt as in OTLP/JSON. In the
//! place of each body stands its salted digest: once body and salt are erased the leaf still proves the rest
//! and says nothing about what is gone. Times of receipt are not in it: they are ours, not the record's.
use sha2::{Digest as _, Sha256};

use crate::domain::ids::{Digest, RecordId};
use crate::domain::record::Redaction;
use crate::domain::step::{Event, Facts, Link, Proposal, ScopeInfo, Step};
use crate::domain::value::{Piece, Value};
use crate::evidence::digest::salted_digest;
use crate::evidence::leaf_writer::Writer;

/// Length of a leaf's salt.
pub const LEAF_SALT_BYTES: usize = 16;

/// Most leaves are shorter.
const LEAF_BYTES_USUAL: usize = 8 * 1024;

/// The random salt of one record's leaf, kept in the record's row and erased with its bodies.
pub type LeafSalt = [u8; LEAF_SALT_BYTES];

/// A record as it is kept, in pieces.
#[derive(Debug, Clone, Copy)]
pub struct Leaf<'a> {
    /// The record.
    pub record_id: RecordId,
    /// After redaction.
    pub step: &'a Step,
    /// The digests of the step's bodies, one for each, in their order.
    pub bodies: &'a [Digest],
    /// What redaction did.
    pub redactions: &'a [Redaction],
    /// The rules it went through.
    pub rules_version: &'a str,
    /// Its salt.
    pub salt: &'a LeafSalt,
}

/// A new random salt; an error when the system has no randomness to give.
pub fn leaf_salt() -> Result<LeafSalt, getrandom::Error> {
    let mut salt = [0; LEAF_SALT_BYTES];
    getrandom::fill(&mut salt)?;
    Ok(salt)
}

/// The leaf's hash.
pub fn leaf_hash(leaf: &Leaf<'_>) -> [u8; 32] {
    Sha256::new_with_prefix([0]).chain_update(leaf_json(leaf)).finalize().into()
}

/// The canonical JSON that the leaf is the hash of.
pub fn leaf_json(leaf: &Leaf<'_>) -> String {
    let mut out = LeafWriter { writer: Writer::with_room(LEAF_BYTES_USUAL), leaf };
    out.record();
    out.writer.finish()
}

struct LeafWriter<'a> {
    writer: Writer,
    leaf: &'a Leaf<'a>,
}

impl LeafWriter<'_> {
    /// Keys in the order of RFC 8785, which for these is the alphabet's.
    fn record(&mut self) {
        let Leaf { record_id, step, redactions, rules_version, .. } = *self.leaf;
        self.writer.open('{');
        self.body("arguments", step.arguments);
        self.pairs("attributes", &step.attributes);
        self.body_list("context", &step.context);
        self.list("events", &step.events, |out, event| out.event(event));
        self.writer.key("facts");
        self.writer.open('{');
        self.facts_to_key(&step.facts);
        self.facts_from_kind(&step.facts);
        self.writer.close('}');
        self.body_list("output", &step.output);
        self.list("proposed", &step.proposed, |out, proposal| out.proposal(proposal));
        self.writer.text("record_id", &record_id.to_string());
        self.list("redactions", redactions, |out, redaction| {
            out.writer.open('{');
            out.writer.text("bytes", &redaction.bytes.to_string());
            out.writer.number("count", Some(redaction.count));
            out.writer.text("method", &redaction.method);
            out.writer.text("path", &redaction.path);
            out.writer.text("rule", &redaction.rule);
            out.writer.close('}');
        });
        self.pairs("resource", &step.resource);
        self.body("result", step.result);
        self.writer.text("rules_version", rules_version);
        self.scope(&step.scope);
        self.writer.number("v", Some(1));
        self.writer.close('}');
    }

    fn facts_to_key(&mut self, facts: &Facts) {
        let out = &mut self.writer;
        out.maybe("agent", facts.agent.as_deref());
        out.maybe("agent_version", facts.agent_version.as_deref());
        out.maybe("approver", facts.approver.as_deref());
        out.number("attempt", facts.attempt);
        out.text("carrier", facts.carrier.word());
        out.maybe("compensates", facts.compensates.as_deref());
        out.maybe("context_ref", facts.context_ref.as_deref());
        if let Some(cost) = facts.cost_usd {
            out.key("cost_usd");
            out.double(cost);
        }
        out.text("dialect", &facts.dialect);
        out.maybe("downstream_id", facts.downstream_id.as_deref());
        out.key("dropped");
        out.open('{');
        out.number("attributes", Some(facts.dropped.attributes));
        out.number("events", Some(facts.dropped.events));
        out.number("links", Some(facts.dropped.links));
        out.close('}');
        out.large("ended_ns", facts.ended_ns);
        out.texts("entities", facts.entities.iter().map(ToString::to_string));
        out.maybe("environment", facts.environment.as_deref());
        out.large("epoch", facts.epoch);
        if let Some(error) = &facts.error {
            out.key("error");
            out.open('{');
            out.text("kind", &error.kind);
            out.text("message", &error.message);
            out.close('}');
        }
        out.texts("errors_shown", facts.errors_shown.iter());
        out.maybe("evidence", facts.evidence.map(|evidence| evidence.word()));
        self.list("findings", &facts.findings, |out, finding| {
            out.writer.open('{');
            out.writer.text("code", finding.code.word());
            out.writer.text("message", &finding.message);
            out.writer.close('}');
        });
        let out = &mut self.writer;
        out.texts("finish_reasons", facts.finish_reasons.iter());
        out.text("gate", facts.gate.word());
        if let Some(http) = &facts.http {
            out.key("http");
            out.open('{');
            out.maybe("method", http.method.as_deref());
            out.number("resend_count", http.resend_count);
            out.maybe("retry_after", http.retry_after.as_deref());
            out.number("status_code", http.status_code.map(u32::from));
            out.close('}');
        }
        out.maybe("key", facts.key.as_deref());
        out.large("key_expires_ns", facts.key_expires_ns);
    }

    fn facts_from_kind(&mut self, facts: &Facts) {
        self.writer.text("kind", facts.kind.word());
        self.writer.text("kind_source", facts.kind_source.word());
        self.writer.texts("link_keys", facts.link_keys.iter());
        self.list("links", &facts.links, |out, link| out.link(link));
        self.writer.maybe("model", facts.model.as_deref());
        self.writer.maybe("model_requested", facts.model_requested.as_deref());
        self.writer.text("name", &facts.name);
        self.writer.maybe("outcome", facts.outcome.map(|outcome| outcome.word()));
        self.pairs("parameters", &facts.parameters);
        let out = &mut self.writer;
        out.maybe("parent_span_id", facts.parent_span_id.map(|id| id.to_string()).as_deref());
        out.maybe("policy_version", facts.policy_version.as_deref());
        out.maybe("provider", facts.provider.as_deref());
        out.truth("read_back_required", facts.read_back_required);
        out.maybe("run_id", facts.run_id.as_deref());
        out.large("run_step_count", facts.run_step_count);
        out.large("seq", facts.seq);
        out.maybe("service", facts.service.as_deref());
        out.maybe("session_id", facts.session_id.as_deref());
        out.text("span_id", &facts.span_id.to_string());
        out.large("started_ns", Some(facts.started_ns));
        out.text("status", facts.status.word());
        out.text("status_message", &facts.status_message);
        out.maybe("step_id", facts.step_id.as_deref());
        out.maybe("target", facts.target.as_deref());
        out.key("tokens");
        out.open('{');
        out.truth("cache_apart", facts.tokens.cache_apart);
        out.large("cache_read", facts.tokens.cache_read);
        out.large("cache_write", facts.tokens.cache_write);
        out.large("input", facts.tokens.input);
        out.large("output", facts.tokens.output);
        out.large("reasoning", facts.tokens.reasoning);
        out.close('}');
        out.maybe("tool", facts.tool.as_deref());
        out.maybe("tool_call_id", facts.tool_call_id.as_deref());
        out.text("trace_id", &facts.trace_id.to_string());
        out.number("tries", facts.tries);
        out.maybe("user_id", facts.user_id.as_deref());
        out.maybe("value", facts.value.as_deref());
        out.maybe("verifies", facts.verifies.as_deref());
        out.maybe("worker", facts.worker.as_deref());
    }

    fn event(&mut self, event: &Event) {
        self.writer.open('{');
        self.writer.large("at_ns", Some(event.at_ns));
        self.pairs("attributes", &event.attributes);
        self.writer.text("name", &event.name);
        self.writer.close('}');
    }

    fn link(&mut self, link: &Link) {
        self.writer.open('{');
        self.pairs("attributes", &link.attributes);
        self.writer.text("span_id", &link.span_id.to_string());
        self.writer.text("trace_id", &link.trace_id.to_string());
        self.writer.close('}');
    }

    fn scope(&mut self, scope: &ScopeInfo) {
        self.writer.key("scope");
        self.writer.open('{');
        self.pairs("attributes", &scope.attributes);
        self.writer.text("name", &scope.name);
        self.writer.text("version", &scope.version);
        self.writer.close('}');
    }

    fn proposal(&mut self, proposal: &Proposal<usize>) {
        self.writer.open('{');
        self.body("arguments", proposal.arguments);
        self.writer.maybe("call_id", proposal.call_id.as_deref());
        self.writer.truth("complete", proposal.complete);
        self.writer.text("tool", &proposal.tool);
        self.writer.close('}');
    }

    fn list<T>(&mut self, key: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        if items.is_empty() {
            return;
        }
        self.writer.key(key);
        self.writer.open('[');
        items.iter().for_each(|item| write(self, item));
        self.writer.close(']');
    }

    fn pairs(&mut self, key: &str, pairs: &[(String, Value)]) {
        self.list(key, pairs, |out, (key, value)| {
            out.writer.open('{');
            out.writer.text("key", key);
            out.writer.key("value");
            out.value(value);
            out.writer.close('}');
        });
    }

    fn value(&mut self, value: &Value) {
        self.writer.open('{');
        match value {
            Value::Empty => {}
            Value::Bool(truth) => self.writer.truth("boolValue", *truth),
            Value::Int(int) => self.writer.text("intValue", &int.to_string()),
            Value::Double(double) => {
                self.writer.key("doubleValue");
                self.writer.double(*double);
            }
            Value::String(text) => self.writer.text("stringValue", text),
            Value::Bytes(bytes) => {
                self.writer.text("bytesValue", &data_encoding::BASE64.encode(bytes));
            }
            Value::Array(values) => {
                self.writer.key("arrayValue");
                self.writer.open('{');
                self.list("values", values, |out, value| out.value(value));
                self.writer.close('}');
            }
            Value::Map(pairs) => {
                self.writer.key("kvlistValue");
                self.writer.open('{');
                self.pairs("values", pairs);
                self.writer.close('}');
            }
            Value::Framed(pieces) => self.list("framedValue", pieces, |out, piece| out.piece(piece)),
        }
        self.writer.close('}');
    }

    fn piece(&mut self, piece: &Piece) {
        self.writer.open('{');
        match piece {
            Piece::Text(text) => self.writer.text("text", text),
            Piece::Body(body) => self.body("body", Some(*body)),
            Piece::Inside(body, pointer) => {
                self.body("body", Some(*body));
                self.writer.text("pointer", pointer);
            }
            Piece::Json(body, pointer) => {
                self.body("body", Some(*body));
                self.writer.text("json", pointer);
            }
        }
        self.writer.close('}');
    }

    fn body(&mut self, key: &str, body: Option<usize>) {
        if let Some(body) = body {
            self.writer.text(key, &self.salted(body));
        }
    }

    fn body_list(&mut self, key: &str, bodies: &[usize]) {
        self.list(key, bodies, |out, body| {
            let digest = out.salted(*body);
            out.writer.item(&digest);
        });
    }

    /// A body that was never given (a broken index) is all zeros: the leaf says that it lacks it.
    fn salted(&self, body: usize) -> String {
        let digest = self.leaf.bodies.get(body).map(|digest| salted_digest(self.leaf.salt, *digest));
        data_encoding::HEXLOWER.encode(&digest.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::{Content, ContentKind};
    use crate::domain::entity::Entity;
    use crate::domain::finding::{Code, Finding};
    use crate::domain::outcome::{Evidence, Outcome};
    use crate::domain::step::{Failure, Http, Tokens};
    use crate::evidence::digest::canonical_json;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn pairs() -> Vec<(String, Value)> {
        vec![
            ("z\u{1}\"\\".to_owned(), Value::String("a\n\u{7f}é".to_owned())),
            ("b".to_owned(), Value::Bytes(vec![0, 255])),
            ("d".to_owned(), Value::Double(1e21)),
            ("n".to_owned(), Value::Double(f64::NEG_INFINITY)),
            (
                "m".to_owned(),
                Value::Map(vec![("k".to_owned(), Value::Array(vec![Value::Empty, Value::Bool(true)]))]),
            ),
            (
                "f".to_owned(),
                Value::Framed(vec![
                    Piece::Text("[".to_owned()),
                    Piece::Body(0),
                    Piece::Inside(0, "/a".to_owned()),
                ]),
            ),
        ]
    }

    /// Something in every field.
    fn facts() -> Facts {
        let pairs = pairs();
        Facts {
            parent_span_id: Some(crate::domain::ids::SpanId([1; 8])),
            run_id: some("r"),
            step_id: some("s"),
            session_id: some("c"),
            user_id: some("u"),
            agent: some("a"),
            agent_version: some("1"),
            worker: some("w"),
            epoch: Some(u64::MAX),
            seq: Some(1),
            run_step_count: Some(2),
            service: some("svc"),
            environment: some("prod"),
            ended_ns: Some(3),
            attempt: Some(2),
            tries: Some(2),
            link_keys: vec!["a=b".to_owned()],
            errors_shown: vec!["c1".to_owned()],
            model: some("m"),
            model_requested: some("m"),
            provider: some("p"),
            parameters: pairs.clone(),
            finish_reasons: vec!["stop".to_owned()],
            tokens: Tokens { input: Some(1), ..Tokens::default() },
            cost_usd: Some(0.01),
            tool: some("t"),
            tool_call_id: some("call"),
            target: some("order:1"),
            key: some("k"),
            key_expires_ns: Some(9),
            outcome: Some(Outcome::Unknown),
            evidence: Some(Evidence::Timeout),
            value: some("40 EUR"),
            downstream_id: some("re_1"),
            verifies: some("v"),
            compensates: some("x"),
            approver: some("y"),
            policy_version: some("3"),
            context_ref: some("ref"),
            entities: vec![Entity::account("1")],
            error: Some(Failure { kind: "429".to_owned(), message: "slow".to_owned() }),
            http: Some(Http { status_code: Some(429), ..Http::default() }),
            links: vec![Link { attributes: pairs.clone(), ..Link::default() }],
            findings: vec![Finding::new(Code::NoKey, "no key")],
            ..Facts::default()
        }
    }

    fn full() -> Step {
        let pairs = pairs();
        let body = Content {
            kind: ContentKind::Result,
            role: String::new(),
            is_json: false,
            body: "paid".to_owned(),
            cut_from: None,
        };
        Step {
            facts: facts(),
            bodies: vec![body],
            context: vec![0],
            output: vec![0],
            arguments: Some(0),
            result: Some(0),
            proposed: vec![Proposal {
                call_id: some("call"),
                tool: "t".to_owned(),
                arguments: Some(0),
                complete: true,
            }],
            attributes: pairs.clone(),
            events: vec![Event { name: "e".to_owned(), at_ns: 1, attributes: pairs.clone() }],
            resource: pairs.clone(),
            scope: ScopeInfo { name: "s".to_owned(), version: "1".to_owned(), attributes: pairs },
        }
    }

    fn json(step: &Step, salt: &LeafSalt, body: Digest) -> String {
        let redactions = [Redaction {
            path: "name".to_owned(),
            rule: "jwt".to_owned(),
            method: "replace".to_owned(),
            count: 1,
            bytes: 30,
        }];
        leaf_json(&Leaf {
            record_id: RecordId([5; 16]),
            step,
            bodies: &[body],
            redactions: &redactions,
            rules_version: "1",
            salt,
        })
    }

    #[test]
    fn a_leaf_is_canonical_json_with_every_fact() {
        let step = full();
        let leaf = json(&step, &[1; 16], Digest([9; 16]));
        assert_eq!(canonical_json(&leaf).as_deref(), Some(leaf.as_str()));
        let parsed: serde_json::Value = serde_json::from_str(&leaf).unwrap();
        let facts = parsed["facts"].as_object().unwrap();
        let shown = format!("{:#?}", step.facts);
        let fields: Vec<&str> = shown
            .lines()
            .filter_map(|line| line.strip_prefix("    "))
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
            .filter_map(|line| line.split_once(':').map(|(field, _)| field))
            .collect();
        assert!(fields.len() > 50);
        assert_eq!(facts.keys().map(String::as_str).collect::<Vec<_>>().len(), fields.len());
        fields.iter().for_each(|field| assert!(facts.contains_key(*field), "{field}"));
        assert!(!leaf.contains("paid"));
        assert!(!leaf.contains(&Digest([9; 16]).to_string()), "the body's digest shows only salted");
    }

    #[test]
    fn salt_body_and_facts_change_the_leaf() {
        let step = full();
        let mut other = full();
        other.facts.outcome = Some(Outcome::Confirmed);
        let leaves = [
            json(&step, &[1; 16], Digest([9; 16])),
            json(&step, &[2; 16], Digest([9; 16])),
            json(&step, &[1; 16], Digest([8; 16])),
            json(&other, &[1; 16], Digest([9; 16])),
        ];
        for (at, leaf) in leaves.iter().enumerate() {
            assert!(leaves.iter().skip(at + 1).all(|other| other != leaf));
        }
        assert_ne!(leaf_salt().unwrap(), leaf_salt().unwrap());
    }
}
