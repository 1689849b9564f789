//! Rows on their way through the log: one request is one frame, and the frames of a segment become one
//! insert a table.
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use bytes::Bytes;

use crate::domain::ids::{Project, TraceId};
use crate::store::rows::cell::Cell;
use crate::store::rows::contents::{ContentKey, content_key};
use crate::store::rows::encoder::EncodedRequest;
use crate::store::rows::leaves::place_leaf;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::steps::filed_under;
use crate::store::rows::table::Table;
use crate::store::rows::writer::Writer;

/// The form of frames and headers. Raise it when either changes, and keep reading the old one.
const VERSION: u8 = 1;

/// Bytes from the log that are not a frame of ours, although their checksum was right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Written by a later version.
    #[error("the log was written in form {0}, which this version does not know")]
    Version(u8),
    /// A table this version does not have.
    #[error("the log holds rows of a table that this version does not have")]
    Table,
    /// Cut or damaged.
    #[error("a frame of the log cannot be read")]
    Damaged(#[from] ReadError),
}

/// What the header of each log segment says: the columns its rows have, so that an upgrade can still drain
/// it.
pub fn segment_header() -> Vec<u8> {
    let mut out = Writer::default();
    out.u8(VERSION);
    out.length(Table::ALL.len());
    for table in Table::ALL {
        out.text(table.name());
        table.columns().write(&mut out);
    }
    out.into_bytes()
}

impl EncodedRequest {
    /// The request as one frame of the log.
    pub fn to_frame(&self) -> Bytes {
        let rows: usize = self.tables.iter().map(|rows| rows.bytes.len() + 32 + 3 * rows.lengths.len()).sum();
        let mut out = Writer::with_capacity(rows + 64 + 16 * self.traces.len());
        out.u8(VERSION);
        self.project.write(&mut out);
        self.traces.write(&mut out);
        out.length(self.tables.len());
        for rows in &self.tables {
            write_rows(&mut out, rows.table, &rows.lengths, &rows.bytes);
        }
        out.into_bytes().into()
    }
}

/// One insert: all rows of one table in one segment. The same segment always gives the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insert {
    /// The table.
    pub table: Table,
    /// The columns that the rows have.
    pub columns: Vec<String>,
    /// The rows, in RowBinary.
    pub bytes: Bytes,
    /// Where each row ends.
    pub ends: Vec<usize>,
}

impl Insert {
    /// Some of the rows as a frame that [`Gathered::of`] reads under the header of their segment, for a
    /// file of rows that the store refuses.
    pub fn frame_of(&self, rows: Range<usize>) -> Bytes {
        let end_of = |row: usize| row.checked_sub(1).and_then(|row| self.ends.get(row)).copied().unwrap_or(0);
        let lengths: Vec<usize> =
            rows.clone().map(|row| end_of(row + 1).saturating_sub(end_of(row))).collect();
        let bytes = self.bytes.get(end_of(rows.start)..end_of(rows.end)).unwrap_or_default();
        let mut out = Writer::with_capacity(bytes.len() + 64);
        out.u8(VERSION);
        let touched = self.touched(&lengths, bytes);
        touched.first().map_or(&Project(String::new()), |(project, _)| project).write(&mut out);
        touched.iter().map(|(_, trace_id)| *trace_id).collect::<Vec<_>>().write(&mut out);
        out.length(1);
        write_rows(&mut out, self.table, &lengths, bytes);
        out.into_bytes().into()
    }

    /// The traces of rows of `steps` that have the columns we know; rows of one frame are of one project.
    fn touched(&self, lengths: &[usize], mut bytes: &[u8]) -> Vec<(Project, TraceId)> {
        let mut touched = Vec::new();
        for length in lengths.iter().filter(|_| self.table == Table::Steps) {
            let Some((row, rest)) = bytes.split_at_checked(*length) else { break };
            touched.extend(filed_under(&mut Reader::new(row)).ok());
            bytes = rest;
        }
        touched
    }
}

fn write_rows(out: &mut Writer, table: Table, lengths: &[usize], bytes: &[u8]) {
    out.text(table.name());
    out.length(lengths.len());
    lengths.iter().for_each(|length| out.length(*length));
    out.blob(bytes);
}

/// What a segment, or a part of one, holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gathered {
    /// In the order in which tables must be filled: bodies before the steps that name them.
    pub inserts: Vec<Insert>,
    /// The traces to project, each once.
    pub touched: Vec<(Project, TraceId)>,
}

impl Gathered {
    /// Gathers frames, each with its number in the log, under the header of their segment.
    pub fn of<'a>(
        header: &[u8],
        log_id: [u8; 16],
        frames: impl IntoIterator<Item = (u64, &'a [u8])>,
    ) -> Result<Self, FrameError> {
        let columns = read_header(header)?;
        let mut gathering = Gathering { log_id, ..Gathering::default() };
        for (number, frame) in frames {
            gathering.add(number, frame)?;
        }
        let mut inserts = Vec::new();
        for (table, Rows { bytes, ends }) in gathering.tables {
            let columns = columns.get(&table).ok_or(FrameError::Table)?.clone();
            inserts.push(Insert { table, columns, bytes: bytes.into(), ends });
        }
        gathering.touched.sort_unstable();
        gathering.touched.dedup();
        Ok(Self { inserts, touched: gathering.touched })
    }
}

#[derive(Default)]
struct Gathering {
    log_id: [u8; 16],
    contents: HashSet<ContentKey>,
    tables: BTreeMap<Table, Rows>,
    touched: Vec<(Project, TraceId)>,
}

