//! Forms carry a token of their session: a second lock behind the question where a request comes from, for
//! browsers too old to say.
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};

use crate::web::error::WebError;

/// The field of a form that carries the token.
const FIELD: &str = "csrf";
/// The header that scripts send it in.
const HEADER: &str = "x-recount-csrf";
/// Most bytes of a form.
const FORM_BYTES_MAX: usize = 256 << 10;

/// Whether a method may change something.
pub(in crate::web) fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Lets a form on when it carries the token of its session.
pub(in crate::web) async fn check_token(request: Request, token: &str) -> Result<Request, WebError> {
    let headers = request.headers();
    if headers.get(HEADER).is_some_and(|value| value.as_bytes() == token.as_bytes()) {
        return Ok(request);
    }
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A page of another site can't send JSON without asking first, and nobody allows it.
    let is_json = media.to_ascii_lowercase().starts_with("application/json");
    if is_json && headers.contains_key("sec-fetch-site") {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, FORM_BYTES_MAX)
        .await
        .map_err(|_too_long| WebError::Invalid("the form is too long".to_owned()))?;
    let (carried, rest): (Vec<_>, Vec<_>) =
        url::form_urlencoded::parse(&body).into_owned().partition(|(name, _)| name == FIELD);
    if !carried.iter().any(|(_, value)| value == token) {
        return Err(WebError::Forgery);
    }
    // What is left is what the form is about.
    let rest = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(rest).finish();
    let mut parts = parts;
    parts.headers.insert(CONTENT_LENGTH, rest.len().into());
    Ok(Request::from_parts(parts, Body::from(rest)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[tokio::test]
    async fn a_form_carries_the_token_of_its_session() {
        let form = |body: &'static str, pairs: &[(&'static str, &'static str)]| {
            let mut request = Request::post("/x").body(Body::from(body)).unwrap();
            *request.headers_mut() = headers(pairs);
            check_token(request, "abc")
        };
        let kind = ("content-type", "application/x-www-form-urlencoded");
        let passed = form("a=1&csrf=abc", &[kind]).await.unwrap();
        assert_eq!(to_bytes(passed.into_body(), 99).await.unwrap(), "a=1");
        assert!(form("a=1", &[kind, ("x-recount-csrf", "abc")]).await.is_ok());
        assert!(
            form("{}", &[("content-type", "application/json"), ("sec-fetch-site", "same-origin")])
                .await
                .is_ok()
        );
        for (body, pairs) in [
            ("a=1", &[kind][..]),
            ("csrf=abd", &[kind]),
            ("csrf=", &[kind]),
            ("{\"csrf\":\"abc\"}", &[("content-type", "application/json")]),
            ("a=1", &[kind, ("x-recount-csrf", "abd")]),
        ] {
            assert_eq!(form(body, pairs).await.unwrap_err(), WebError::Forgery, "{body}");
        }
    }
}
