//! In which format rows are asked for.
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;

use crate::web::error::WebError;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::web) enum Format {
    /// Comma-separated, RFC 4180, with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// Parquet, with the members of the JSON objects as columns.
    Parquet,
}

impl Format {
    /// Reads the parameter `format`; `None` for a JSON answer.
    pub(in crate::web) fn read(word: Option<&str>) -> Result<Option<Self>, WebError> {
        match word {
            None | Some("json") => Ok(None),
            Some("csv") => Ok(Some(Self::Csv)),
            Some("jsonl") => Ok(Some(Self::Jsonl)),
            Some("parquet") => Ok(Some(Self::Parquet)),
            Some(_) => Err(WebError::Invalid("`format` is `json`, `csv`, `jsonl` or `parquet`".to_owned())),
        }
    }

    fn media(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Jsonl => "application/jsonl",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }

    /// The answer as a file of this format, with a name that is safe as one.
    pub(in crate::web) fn file(self, stem: &str, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media()));
        let name = format!("attachment; filename=\"{stem}.{}\"", self.ending());
        if let Ok(name) = HeaderValue::from_str(&name) {
            headers.insert(CONTENT_DISPOSITION, name);
        }
        response
    }
}
