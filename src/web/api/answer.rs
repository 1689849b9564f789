//! A value as the JSON answer to a request, and JSON that was written already.
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::value::Value;
use crate::web::error::WebError;
use crate::web::value::{write_json, write_text};

/// The answer.
pub(in crate::web) struct Answer<T>(pub(in crate::web) T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
            }
            Err(error) => {
                tracing::error!(%error, "an answer could not be written");
                WebError::Broken.into_response()
            }
        }
    }
}

/// Keys and values as a list of `{"key", "value"}`: order and repeats survive.
pub(in crate::web) fn entries(entries: &[(String, Value)]) -> Option<Box<RawValue>> {
    let mut out = String::from("[");
    for (at, (key, value)) in entries.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str("{\"key\":");
        write_text(&mut out, key);
        out.push_str(",\"value\":");
        write_json(&mut out, value);
        out.push('}');
    }
    out.push(']');
    RawValue::from_string(out).ok()
}

/// Keys and values as an object.
pub(in crate::web) fn object(entries: &[(String, Value)]) -> Option<Box<RawValue>> {
    let mut out = String::new();
    write_json(&mut out, &Value::Map(entries.to_vec()));
    RawValue::from_string(out).ok()
}
