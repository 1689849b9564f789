//! Who a request comes from, by what it carries: a key, a session, or nothing where nothing is needed.
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::ConnectInfo;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::access::{Account, BearerError, Denied, Who, bare, bearer, hash, names_a_key};
use crate::web::error::WebError;
use crate::web::state::WebState;
use crate::web::viewer::development;

/// The cookie of a session, and of the project that somebody looks at.
pub(in crate::web) const SESSION: &str = "recount_session";
pub(in crate::web) const PROJECT: &str = "recount_project";

/// Who it is, and how they showed it.
#[derive(Debug, Clone)]
pub(in crate::web) struct Identified {
    /// Who.
    pub(in crate::web) account: Account,
    /// What their forms must carry, when their browser shows who they are without asking them.
    pub(in crate::web) csrf: Option<String>,
}

/// Finds out who asks.
///
/// # Errors
/// [`WebError::SignIn`] with what is missing or wrong.
pub(in crate::web) fn identify(state: &WebState, parts: &Parts) -> Result<Identified, WebError> {
    shown(state, parts, true)
}

/// Finds out whether what was shown is still good, without counting as a use of it.
///
/// # Errors
/// As for [`identify`].
pub(in crate::web) fn still(state: &WebState, parts: &Parts) -> Result<Identified, WebError> {
    shown(state, parts, false)
}

fn shown(state: &WebState, parts: &Parts, counts: bool) -> Result<Identified, WebError> {
    if parts.uri.query().is_some_and(names_a_key) {
        return Err(WebError::SignIn(
            "a key does not belong in the address, where it is logged: send it as the header `Authorization: \
             Bearer rcn_…`, and revoke this one"
                .to_owned(),
        ));
    }
    if state.access.is_development() {
        return Ok(Identified { account: development(), csrf: None });
    }
    let headers = &parts.headers;
    if let Some(account) = state.local(headers) {
        return Ok(Identified { account, csrf: None });
    }
    let key = match (headers.get(AUTHORIZATION), headers.get("x-api-key")) {
        (Some(value), _) => Some(bearer(Some(value.as_bytes()))),
        (None, Some(value)) => Some(bare(value.as_bytes())),
        (None, None) => None,
    };
    let now_ns = now_ns();
    if let Some(key) = key {
        let key = key.map_err(|error: BearerError| WebError::SignIn(error.to_string()))?;
        let directory = state.access.directory();
        let (account, entry) =
            directory.holder(&key, now_ns).map_err(|why: Denied| WebError::SignIn(why.to_string()))?;
        if counts {
            state.access.used(&entry.id, now_ns);
        }
        return Ok(Identified { account, csrf: None });
    }
    if let Some(account) = vouched(state, parts)? {
        let csrf = Some(csrf_of(&format!("{} {}", state.local_key.0, account.who.shown())));
        return Ok(Identified { account, csrf });
    }
    if let Some(token) = cookie(headers, SESSION) {
        let hash = hash("session", token);
        let found = match counts {
            true => state.access.session(&hash, now_ns),
            false => state.access.session_unused(&hash, now_ns),
        };
        let (account, _) =
            found.ok_or_else(|| WebError::SignIn("you were signed out; sign in again".to_owned()))?;
        return Ok(Identified { account, csrf: Some(csrf_of(token)) });
    }
    Err(WebError::SignIn("sign in, or send a key: `Authorization: Bearer rcn_…`".to_owned()))
}

/// Whether a request claims to come from the proxy that names people, and does not.
pub(in crate::web) fn is_named_elsewhere(state: &WebState, parts: &Parts) -> bool {
    state.settings.proxy.as_ref().is_some_and(|proxy| {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        parts.headers.contains_key(proxy.header.as_str())
            && !peer.is_some_and(|peer| proxy.addresses.contains(&peer))
    })
}

/// Whom a trusted proxy names. Only people who are known here are let in.
fn vouched(state: &WebState, parts: &Parts) -> Result<Option<Account>, WebError> {
    let Some(proxy) = &state.settings.proxy else { return Ok(None) };
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let trusted = peer.is_some_and(|peer| proxy.addresses.contains(&peer));
    let mut named = parts.headers.get_all(proxy.header.as_str()).iter();
    let (Some(name), None, true) = (named.next(), named.next(), trusted) else { return Ok(None) };
    let name = name.to_str().unwrap_or_default();
    let directory = state.access.directory();
    let person = directory.person(name).filter(|person| !person.disabled && !name.is_empty());
    person.map(|person| Some(person.account())).ok_or(WebError::Forbidden)
}

/// What the forms of a session must carry: a page of another site can't know it.
pub(in crate::web) fn csrf_of(token: &str) -> String {
    hash("csrf", token).0
}

/// The value of a cookie.
pub(in crate::web) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
}

/// The network address that a request comes from.
pub(in crate::web) fn address(extensions: &Extensions) -> String {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map_or_else(String::new, |ConnectInfo(peer)| peer.ip().to_string())
}

/// Whether somebody is known: development counts.
pub(in crate::web) fn is_known(who: &Who) -> bool {
    *who != Who::Nobody
}

pub(in crate::web) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
