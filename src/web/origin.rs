//! Which requests may change something: those of our own pages, and those that no browser sends.
use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::Origins;
use crate::web::error::WebError;

/// Refuses what a page of another site made a browser send. Every browser says where a request comes from
/// (`Sec-Fetch-Site`, or at least `Origin`), and no page can make it lie, so forms need no token.
pub(in crate::web) async fn check(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let named = request.uri().authority().map(|authority| authority.as_str().to_owned());
    if reads || is_ours(request.headers(), named.as_deref()) {
        next.run(request).await
    } else {
        WebError::CrossSite.into_response()
    }
}

fn is_ours(headers: &HeaderMap, named: Option<&str>) -> bool {
    // A header that can't be read is there all the same.
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match (text("sec-fetch-site"), text(ORIGIN.as_str())) {
        (Some("same-origin" | "none"), _) => true,
        (Some(_), _) => false,
        (None, None) => true,
        (None, Some(origin)) => {
            let host = named.or_else(|| text(HOST.as_str())).unwrap_or_default();
            Origins::new(&[format!("http://{host}"), format!("https://{host}")]).allow(origin)
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn only_our_own_pages_and_programs_may_write() {
        for (pairs, expected) in [
            (vec![], true),
            (vec![("sec-fetch-site", "same-origin"), ("origin", "http://localhost:4319")], true),
            // Behind a proxy the host's name may differ; the browser knows better.
            (vec![("sec-fetch-site", "same-origin"), ("origin", "https://recount.example")], true),
            (vec![("sec-fetch-site", "cross-site")], false),
            (vec![("sec-fetch-site", "same-site"), ("origin", "http://localhost:4319")], false),
            (vec![("sec-fetch-site", "ünknown")], false),
            (vec![("origin", "http://localhost:4319")], true),
            (vec![("origin", "http://LOCALHOST:4319")], true),
            (vec![("origin", "http://localhost:8080")], false),
            (vec![("origin", "http://evil.test")], false),
            (vec![("origin", "null")], false),
        ] {
            let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost:4319"))]);
            for (name, value) in &pairs {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                headers.insert(HeaderName::from_static(name), value);
            }
            assert_eq!(is_ours(&headers, None), expected, "{pairs:?}");
        }
    }
}
