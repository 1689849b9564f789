//! The spans that were sent with bodies which no convention reads: long attributes.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("body_spans.sql");
/// The most spans that are named.
const SPANS_MAX: u64 = 10_000;

#[derive(Row, Deserialize)]
struct Sent {
    trace: String,
    span: String,
    body_digest: String,
}

/// Which spans of these traces have which of these bodies among their attributes or events, in the order of
/// their ids.
///
/// # Errors
/// As for any read.
pub async fn body_spans(
    store: &Store,
    scope: &Scope,
    traces: &[TraceId],
    digests: &[Digest],
) -> Result<Vec<(TraceId, SpanId, Digest)>, StoreError> {
    if digests.is_empty() {
        return Ok(Vec::new());
    }
    let read = store
        .read(scope, SQL)
        .bind("traces", traces.iter().map(ToString::to_string).collect::<Vec<_>>())
        .bind("digests", digests.iter().map(ToString::to_string).collect::<Vec<_>>())
        .bind("rows_max", SPANS_MAX);
    let sent = read.all::<Sent>().await?;
    let ids = |sent: &Sent| {
        Some((TraceId::parse(&sent.trace)?, SpanId::parse(&sent.span)?, Digest::parse(&sent.body_digest)?))
    };
    Ok(sent.iter().filter_map(ids).collect())
}
