//! A file of rows as it is written, piece by piece.
use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::web::export::csv::csv_line;
use crate::web::export::format::Format;
use crate::web::export::parquet::ParquetFile;
use crate::web::export::sheet::{cell, columns};

/// The file, as far as it must be remembered between two pieces.
pub(in crate::web) enum Written {
    /// CSV: its columns, and whether their names are written.
    Csv { heads: Vec<String>, begun: bool },
    /// JSON lines.
    Jsonl,
    /// Parquet.
    Parquet(Box<ParquetFile>),
}

impl Written {
    /// A file of rows of a type; in CSV only the members that are chosen, all of them when none is.
    ///
    /// # Errors
    /// When it can't be begun.
    pub(in crate::web) fn new<T: JsonSchema>(format: Format, chosen: &[&str]) -> io::Result<Self> {
        Ok(match format {
            Format::Csv if chosen.is_empty() => {
                let heads = columns::<T>().into_iter().map(|column| column.name).collect();
                Self::Csv { heads, begun: false }
            }
            Format::Csv => {
                Self::Csv { heads: chosen.iter().map(ToString::to_string).collect(), begun: false }
            }
            Format::Jsonl => Self::Jsonl,
            Format::Parquet => Self::Parquet(Box::new(ParquetFile::new(columns::<T>())?)),
        })
    }

    /// The bytes of these rows, as far as they are ready.
    ///
    /// # Errors
    /// When a row can't be written.
    pub(in crate::web) fn rows<T: Serialize>(
        &mut self,
        rows: impl IntoIterator<Item = T>,
    ) -> io::Result<Vec<u8>> {
        let mut out = String::new();
        match self {
            Self::Csv { heads, begun } => {
                if !std::mem::replace(begun, true) {
                    out.push_str(&csv_line(heads.iter().cloned()));
                }
                for row in rows {
                    let row = serde_json::to_value(row)?;
                    out.push_str(&csv_line(
                        heads.iter().map(|head| row.get(head).map(cell).unwrap_or_default()),
                    ));
                }
            }
            Self::Jsonl => {
                for row in rows {
                    out.push_str(&serde_json::to_string(&row)?);
                    out.push('\n');
                }
            }
            Self::Parquet(file) => {
                for row in rows {
                    let Value::Object(row) = serde_json::to_value(row)? else {
                        return Err(io::Error::other("a row is no object"));
                    };
                    file.push(row)?;
                }
                return file.piece();
            }
        }
        Ok(out.into_bytes())
    }

    /// What stands behind the last row.
    ///
    /// # Errors
    /// When it can't be written.
    pub(in crate::web) fn end(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Csv { .. } | Self::Jsonl => Ok(Vec::new()),
            Self::Parquet(file) => file.finish(),
        }
    }
}
