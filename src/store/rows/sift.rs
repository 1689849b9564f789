//! Leaves out of an insert what was erased.
use std::ops::Range;

use bytes::{Bytes, BytesMut};

use crate::store::rows::contents::content_key;
use crate::store::rows::frame::Insert;
use crate::store::rows::leaves::record_of_leaf;
use crate::store::rows::reader::Reader;
use crate::store::rows::steps::record_of_step;
use crate::store::rows::table::Table;
use crate::store::rows::tombs::Tombs;

/// These rows of an insert without what was erased. The record of an erased row stands in the store already,
/// without its contents, and so does its leaf.
pub fn sifted(tombs: &Tombs, insert: &Insert, rows: Range<usize>) -> Bytes {
    let end_of = |row: usize| row.checked_sub(1).and_then(|row| insert.ends.get(row)).copied().unwrap_or(0);
    let row = |row: usize| insert.bytes.get(end_of(row)..end_of(row + 1)).unwrap_or_default();
    let is_gone = |bytes: &[u8]| match insert.table {
        Table::Contents => {
            content_key(&mut Reader::new(bytes)).is_ok_and(|key| tombs.has_body(key.trace_id, key.digest))
        }
        Table::Steps => record_of_step(bytes).is_ok_and(|id| tombs.has_record(&id)),
        Table::Leaves => record_of_leaf(bytes).is_ok_and(|id| tombs.has_record(&id)),
        Table::Rejects
        | Table::Lifecycle
        | Table::Tree
        | Table::Checkpoints
        | Table::EntityRuns
        | Table::Activity
        | Table::Runs
        | Table::Actions
        | Table::CaseEvents
        | Table::Cases => false,
    };
    if tombs.is_empty() || !rows.clone().any(|at| is_gone(row(at))) {
        let (from, to) = (end_of(rows.start), end_of(rows.end).min(insert.bytes.len()));
        return insert.bytes.slice(from.min(to)..to);
    }
    let mut kept = BytesMut::new();
    rows.map(row).filter(|bytes| !is_gone(bytes)).for_each(|bytes| kept.extend_from_slice(bytes));
    kept.freeze()
}
