//! Where texts stand in the names, errors and attributes of the records of some traces.
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::ids::{SpanId, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::hits::hits;
use crate::store::texts::{TextFilter, TextPlace, shown};

const SQL: &str = include_str!("step_hits.sql");
/// A field up to this length comes whole.
const WHOLE_BYTES_MAX: u64 = 2_000;
/// The most fields of one record.
const FIELDS_MAX: u64 = 8;

/// A record in which the texts stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepHit {
    /// Its trace.
    pub trace_id: TraceId,
    /// Its span.
    pub span_id: SpanId,
    /// The fields that hold one of the texts.
    pub fields: Vec<HitField>,
}

/// A field in which a text stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitField {
    /// Errors, names or attributes.
    pub place: TextPlace,
    /// What it is called.
    pub name: String,
    /// Its text, or what stands around the first that was found.
    pub text: String,
}

#[derive(Row, Deserialize)]
struct Found {
    trace: String,
    span: String,
    fields: Vec<(String, String, String)>,
}

/// The records of these traces in which the texts stand, in no order.
///
/// # Errors
/// As for any read.
pub async fn step_hits(
    store: &Store,
    scope: &Scope,
    texts: &TextFilter,
    traces: &[TraceId],
) -> Result<Vec<StepHit>, StoreError> {
    let Some(holds) = texts.of_steps().filter(|_| !traces.is_empty()) else { return Ok(Vec::new()) };
    let sql = SQL.replace("$shown", &shown("field.3"));
    let read = hits(store, scope, texts, (&sql, &holds), traces)
        .bind("whole_max", WHOLE_BYTES_MAX)
        .bind("fields_max", FIELDS_MAX);
    let found = read.all::<Found>().await?;
    let hit = |found: Found| {
        let field = |(place, name, text): (String, String, String)| {
            Some(HitField { place: TextPlace::from_word(&place)?, name, text })
        };
        Some(StepHit {
            trace_id: TraceId::parse(&found.trace)?,
            span_id: SpanId::parse(&found.span)?,
            fields: found.fields.into_iter().filter_map(field).collect(),
        })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}
