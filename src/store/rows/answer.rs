//! Answers of the store as rows of ours: RowBinary, read whole.
use crate::domain::record::Record;
use crate::store::error::StoreError;
use crate::store::read::Read;
use crate::store::rows::column::{Column, Read as ReadCell, names, read_rows};
use crate::store::rows::reader::ReadError;
use crate::store::rows::steps::{FOLDED, StepRow};

/// No page and no fold needs more than this at once.
const ANSWER_BYTES_MAX: usize = 1 << 30;

impl From<ReadError> for StoreError {
    fn from(error: ReadError) -> Self {
        Self::Unreadable { reason: error.to_string() }
    }
}

/// The statement with its `$columns` spelt out.
pub(in crate::store) fn select<'a, W: 'a, R: 'a>(
    sql: &str,
    columns: impl IntoIterator<Item = &'a Column<W, R>>,
) -> String {
    sql.replace("$columns", &names(columns))
}

/// The whole answer.
pub(in crate::store) async fn whole(read: Read) -> Result<Vec<u8>, StoreError> {
    let mut pieces = read.bytes("RowBinary")?;
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err(StoreError::Unreadable { reason: format!("more than {ANSWER_BYTES_MAX} bytes") });
        }
    }
    Ok(bytes)
}

/// The answer as rows of a `T`.
pub(in crate::store) async fn rows<W, T>(
    read: Read,
    columns: &[Column<W, ReadCell<T>>],
    fresh: impl Fn() -> T,
) -> Result<Vec<T>, StoreError> {
    Ok(read_rows(columns, &whole(read).await?, fresh)?)
}

/// The answer as records, of each only the first arrival: copies in two partitions never merge.
pub(in crate::store) async fn records(read: Read) -> Result<Vec<Record>, StoreError> {
    let rows = rows(read, FOLDED, StepRow::default).await?;
    Ok(first_arrivals(rows.into_iter().map(|row| row.record).collect()))
}

fn first_arrivals(mut records: Vec<Record>) -> Vec<Record> {
    let place = |record: &Record| {
        let facts = &record.facts;
        (facts.trace_id, facts.span_id, facts.carrier, record.record_id, record.received_ns)
    };
    records.sort_by_key(place);
    records.dedup_by_key(|record| {
        let (trace_id, span_id, carrier, record_id, _) = place(record);
        (trace_id, span_id, carrier, record_id)
    });
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::RecordId;

    #[test]
    fn the_first_arrival_stays() {
        let record =
            |id: u8, received_ns| Record { record_id: RecordId([id; 16]), received_ns, ..Record::default() };
        let records = first_arrivals(vec![record(2, 5), record(1, 9), record(2, 3), record(1, 10)]);
        assert_eq!(records, vec![record(1, 9), record(2, 3)]);
    }
}
