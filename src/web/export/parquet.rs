//! Rows as a Parquet file, one group of rows after the other: no more than one group is in memory.
use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::{Map, Value};

use crate::web::export::sheet::{Column, Holds};

/// Rows of one group.
const GROUP_ROWS: usize = 4_000;

/// A file being written. Rows are JSON objects; members without a column are left out.
pub(in crate::web) struct ParquetFile {
    columns: Vec<Column>,
    writer: SerializedFileWriter<Vec<u8>>,
    waiting: Vec<Map<String, Value>>,
}

impl ParquetFile {
    /// A file with these columns.
    pub(in crate::web) fn new(columns: Vec<Column>) -> io::Result<Self> {
        let schema = parse_message_type(&schema(&columns))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("recount version {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        Ok(Self { columns, writer, waiting: Vec::new() })
    }

    /// Adds a row.
    pub(in crate::web) fn push(&mut self, row: Map<String, Value>) -> io::Result<()> {
        self.waiting.push(row);
        if self.waiting.len() >= GROUP_ROWS { self.group() } else { Ok(()) }
    }

    /// The bytes that are ready since the last ones.
    pub(in crate::web) fn piece(&mut self) -> io::Result<Vec<u8>> {
        self.writer.flush()?;
        Ok(std::mem::take(self.writer.inner_mut()))
    }

    /// The last bytes. Without them nothing can read the file.
    pub(in crate::web) fn finish(&mut self) -> io::Result<Vec<u8>> {
        if !self.waiting.is_empty() {
            self.group()?;
        }
        self.writer.finish()?;
        self.piece()
    }

    fn group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for column in &self.columns {
            if let Some(mut writer) = group.next_column()? {
                write(&mut writer, column, &rows)?;
                writer.close()?;
            }
        }
        group.close()?;
        Ok(())
    }
}

fn schema(columns: &[Column]) -> String {
    let columns = columns.iter().map(|Column { name, holds, maybe }| {
        let needed = if *maybe { "OPTIONAL" } else { "REQUIRED" };
        let list = |element: &str| {
            format!("REQUIRED GROUP {name} (LIST) {{ REPEATED GROUP list {{ REQUIRED {element}; }} }}")
        };
        match holds {
            Holds::Time => format!("{needed} INT64 {name} (TIMESTAMP(NANOS,true));"),
            Holds::Number => format!("{needed} INT64 {name};"),
            Holds::Fraction => format!("{needed} DOUBLE {name};"),
            Holds::Truth => format!("{needed} BOOLEAN {name};"),
            Holds::Text | Holds::Json => format!("{needed} BYTE_ARRAY {name} (STRING);"),
            Holds::Numbers => list("INT64 element"),
            Holds::Texts => list("BYTE_ARRAY element (STRING)"),
        }
    });
    format!("message rows {{ {} }}", columns.collect::<Vec<_>>().join(" "))
}

/// The values of a column, and where in the rows they stand: what Parquet calls definition and repetition
/// levels.
#[derive(Default)]
struct Cells<'a> {
    values: Vec<&'a Value>,
    defined: Option<Vec<i16>>,
    repeated: Option<Vec<i16>>,
}

impl<'a> Cells<'a> {
    fn of(column: &Column, rows: &'a [Map<String, Value>]) -> Self {
        let of_rows = rows.iter().map(|row| row.get(&column.name).unwrap_or(&Value::Null));
        if matches!(column.holds, Holds::Numbers | Holds::Texts) {
            return Self::lists(of_rows);
        }
        if !column.maybe {
            return Self { values: of_rows.collect(), ..Self::default() };
        }
        let defined = of_rows.clone().map(|cell| i16::from(!cell.is_null())).collect();
        let values = of_rows.filter(|cell| !cell.is_null()).collect();
        Self { values, defined: Some(defined), repeated: None }
    }

    fn lists(of_rows: impl Iterator<Item = &'a Value>) -> Self {
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for cell in of_rows {
            let elements = cell.as_array().map(Vec::as_slice).unwrap_or_default();
            if elements.is_empty() {
                defined.push(0);
                repeated.push(0);
            }
            for (at, element) in elements.iter().enumerate() {
                values.push(element);
                defined.push(1);
                repeated.push(i16::from(at > 0));
            }
        }
        Self { values, defined: Some(defined), repeated: Some(repeated) }
    }
}

