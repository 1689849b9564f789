//! A result in a format that can't be joined from pieces, such as Parquet: written to a file, then read in
//! pieces.
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;

use crate::store::engine::connection::{Connection, Parameter};
use crate::store::engine::exception::Exception;

/// How much of the file is read at a time.
const PIECE_BYTES: u64 = 1 << 20;

/// A result on disk. Nobody else sees the file, and it is gone when this is.
pub(super) struct Written {
    file: File,
}

impl Written {
    /// Runs a `SELECT` and writes its result to a new file at `path`.
    pub(super) fn of(
        connection: &mut Connection,
        sql: &str,
        format: &str,
        parameters: &[Parameter],
        path: &Path,
    ) -> Result<Self, Exception> {
        let done = connection.run(&statement(sql, format, path)?, "Null", parameters);
        let file = done.and_then(|_| File::open(path).map_err(|error| unreadable(&error)));
        // Open or failed, its name is not needed any more.
        fs::remove_file(path).unwrap_or_default();
        Ok(Self { file: file? })
    }

    /// The next piece; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, Exception> {
        let mut piece = Vec::new();
        self.file.by_ref().take(PIECE_BYTES).read_to_end(&mut piece).map_err(|error| unreadable(&error))?;
        Ok((!piece.is_empty()).then(|| piece.into()))
    }
}

fn statement(sql: &str, format: &str, path: &Path) -> Result<String, Exception> {
    let unusable = |what: &str| Exception::new(36, "BAD_ARGUMENTS", what);
    if !format.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(unusable("the name of the format is no name."));
    }
    let path = path.to_str().ok_or_else(|| unusable("the data directory's path is no UTF-8."))?;
    let path = path.replace('\\', "\\\\").replace('\'', "\\'");
    let sql = sql.trim_end().trim_end_matches(';');
    Ok(format!("{sql}\nINTO OUTFILE '{path}' TRUNCATE FORMAT {format}"))
}

fn unreadable(error: &io::Error) -> Exception {
    Exception::new(
        74,
        "CANNOT_READ_FROM_FILE_DESCRIPTOR",
        &format!("the written result cannot be read: {error}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_and_the_format_are_quoted_or_refused() {
        assert_eq!(
            statement("SELECT 1 -- all;\n;\n", "Parquet", Path::new("/d/it's/1")).unwrap(),
            "SELECT 1 -- all;\n\nINTO OUTFILE '/d/it\\'s/1' TRUNCATE FORMAT Parquet"
        );
        assert_eq!(statement("SELECT 1", "CSV INTO", Path::new("/d")).unwrap_err().code(), 36);
    }
}
