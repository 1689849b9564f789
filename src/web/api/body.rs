//! A JSON body as a request for a change: small, of the right type, and without names that nobody reads.
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;

use crate::web::error::WebError;

/// The most bytes of a body.
const BYTES_MAX: usize = 256 << 10;

/// The body, read. An empty one is an empty object.
pub(in crate::web) struct Json<T>(pub(in crate::web) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = WebError;

    async fn from_request(request: Request, _: &S) -> Result<Self, Self::Rejection> {
        let kind = request.headers().get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
        let essence = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        let is_json = essence.as_deref().is_some_and(|kind| kind == "application/json");
        let body = Limited::new(request.into_body(), BYTES_MAX).collect().await;
        let Ok(body) = body else { return Err(WebError::TooLarge(BYTES_MAX)) };
        let bytes = body.to_bytes();
        // Forms of other sites can send anything but JSON.
        let is_nothing = bytes.is_empty() && essence.is_none();
        if !is_json && !is_nothing {
            return Err(WebError::MediaType);
        }
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        serde_json::from_slice(text).map(Self).map_err(|error| {
            // Serde names the field and what it takes, and may quote a value: cut short, and plain.
            let said = error.to_string();
            let said = crate::web::text::plain(crate::web::text::cut(&said, 300));
            WebError::Invalid(format!("the body can't be read: {said}"))
        })
    }
}
