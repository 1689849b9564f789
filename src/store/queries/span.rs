//! Everything kept under one span id.
use crate::domain::ids::{SpanId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::StepRow;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::reader::Reader;
use crate::store::rows::steps::read_step;
use crate::store::rows::steps::{FOLDED, SPELT};

const SQL: &str = include_str!("span.sql");

/// The records under a span id with all that was sent, spans before events before logs; several spans are
/// versions. Frames are not filled: [`StepRow::bodies`] says which bodies they need, and
/// [`rebuild`](crate::conventions::rebuild) puts them in.
///
/// # Errors
/// As for any read.
pub async fn span(
    store: &Store,
    scope: &Scope,
    trace_id: TraceId,
    span_id: SpanId,
) -> Result<Vec<StepRow>, StoreError> {
    let read = store
        .read(scope, &select(SQL, FOLDED.iter().chain(SPELT)))
        .bind("trace_id", trace_id.to_string())
        .bind("span_id", span_id.to_string());
    let bytes = whole(read).await?;
    let mut from = Reader::new(&bytes);
    let mut rows = Vec::new();
    while from.left() > 0 {
        rows.push(read_step(&mut from)?);
    }
    Ok(rows)
}
