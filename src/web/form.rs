//! A form that somebody sent: its fields, decoded, in order.
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;

use crate::web::error::WebError;
use crate::web::params::Params;

/// Longest form that is read, in bytes.
const FORM_BYTES_MAX: usize = 64 << 10;

/// The fields.
pub(in crate::web) struct Form(pub(in crate::web) Params);

impl<S: Send + Sync> FromRequest<S> for Form {
    type Rejection = WebError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
        if !essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")) {
            return Err(WebError::Invalid(
                "this address takes a form (application/x-www-form-urlencoded)".to_owned(),
            ));
        }
        let too_long = || WebError::Invalid("the form could not be read; 64 KB is the most".to_owned());
        let limited =
            request.map(|body| axum::body::Body::new(http_body_util::Limited::new(body, FORM_BYTES_MAX)));
        let body = Bytes::from_request(limited, state).await.map_err(|_cut| too_long())?;
        let text = std::str::from_utf8(&body).map_err(|_not_text| too_long())?;
        Ok(Self(Params::read(text)))
    }
}
