//! HTTP and RPC client spans below a step: never steps, but the best evidence of what became of one.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Exchange, Field, Read, Text, code, read, text};
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "http",
        title: "HTTP client spans",
        about: "Stable and old names. Idempotency keys are there where the SDK is told to capture \
                the header (OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST).",
        reads: READS,
    },
    scopes: &[],
    events: &[],
    code: claim_transport,
};

const READS: &[Read] = &[
    read("http.request.method", Field::Http(Exchange::Method)),
    read("http.method", Field::Http(Exchange::Method)),
    read("http.response.status_code", Field::Http(Exchange::Status)),
    read("http.status_code", Field::Http(Exchange::Status)),
    read("http.request.resend_count", Field::Http(Exchange::Resend)),
    read("http.resend_count", Field::Http(Exchange::Resend)),
    read("http.response.header.retry-after", Field::Http(Exchange::RetryAfter)),
    read("http.response.header.retry_after", Field::Http(Exchange::RetryAfter)),
    text("http.request.header.idempotency-key", Text::Key),
    text("http.request.header.idempotency_key", Text::Key),
    text("http.request.header.x-idempotency-key", Text::Key),
    text("http.request.header.x_idempotency_key", Text::Key),
    code("rpc.system", "an RPC client span"),
    code("rpc.system.name", "an RPC client span"),
];

fn claim_transport(draft: &mut Draft<'_>) -> Option<()> {
    let calls = draft.step.facts.http.as_ref().is_some_and(|http| http.method.is_some());
    let calls = calls || draft.get("rpc.system").is_some() || draft.get("rpc.system.name").is_some();
    if calls && draft.source.client {
        draft.claim(KindRule::Http, Work::Kind(Kind::Transport));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{read, span};
    use crate::domain::value::Value;
    use crate::otlp::WireSpan;

    #[test]
    fn client_calls_are_transport_in_both_spellings() {
        for (method, status) in
            [("http.request.method", "http.response.status_code"), ("http.method", "http.status_code")]
        {
            let list = vec![(method, "post".into()), (status, 503.into())];
            let facts = read(&WireSpan { kind: 3, ..span("POST", list) }).facts;
            let http = facts.http.unwrap();
            assert_eq!(
                (facts.kind, http.method.as_deref(), http.status_code),
                (Kind::Transport, Some("POST"), Some(503))
            );
        }
        let server =
            read(&WireSpan { kind: 2, ..span("POST", vec![("http.request.method", "POST".into())]) });
        assert_eq!(server.facts.kind, Kind::Other);
    }

    #[test]
    fn keys_and_waits_are_in_headers() {
        let list = vec![
            ("http.request.method", "POST".into()),
            ("http.request.header.idempotency_key", Value::Array(vec!["k-1".into()])),
            ("http.response.header.retry-after", Value::Array(vec!["30".into()])),
            ("http.request.resend_count", 2.into()),
        ];
        let facts = read(&WireSpan { kind: 3, ..span("POST", list) }).facts;
        let http = facts.http.unwrap();
        assert_eq!(
            (facts.key.as_deref(), http.retry_after.as_deref(), http.resend_count),
            (Some("k-1"), Some("30"), Some(2))
        );
    }
}
