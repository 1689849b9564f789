//! A canary in every string of a step: none may be left.
//!
//! The step is spelt out field by field, without `..`: a new field has to be planted here and to be found.
use crate::domain::content::{Content, ContentKind};
use crate::domain::entity::Entity;
use crate::domain::finding::{Code, Finding};
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind, KindSource, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::secret::SecretKey;
use crate::domain::step::{Dropped, Event, Facts, Failure, Http, Link, Proposal, ScopeInfo, Step, Tokens};
use crate::domain::value::{Piece, Value};
use crate::redaction::clean::Redactor;
use crate::redaction::settings::{RuleSpec, Settings};

/// Plants numbered canaries.
struct Planter(u32);

impl Planter {
    fn text(&mut self) -> String {
        self.0 += 1;
        format!("a CANARY-{} b", self.0)
    }

    fn some(&mut self) -> Option<String> {
        Some(self.text())
    }

    fn pairs(&mut self) -> Vec<(String, Value)> {
        let nested = vec![
            (self.text(), Value::String(self.text())),
            (self.text(), Value::Bytes(self.text().into_bytes())),
            (self.text(), Value::Bytes([self.text().as_bytes(), &[0xff, 0xfe]].concat())),
            (self.text(), Value::Array(vec![Value::String(self.text()), Value::Int(4_111_111_111_111_111)])),
            ("json".to_owned(), Value::String(format!("{{\"{}\":[\"{}\"]}}", self.text(), self.text()))),
            ("double".to_owned(), Value::Double(4_111_111_111_111_111.0)),
            (
                "frame".to_owned(),
                Value::Framed(vec![
                    Piece::Text(self.text()),
                    Piece::Body(0),
                    Piece::Inside(1, format!("/a/{}", self.text())),
                    Piece::Json(1, format!("/{}~1x", self.text())),
                ]),
            ),
        ];
        vec![
            (self.text(), Value::Map(nested)),
            ("password".to_owned(), Value::String("pass-word-1".to_owned())),
        ]
    }

    fn facts(&mut self) -> Facts {
        Facts {
            trace_id: TraceId([1; 16]),
            span_id: SpanId([1; 8]),
            parent_span_id: None,
            carrier: Carrier::Span,
            run_id: self.some(),
            step_id: self.some(),
            session_id: self.some(),
            user_id: self.some(),
            agent: self.some(),
            agent_version: self.some(),
            worker: self.some(),
            epoch: Some(1),
            seq: Some(1),
            run_step_count: None,
            service: self.some(),
            environment: self.some(),
            dialect: self.text(),
            kind: Kind::Act,
            kind_source: KindSource::Given,
            name: self.text(),
            started_ns: 1,
            ended_ns: Some(2),
            attempt: Some(1),
            tries: None,
            link_keys: vec![format!("rule={}", self.text()), self.text(), format!("{}=x", self.text())],
            errors_shown: vec![self.text()],
            model: self.some(),
            model_requested: self.some(),
            provider: self.some(),
            parameters: self.pairs(),
            finish_reasons: vec![self.text()],
            tokens: Tokens::default(),
            cost_usd: None,
            tool: self.some(),
            tool_call_id: self.some(),
            target: Some(format!("{}:{}", self.text(), self.text())),
            key: self.some(),
            key_expires_ns: None,
            gate: Gate::New,
            outcome: Some(Outcome::Unknown),
            evidence: Some(Evidence::Timeout),
            read_back_required: true,
            value: self.some(),
            downstream_id: self.some(),
            verifies: self.some(),
            compensates: self.some(),
            approver: self.some(),
            policy_version: self.some(),
            context_ref: self.some(),
            entities: vec![Entity { kind: self.text(), id: self.text() }],
            status: Status::Error,
            status_message: self.text(),
            error: Some(Failure { kind: self.text(), message: self.text() }),
            http: Some(self.http()),
            links: vec![Link {
                trace_id: TraceId([2; 16]),
                span_id: SpanId([2; 8]),
                attributes: self.pairs(),
            }],
            findings: vec![Finding { code: Code::NoKey, message: self.text() }],
            dropped: Dropped::default(),
        }
    }

    fn http(&mut self) -> Http {
        Http { method: self.some(), status_code: Some(500), resend_count: None, retry_after: self.some() }
    }

    fn body(&mut self, body: String, is_json: bool) -> Content {
        Content { kind: ContentKind::Message, role: self.text(), is_json, body, cut_from: None }
    }

