//! The records of the last runs, with all that was sent, for trying rules on them.
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::StepRow;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::reader::Reader;
use crate::store::rows::steps::{FOLDED, SPELT, read_step};

const SQL: &str = include_str!("last_spans.sql");

/// At most so many records of the last runs, in no order.
///
/// # Errors
/// As for any read.
pub async fn last_spans(store: &Store, scope: &Scope, rows_max: u16) -> Result<Vec<StepRow>, StoreError> {
    let read = store
        .read(scope, &select(SQL, FOLDED.iter().chain(SPELT)))
        .bind("runs_max", rows_max)
        .bind("rows_max", rows_max);
    let bytes = whole(read).await?;
    let mut from = Reader::new(&bytes);
    let mut rows = Vec::new();
    while from.left() > 0 {
        rows.push(read_step(&mut from)?);
    }
    Ok(rows)
}
