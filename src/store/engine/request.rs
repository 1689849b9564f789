//! What a client of ClickHouse's HTTP interface asks for.
use bytes::Bytes;
use http_body_util::{BodyDataStream, BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;

use crate::store::engine::connection::Parameter;
use crate::store::engine::exception::Exception;
use crate::store::engine::pool::Session;

/// The longest statement with its parameters. Rows of an insert are not part of it.
const STATEMENT_BYTES_MAX: usize = 16 << 20;

/// Names in the URL that are no settings and change nothing here.
const IGNORED: &[&str] =
    &["query_id", "wait_end_of_query", "buffer_size", "client_protocol_version", "quota_key", "compress"];
/// Names in the URL that would change something we do not offer.
const REFUSED: &[&str] =
    &["session_id", "session_timeout", "session_check", "role", "decompress", "stacktrace"];

/// A statement and all that goes with it.
pub(super) struct Asked {
    pub(super) session: Session,
    pub(super) format: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) statement: Statement,
}

/// How a statement is run.
pub(super) enum Statement {
    /// It returns rows, which may be many.
    Select(String),
    /// Its rows follow as the rest of the request.
    Insert { sql: String, format: String, rows: Incoming },
    /// Anything else, its result small. `session` is set when it changes the connection it runs on.
    Command { sql: String, session: bool },
}

/// Reads a request. The rows of an insert are left in the body.
pub(super) async fn read(parts: &Parts, body: Incoming) -> Result<Asked, Exception> {
    let mut asked = Draft::default();
    for (name, value) in url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        asked.take(&name, value.into_owned())?;
    }
    if let Some((sql, format)) = rows_format(&asked.sql) {
        let statement = Statement::Insert { sql: sql.to_owned(), format: format.to_owned(), rows: body };
        return Ok(asked.with(statement));
    }
    let content_type =
        parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if content_type.starts_with("multipart/form-data") {
        asked.take_form(content_type, body).await?;
    } else {
        let rest = Limited::new(body, STATEMENT_BYTES_MAX)
            .collect()
            .await
            .map_err(|error| wrong(&error.to_string()))?;
        asked.take_text(&rest.to_bytes())?;
    }
    let sql = std::mem::take(&mut asked.sql);
    let statement = match first_word(&sql).as_str() {
        "" => return Err(Exception::new(62, "SYNTAX_ERROR", "Empty query")),
        "SELECT" | "WITH" => Statement::Select(sql),
        "SET" | "USE" => Statement::Command { sql, session: true },
        "CREATE" => {
            let session = sql.to_ascii_uppercase().contains("TEMPORARY");
            Statement::Command { sql, session }
        }
        _ => Statement::Command { sql, session: false },
    };
    Ok(asked.with(statement))
}

#[derive(Default)]
struct Draft {
    sql: String,
    format: String,
    session: Session,
    parameters: Vec<Parameter>,
}

impl Draft {
    fn take(&mut self, name: &str, value: String) -> Result<(), Exception> {
        match name {
            "query" => self.sql.push_str(&value),
            "database" => self.session.database = Some(value).filter(|value| !value.is_empty()),
            "default_format" => self.format = value,
            "compress" | "decompress" if value == "0" => {}
            _ if IGNORED.contains(&name) => {}
            _ if REFUSED.contains(&name) => {
                return Err(Exception::new(
                    48,
                    "NOT_IMPLEMENTED",
                    &format!("the embedded engine takes no `{name}`."),
                ));
            }
            _ => match name.strip_prefix("param_") {
                Some(parameter) => self.parameters.push((parameter.to_owned(), value)),
                None => self.session.settings.push((name.to_owned(), value)),
            },
        }
        Ok(())
    }

    fn take_text(&mut self, text: &Bytes) -> Result<(), Exception> {
        let text = std::str::from_utf8(text).map_err(|error| wrong(&error.to_string()))?;
        if !self.sql.is_empty() && !text.is_empty() {
            self.sql.push('\n');
        }
        self.sql.push_str(text);
        Ok(())
    }