    fn step(&mut self) -> Step {
        let json = format!("{{\"a\":{{\"{}\":\"{} pass-word-1\"}}}}", self.text(), self.text());
        let plain = self.text();
        Step {
            facts: self.facts(),
            bodies: vec![self.body(plain, false), self.body(json, true)],
            context: vec![0, 1],
            output: vec![1],
            arguments: Some(1),
            result: Some(0),
            proposed: vec![Proposal {
                call_id: self.some(),
                tool: self.text(),
                arguments: Some(1),
                complete: true,
            }],
            attributes: self.pairs(),
            events: vec![Event { name: self.text(), at_ns: 1, attributes: self.pairs() }],
            resource: self.pairs(),
            scope: ScopeInfo { name: self.text(), version: self.text(), attributes: self.pairs() },
        }
    }
}

#[test]
fn no_canary_is_left_anywhere() {
    let mut planter = Planter(0);
    let step = planter.step();
    let planted = format!("{step:?}");
    assert!(planter.0 > 100 && planted.contains("CANARY"));
    let pattern = RuleSpec::pattern("canary", "CANARY-[0-9]+");
    let redactor = Redactor::new(&Settings::with_rules(vec![pattern])).unwrap();
    let clean = redactor.clean(step, &SecretKey::new(1, [1; 32]));
    let left = format!("{clean:?}");
    for secret in ["CANARY", "4111", "pass-word", "67, 65, 78, 65, 82, 89"] {
        let at = left.find(secret).map(|at| &left[at.saturating_sub(80)..at + 10]);
        assert_eq!(at, None, "{secret} is left");
    }
    assert!(planted.contains("67, 65, 78, 65, 82, 89"), "bytes show as numbers");
    assert_eq!(clean.get().bodies.len(), 2, "nothing was withheld");
    let facts = &clean.get().facts;
    assert_eq!((facts.outcome, facts.gate, facts.attempt), (Some(Outcome::Unknown), Gate::New, Some(1)));
    for body in clean.get().bodies.iter().filter(|body| body.is_json) {
        assert!(serde_json::from_str::<serde_json::Value>(&body.body).is_ok(), "{}", body.body);
    }
}

#[test]
fn a_secret_key_in_a_frame_counts_for_the_body_below_it() {
    let body = |body: &str, is_json| Content {
        kind: ContentKind::Attribute,
        role: String::new(),
        is_json,
        body: body.to_owned(),
        cut_from: None,
    };
    let framed = |before: &str, piece: Piece, after: &str| {
        Value::Framed(vec![Piece::Text(before.to_owned()), piece, Piece::Text(after.to_owned())])
    };
    let step = Step {
        bodies: vec![
            body("{\"value\":\"one\"}", true),
            body("{\"value\":\"two\"}", true),
            body("{\"user\":{\"password\":\"three\",\"note\":\"kept\"}}", true),
            body("four", false),
        ],
        attributes: vec![
            ("x".to_owned(), framed("{\"cookies\":[", Piece::Body(0), "],\"api_key\":\"1\"}")),
            ("y".to_owned(), framed("{\"list\":[", Piece::Body(1), "],\"pwd\":{\"z\":12}}")),
            (
                "args".to_owned(),
                Value::Map(vec![(
                    "password".to_owned(),
                    Value::Framed(vec![Piece::Inside(2, "/user/password".to_owned())]),
                )]),
            ),
            ("http.request.header.authorization".to_owned(), Value::Framed(vec![Piece::Body(3)])),
        ],
        ..Step::default()
    };
    let redactor = Redactor::new(&Settings::default()).unwrap();
    let clean = redactor.clean(step, &SecretKey::new(1, [1; 32]));
    let bodies: Vec<&str> = clean.get().bodies.iter().map(|body| body.body.as_str()).collect();
    let mark = "[redacted:secret]";
    let third = format!("{{\"user\":{{\"password\":\"{mark}\",\"note\":\"kept\"}}}}");
    assert_eq!(bodies, [&format!("\"{mark}\""), "{\"value\":\"two\"}", &third, mark]);
    let expected = [
        Value::Framed(vec![Piece::Text(format!("{{\"cookies\":[\"{mark}\"],\"api_key\":\"{mark}\"}}"))]),
        framed("{\"list\":[", Piece::Body(1), &format!("],\"pwd\":{{\"z\":\"{mark}\"}}}}")),
    ];
    let kept: Vec<&Value> = clean.get().attributes.iter().map(|(_, value)| value).collect();
    assert_eq!(kept[..2], [&expected[0], &expected[1]]);
    assert_eq!(kept[3], &Value::String(mark.to_owned()));
    let Value::Map(args) = kept[2] else { panic!("no map") };
    assert_eq!(args[0].1, Value::Framed(vec![Piece::Inside(2, "/user/password".to_owned())]));
}
