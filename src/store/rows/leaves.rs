//! Table `leaves`: one hash for each record kept, in the order of the log; append-only evidence.
//!
//! A leaf is encoded before the log has given its frame a number, so its place is left open in front of
//! the row and filled in when the frame is drained: the same frame always gives the same bytes.
use crate::domain::ids::{Project, RecordId, TraceId};
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// The columns and their types, in the order of a row on its way in.
pub(in crate::store) const COLUMNS: [(&str, &str); 8] = [
    ("log_id", "FixedString(16)"),
    ("frame", "UInt64"),
    ("position", "UInt32"),
    ("leaf_hash", "FixedString(32)"),
    ("record_id", "FixedString(16)"),
    ("trace_id", "FixedString(16)"),
    ("expires", "Date"),
    ("project", "String"),
];
/// Length of `log_id` and `frame`, which are filled in later.
const PLACE_BYTES: usize = 16 + 8;

/// A leaf on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptLeaf<'a> {
    pub(in crate::store) project: &'a Project,
    /// Its place in the frame.
    pub(in crate::store) position: u32,
    pub(in crate::store) hash: [u8; 32],
    pub(in crate::store) record_id: RecordId,
    pub(in crate::store) trace_id: TraceId,
    pub(in crate::store) expires: Day,
}

/// Appends one row, its place still open.
pub(in crate::store) fn write_leaf(out: &mut Writer, leaf: &KeptLeaf<'_>) {
    out.raw(&[0; PLACE_BYTES]);
    out.u32(leaf.position);
    out.raw(&leaf.hash);
    leaf.record_id.write(out);
    leaf.trace_id.write(out);
    leaf.expires.write(out);
    out.text(&leaf.project.0);
}

/// Reads whose leaf a row is.
pub(in crate::store) fn record_of_leaf(row: &[u8]) -> Result<RecordId, ReadError> {
    let mut from = Reader::new(row);
    // Place, position, hash.
    from.raw(PLACE_BYTES + 4 + 32)?;
    RecordId::read(&mut from)
}

/// Fills in the place of a leaf, unless it has one: rows that were put aside have been placed before.
pub(in crate::store) fn place_leaf(row: &mut [u8], log_id: [u8; 16], frame: u64) {
    let Some(place) = row.first_chunk_mut::<PLACE_BYTES>() else { return };
    if place.iter().all(|byte| *byte == 0) {
        let known = log_id.into_iter().chain(frame.to_le_bytes());
        place.iter_mut().zip(known).for_each(|(to, from)| *to = from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_filled_in_once() {
        let mut out = Writer::default();
        let project = &Project::default();
        let (record_id, trace_id) = (RecordId([3; 16]), TraceId([4; 16]));
        let leaf = KeptLeaf { project, position: 7, hash: [2; 32], record_id, trace_id, expires: Day(5) };
        write_leaf(&mut out, &leaf);
        let mut row = out.into_bytes();
        place_leaf(&mut row, [9; 16], 258);
        place_leaf(&mut row, [8; 16], 1);
        assert_eq!(row[..16], [9; 16]);
        assert_eq!(row[16..24], [2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!((row[24], &row[28..60]), (7, &[2; 32][..]));
        assert_eq!(record_of_leaf(&row), Ok(record_id));
        place_leaf(&mut [], [9; 16], 1);
    }
}