    async fn take_form(&mut self, content_type: &str, body: Incoming) -> Result<(), Exception> {
        let boundary = multer::parse_boundary(content_type).map_err(|error| wrong(&error.to_string()))?;
        let limit = u64::try_from(STATEMENT_BYTES_MAX).unwrap_or(u64::MAX);
        let limits = multer::Constraints::new().size_limit(multer::SizeLimit::new().whole_stream(limit));
        let mut form = multer::Multipart::with_constraints(BodyDataStream::new(body), boundary, limits);
        while let Some(field) = form.next_field().await.map_err(|error| wrong(&error.to_string()))? {
            let name = field.name().unwrap_or_default().to_owned();
            let value = field.bytes().await.map_err(|error| wrong(&error.to_string()))?;
            let value = String::from_utf8(value.into()).map_err(|error| wrong(&error.to_string()))?;
            self.take(&name, value)?;
        }
        Ok(())
    }

    fn with(mut self, statement: Statement) -> Asked {
        self.session.settings.sort();
        let format = if self.format.is_empty() { "TabSeparated".to_owned() } else { self.format };
        Asked { session: self.session, format, parameters: self.parameters, statement }
    }
}

fn wrong(what: &str) -> Exception {
    Exception::new(36, "BAD_ARGUMENTS", &format!("the request cannot be read: {what}."))
}

/// An `INSERT … FORMAT X` whose rows stand elsewhere, apart from its format.
fn rows_format(sql: &str) -> Option<(&str, &str)> {
    let sql = sql.trim_end().trim_end_matches(';').trim_end();
    let (rest, format) = sql.rsplit_once(char::is_whitespace)?;
    let (rest, word) = rest.trim_end().rsplit_once(char::is_whitespace)?;
    let named = word.eq_ignore_ascii_case("FORMAT") && format.bytes().all(|b| b.is_ascii_alphanumeric());
    (named && first_word(sql) == "INSERT").then_some((rest, format))
}

/// Whether a statement may name its own format. A word in a text or a comment counts too, which costs memory
/// only.
pub(super) fn names_format(sql: &str) -> bool {
    sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .any(|word| word.eq_ignore_ascii_case("FORMAT"))
}

/// The first word of a statement in upper case, past comments and opening brackets.
fn first_word(sql: &str) -> String {
    let mut rest = sql.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    loop {
        let after = if let Some(comment) = rest.strip_prefix("--").or_else(|| rest.strip_prefix('#')) {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest
                .chars()
                .take_while(|c| c.is_ascii_alphabetic())
                .collect::<String>()
                .to_ascii_uppercase();
        };
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_past_comments() {
        for (sql, word) in [
            ("select 1", "SELECT"),
            ("  -- why\n/* and\nhow */ (SELECT 1) UNION ALL SELECT 2", "SELECT"),
            ("-- only a comment", ""),
            ("", ""),
            ("WITH 1 AS x SELECT x", "WITH"),
        ] {
            assert_eq!(first_word(sql), word, "{sql}");
        }
    }

    #[test]
    fn inserts_with_rows_apart_are_told_from_others() {
        assert_eq!(
            rows_format("INSERT INTO t (a) FORMAT RowBinary"),
            Some(("INSERT INTO t (a)", "RowBinary"))
        );
        assert_eq!(rows_format("insert into t\nformat CSV ;"), Some(("insert into t", "CSV")));
        assert_eq!(rows_format("INSERT INTO t VALUES (1)"), None);
        assert_eq!(rows_format("INSERT INTO t SELECT 1"), None);
        assert_eq!(rows_format("SELECT 1 FORMAT CSV"), None);
    }

    #[test]
    fn a_format_of_its_own_is_seen() {
        assert!(names_format("SELECT 1\nformat JSON"));
        assert!(!names_format("SELECT formatDateTime(now(), '%F'), format_x FROM t"));
    }

    #[test]
    fn names_in_the_url_are_settings_parameters_or_refused() {
        let mut draft = Draft::default();
        for (name, value) in [("param_id", "7"), ("readonly", "1"), ("query_id", "x"), ("decompress", "0")] {
            draft.take(name, value.to_owned()).unwrap();
        }
        assert_eq!(draft.parameters, [("id".to_owned(), "7".to_owned())]);
        assert_eq!(draft.session.settings, [("readonly".to_owned(), "1".to_owned())]);
        assert_eq!(draft.take("decompress", "1".to_owned()).unwrap_err().code(), 48);
    }
}