fn write(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    rows: &[Map<String, Value>],
) -> Result<(), ParquetError> {
    let Cells { values, defined, repeated } = Cells::of(column, rows);
    let (defined, repeated) = (defined.as_deref(), repeated.as_deref());
    match column.holds {
        Holds::Time => {
            let values: Vec<i64> = values.into_iter().map(nanoseconds).collect();
            writer.typed::<Int64Type>().write_batch(&values, defined, repeated)?;
        }
        Holds::Number | Holds::Numbers => {
            let values: Vec<i64> = values.into_iter().map(whole).collect();
            writer.typed::<Int64Type>().write_batch(&values, defined, repeated)?;
        }
        Holds::Fraction => {
            let values: Vec<f64> = values.into_iter().map(|v| v.as_f64().unwrap_or_default()).collect();
            writer.typed::<DoubleType>().write_batch(&values, defined, repeated)?;
        }
        Holds::Truth => {
            let values: Vec<bool> = values.into_iter().map(|v| v.as_bool().unwrap_or_default()).collect();
            writer.typed::<BoolType>().write_batch(&values, defined, repeated)?;
        }
        Holds::Text | Holds::Texts => {
            let text = |value: &Value| ByteArray::from(value.as_str().unwrap_or_default());
            let values: Vec<ByteArray> = values.into_iter().map(text).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, defined, repeated)?;
        }
        Holds::Json => {
            let text = |value: &Value| ByteArray::from(value.to_string().into_bytes());
            let values: Vec<ByteArray> = values.into_iter().map(text).collect();
            writer.typed::<ByteArrayType>().write_batch(&values, defined, repeated)?;
        }
    }
    Ok(())
}

/// A count, or the largest that the format has: an epoch may be larger, and is no 0.
fn whole(value: &Value) -> i64 {
    value.as_i64().unwrap_or(if value.is_u64() { i64::MAX } else { 0 })
}

fn nanoseconds(value: &Value) -> i64 {
    let at = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    at.and_then(|at| i64::try_from(at.as_nanosecond()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;

    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, holds, maybe| Column { name: name.to_owned(), holds, maybe };
        vec![
            column("at", Holds::Time, false),
            column("ended_at", Holds::Time, true),
            column("said", Holds::Text, false),
            column("tool", Holds::Text, true),
            column("attempts", Holds::Number, false),
            column("cost", Holds::Fraction, true),
            column("whole", Holds::Truth, false),
            column("missing", Holds::Numbers, false),
            column("workers", Holds::Texts, false),
            column("path", Holds::Json, true),
        ]
    }

    #[test]
    fn a_number_too_large_is_not_nothing() {
        assert_eq!([json!(7), json!(-7), json!(u64::MAX)].map(|value| whole(&value)), [7, -7, i64::MAX]);
    }

    #[test]
    fn what_was_pushed_is_read_again_over_several_groups() {
        let mut file = ParquetFile::new(columns()).unwrap();
        let mut bytes = Vec::new();
        let count = GROUP_ROWS * 2 + 7;
        for number in 0..count {
            let workers: Vec<String> = (0..number % 4).map(|worker| format!("w{worker}")).collect();
            let row = json!({
                "at": "2026-11-12T16:02:11.000000007Z", "ended_at": null, "said": format!("Said {number}."),
                "tool": (number % 2 == 0).then_some("refund"), "attempts": number, "cost": 0.5,
                "whole": true, "missing": [number], "workers": workers, "path": [{"a": 1}], "unnamed": true,
            });
            let Value::Object(row) = row else { panic!("it is one") };
            file.push(row).unwrap();
            bytes.extend(file.piece().unwrap());
            assert!(file.waiting.len() < GROUP_ROWS && file.writer.inner().is_empty());
        }
        bytes.extend(file.finish().unwrap());
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 3);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), count);
        let row: Vec<_> = rows[4_098].get_column_iter().map(|(_, field)| field.to_string()).collect();
        let expected = ["\"Said 4098.\"", "\"refund\"", "4098", "0.5", "true", "[4098]", "[\"w0\", \"w1\"]"];
        assert_eq!(row[2..9], expected);
        let row: Vec<_> = rows[4_097].get_column_iter().map(|(_, field)| field.clone()).collect();
        assert_eq!((&row[1], &row[3]), (&Field::Null, &Field::Null));
        assert_eq!(row[9], Field::Str("[{\"a\":1}]".to_owned()));
        assert!(rows[4_096].to_string().contains("workers: []"), "{}", rows[4_096]);
    }

    #[test]
    fn a_file_without_rows_has_its_columns() {
        let bytes = ParquetFile::new(columns()).unwrap().finish().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let found = reader.metadata().file_metadata().schema_descr().columns().len();
        assert_eq!((reader.metadata().file_metadata().num_rows(), found), (0, columns().len()));
    }
}