#[derive(Default)]
struct Rows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Gathering {
    fn add(&mut self, number: u64, frame: &[u8]) -> Result<(), FrameError> {
        let mut from = Reader::new(frame);
        read_version(&mut from)?;
        let project = Project::read(&mut from)?;
        let traces = Vec::<TraceId>::read(&mut from)?;
        self.touched.extend(traces.into_iter().map(|trace_id| (project.clone(), trace_id)));
        for _ in 0..from.length()? {
            let table = Table::from_name(&from.text()?).ok_or(FrameError::Table)?;
            let lengths =
                (0..from.length()?).map(|_| from.length()).collect::<Result<Vec<usize>, ReadError>>()?;
            let mut rows = Reader::new(from.blob()?);
            for length in lengths {
                self.row(table, rows.raw(length)?, number)?;
            }
        }
        Ok(())
    }

    fn row(&mut self, table: Table, row: &[u8], number: u64) -> Result<(), FrameError> {
        // An agent loop sends a message again before its first row is confirmed: in one insert one row is
        // enough.
        if table == Table::Contents && !self.contents.insert(content_key(&mut Reader::new(row))?) {
            return Ok(());
        }
        let rows = self.tables.entry(table).or_default();
        let start = rows.bytes.len();
        rows.bytes.extend_from_slice(row);
        rows.ends.push(rows.bytes.len());
        if table == Table::Leaves {
            place_leaf(rows.bytes.get_mut(start..).unwrap_or_default(), self.log_id, number);
        }
        Ok(())
    }
}

fn read_header(header: &[u8]) -> Result<BTreeMap<Table, Vec<String>>, FrameError> {
    let mut from = Reader::new(header);
    read_version(&mut from)?;
    let mut columns = BTreeMap::new();
    for _ in 0..from.length()? {
        let (name, list) = (from.text()?, Vec::read(&mut from)?);
        // A table that is gone matters only where a frame has rows for it.
        if let Some(table) = Table::from_name(&name) {
            columns.insert(table, list);
        }
    }
    Ok(columns)
}

fn read_version(from: &mut Reader<'_>) -> Result<(), FrameError> {
    let version = from.u8()?;
    if version == VERSION { Ok(()) } else { Err(FrameError::Version(version)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::{Content, ContentKind};
    use crate::domain::ids::Digest;
    use crate::store::rows::cell::Day;
    use crate::store::rows::contents::{KeptContent, write_content};
    use crate::store::rows::encoder::TableRows;

    fn contents(bodies: &[u8]) -> TableRows {
        let (mut out, mut lengths) = (Writer::default(), Vec::new());
        for body in bodies {
            let start = out.len();
            let content = Content {
                kind: ContentKind::Message,
                role: "user".to_owned(),
                is_json: false,
                body: "hello".repeat(usize::from(*body)),
                cut_from: None,
            };
            write_content(
                &mut out,
                &KeptContent {
                    project: &Project::default(),
                    trace_id: TraceId([1; 16]),
                    digest: Digest([*body; 16]),
                    expires: Day(20_000),
                    content: &content,
                },
            );
            lengths.push(out.len() - start);
        }
        TableRows { table: Table::Contents, bytes: out.into_bytes(), lengths }
    }

    fn steps(rows: &[&str]) -> TableRows {
        TableRows {
            table: Table::Steps,
            bytes: rows.concat().into_bytes(),
            lengths: rows.iter().map(|row| row.len()).collect(),
        }
    }

    fn request(tables: Vec<TableRows>, trace: u8) -> Bytes {
        EncodedRequest { project: Project::default(), tables, traces: vec![TraceId([trace; 16])] }.to_frame()
    }

    #[test]
    fn frames_become_one_insert_a_table_in_order() {
        let one = request(vec![steps(&["a", "bc"]), contents(&[1, 2])], 1);
        let two = request(vec![contents(&[2, 3]), steps(&["d"])], 1);
        let gathered =
            Gathered::of(&segment_header(), [0; 16], [(1, one.as_ref()), (2, two.as_ref())]).unwrap();
        let [bodies, rows] = &gathered.inserts[..] else { panic!("{gathered:?}") };
        assert_eq!((bodies.table, bodies.ends.len()), (Table::Contents, 3));
        assert_eq!(bodies.bytes, contents(&[1, 2, 3]).bytes);
        assert_eq!(
            (rows.table, &rows.ends[..], &rows.bytes[..]),
            (Table::Steps, &[1, 3, 4][..], &b"abcd"[..])
        );
        assert_eq!(rows.columns, Table::Steps.columns());
        assert_eq!(gathered.touched, vec![(Project::default(), TraceId([1; 16]))]);
    }

    #[test]
    fn rows_put_aside_are_gathered_again() {
        let frame = request(vec![contents(&[1, 2, 3])], 1);
        let gathered = Gathered::of(&segment_header(), [0; 16], [(1, frame.as_ref())]).unwrap();
        let aside = gathered.inserts[0].frame_of(1..3);
        let again = Gathered::of(&segment_header(), [0; 16], [(9, aside.as_ref())]).unwrap();
        assert_eq!(again.inserts[0].bytes, contents(&[2, 3]).bytes);
        assert_eq!(again.inserts[0].ends.len(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let frame = request(vec![contents(&[1])], 1);
        let header = segment_header();
        for cut in 0..frame.len() {
            assert!(Gathered::of(&header, [0; 16], [(1, &frame[..cut])]).is_err(), "{cut}");
        }
        let mut later = frame.to_vec();
        later[0] = 9;
        assert_eq!(Gathered::of(&header, [0; 16], [(1, &later[..])]), Err(FrameError::Version(9)));
    }
}
