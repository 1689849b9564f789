//! The one way to write rows: bytes as they are, under a token that makes repeating harmless.
use bytes::Bytes;

use crate::store::client::Store;
use crate::store::error::StoreError;

/// Rows travel in pieces of this size, so that neither side holds two copies of a large insert.
const PIECE_BYTES: usize = 1 << 20;

/// What an insert must not leave to the defaults of the engine or of a server's profile.
const SETTINGS: &[(&str, &str)] = &[
    // Confirmed means stored here and now, not queued.
    ("async_insert", "0"),
    ("distributed_foreground_insert", "1"),
    // A repeated insert adds nothing to the table, nor to what its materialized views feed.
    ("insert_deduplicate", "1"),
    ("deduplicate_blocks_in_dependent_materialized_views", "1"),
    ("materialized_views_ignore_errors", "0"),
];

impl Store {
    /// Inserts rows that are encoded as `RowBinary` in the order of `columns`.
    ///
    /// `token` names these very bytes: sent again under it, they add nothing. It must differ whenever the
    /// bytes do, else the new rows are dropped in silence.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if the rows may have been kept: repeat with the same bytes and token.
    /// `Unreachable` and `Busy`: they were not; repeat later. `Refused`: these rows never will be. `Denied`:
    /// a person has to act.
    pub async fn insert_rows<C: AsRef<str>>(
        &self,
        table: &str,
        columns: &[C],
        rows: Bytes,
        token: &str,
    ) -> Result<(), StoreError> {
        let limit = self.insert_timeout();
        let mut insert = self.client.insert_formatted_with(statement(table, columns, token));
        for (name, value) in SETTINGS {
            insert = insert.with_setting(*name, *value);
        }
        insert = insert.with_timeouts(Some(limit), Some(limit));
        let sent = async {
            let mut rest = rows;
            while !rest.is_empty() {
                let piece = rest.split_to(rest.len().min(PIECE_BYTES));
                insert.send(piece).await?;
            }
            insert.end().await
        };
        match tokio::time::timeout(limit, sent).await {
            Ok(answer) => answer.map_err(|error| StoreError::of_write(error, limit)),
            Err(_) => Err(StoreError::of_write(clickhouse::error::Error::TimedOut, limit)),
        }
    }
}

fn statement<C: AsRef<str>>(table: &str, columns: &[C], token: &str) -> String {
    let mut sql = String::from("INSERT INTO ");
    push_quoted(&mut sql, '`', table);
    for (at, column) in columns.iter().enumerate() {
        sql.push_str(if at == 0 { " (" } else { ", " });
        push_quoted(&mut sql, '`', column.as_ref());
    }
    sql.push_str(if columns.is_empty() { " SETTINGS " } else { ") SETTINGS " });
    sql.push_str("insert_deduplication_token = ");
    push_quoted(&mut sql, '\'', token);
    sql.push_str(" FORMAT RowBinary");
    sql
}

fn push_quoted(sql: &mut String, quote: char, text: &str) {
    sql.push(quote);
    for c in text.chars() {
        if c == quote || c == '\\' {
            sql.push('\\');
        }
        sql.push(c);
    }
    sql.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tokens_are_quoted() {
        assert_eq!(
            statement("steps", &["a", "b`c"], "log-1'x"),
            "INSERT INTO `steps` (`a`, `b\\`c`) \
             SETTINGS insert_deduplication_token = 'log-1\\'x' FORMAT RowBinary"
        );
    }
}
