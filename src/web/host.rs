//! Which requests are for us: the host they name, and the base path before their address.
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::http::header::HOST;
use axum::http::uri::PathAndQuery;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use crate::web::error::WebError;
use crate::web::state::WebState;

/// Whether programs ask here: they are answered in JSON, and no page is drawn around it.
pub(in crate::web) fn is_for_machines(path: &str) -> bool {
    path.starts_with("/api/") || path == "/mcp"
}

/// Refuses requests that name another host: a page elsewhere could point its own name at this address and
/// read records through the reader's browser.
pub(in crate::web) async fn check(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let named = request.uri().authority().map(|authority| authority.as_str());
    let header = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    match named.or(header) {
        Some(host) if is_ours(host, &state.settings.hosts) => next.run(request).await,
        Some(_) => WebError::Host.into_response(),
        // HTTP/1.0 and health checks send none; no browser does.
        None => next.run(request).await,
    }
}

/// A plain address can't be made to point elsewhere; names count when they are loopback's or configured.
fn is_ours(host: &str, hosts: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let lower = name.trim_end_matches('.').to_ascii_lowercase();
    bare.parse::<std::net::IpAddr>().is_ok()
        || lower == "localhost"
        || lower.ends_with(".localhost")
        || hosts.iter().any(|known| known.eq_ignore_ascii_case(&lower))
}

/// The address without the base path; `None` when it is not below it, and what to do for the bare base path.
pub(in crate::web) enum Below {
    /// The request's own address stands.
    AsIs,
    /// The address with the base path cut off.
    Cut(Uri),
    /// The base path itself, without a slash: go to its home.
    Home,
}

/// Looks for the base path at the front of an address.
pub(in crate::web) fn below(uri: &Uri, base: &str) -> Below {
    if base.is_empty() {
        return Below::AsIs;
    }
    let whole = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let Some(rest) = whole.strip_prefix(base) else { return Below::AsIs };
    if rest.is_empty() {
        return Below::Home;
    }
    if !rest.starts_with('/') {
        return Below::AsIs;
    }
    // Scheme and host stay: HTTP/2 names the host here.
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = rest.parse().ok();
    Uri::from_parts(parts).map_or(Below::AsIs, Below::Cut)
}

/// The answer to the bare base path.
pub(in crate::web) fn home(base: &str) -> Response {
    Redirect::permanent(&format!("{base}/")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_and_plain_addresses_are_answered() {
        let hosts = ["recount.example.com".to_owned()];
        for host in [
            "localhost:4319",
            "127.0.0.1:4319",
            "[::1]:4319",
            "[::1]",
            "10.0.0.7",
            "a.localhost",
            "Recount.Example.com",
            "recount.example.com.:443",
        ] {
            assert!(is_ours(host, &hosts), "{host}");
        }
        for host in
            ["evil.test", "evil.test:4319", "localhost.evil.test", "127.0.0.1.evil.test", "", "recount"]
        {
            assert!(!is_ours(host, &hosts), "{host}");
        }
    }

    #[test]
    fn the_base_path_is_cut_off_when_a_proxy_left_it() {
        let cut = |path: &str| match below(&path.parse().unwrap(), "/recount") {
            Below::AsIs => "as is".to_owned(),
            Below::Cut(uri) => uri.to_string(),
            Below::Home => "home".to_owned(),
        };
        for (path, rest) in [
            ("/recount/runs?q=a", "/runs?q=a"),
            ("/recount/", "/"),
            ("/recount", "home"),
            ("/runs", "as is"),
            ("/recounting", "as is"),
        ] {
            assert_eq!(cut(path), rest, "{path}");
        }
    }
}
