//! There and back: to the provider with a question, and back with its answer.
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::access::{Claims, Expected, Grant, Person, PersonSource, TokenError, judge, random_token};
use crate::domain::activity::ActivityKind;
use crate::store::{directory, keep_person};
use crate::web::credential::{address, cookie, now_ns};
use crate::web::error::WebError;
use crate::web::pages::login::{begin, note, ours, session_cookie, set};
use crate::web::params::Params;
use crate::web::provider::client::{AskError, Provider, ProviderSettings};
use crate::web::state::WebState;

/// The cookie that carries the question until its answer comes.
const ASKING: &str = "recount_asking";
/// How long somebody may take at the provider, in seconds.
const WITHIN_S: u64 = 600;

/// What was asked, kept by the browser that asked.
#[derive(Serialize, Deserialize)]
struct Asking {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
}

/// Answers `/login/provider`: to the provider.
pub(in crate::web) async fn go(
    State(state): State<WebState>,
    request: Request,
) -> Result<Response, WebError> {
    let params = Params::read(request.uri().query().unwrap_or_default());
    let provider = provider(&state)?;
    let addresses = provider.addresses().await.map_err(|error| unanswered(&error))?;
    let make = || random_token().map_err(|_none| WebError::Broken);
    let next = ours(params.get("next").unwrap_or_default()).to_owned();
    let asking = Asking { state: make()?, nonce: make()?, verifier: make()?, next };
    let challenge = BASE64URL_NOPAD.encode(&Sha256::digest(asking.verifier.as_bytes()));
    let mut to = url::Url::parse(&addresses.authorization_endpoint).map_err(|_odd| WebError::Broken)?;
    to.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &provider.settings.client_id)
        .append_pair("redirect_uri", &redirect(&provider.settings))
        .append_pair("scope", "openid profile email")
        .append_pair("state", &asking.state)
        .append_pair("nonce", &asking.nonce)
        .append_pair("code_challenge", &challenge)
        .append_pair("code_challenge_method", "S256");
    let mut response = Redirect::to(to.as_str()).into_response();
    let kept = serde_json::to_vec(&asking).map_err(|_odd| WebError::Broken)?;
    let kept = format!("{}; Max-Age={WITHIN_S}", BASE64URL_NOPAD.encode(&kept));
    set(&mut response, &asking_cookie(&state, request.headers(), &kept))?;
    Ok(response)
}

/// Answers `/login/callback`: back from the provider.
pub(in crate::web) async fn back(
    State(state): State<WebState>,
    request: Request,
) -> Result<Response, WebError> {
    let from = address(request.extensions());
    let headers = request.headers().clone();
    let params = Params::read(request.uri().query().unwrap_or_default());
    let provider = provider(&state)?;
    let again = || WebError::SignIn("this sign-in is over or was begun elsewhere; sign in again".to_owned());
    let asking = cookie(&headers, ASKING).and_then(asked).ok_or_else(again)?;
    if params.get("state") != Some(asking.state.as_str()) {
        return Err(again());
    }
    let Some(code) = params.get("code") else {
        return Err(WebError::SignIn("the provider did not let you in; ask whoever runs it".to_owned()));
    };
    let claims = match believed(provider, code, &asking).await {
        Ok(claims) => claims,
        Err(error) => {
            note(&state, ActivityKind::Refused, "somebody from the provider", &from, 401).await?;
            return Err(error);
        }
    };
    let person = match person(&state, &provider.settings, &claims) {
        Ok(person) => person,
        Err(error) => {
            if error == WebError::NoGroup {
                take_back(&state, &provider.settings, &claims).await?;
            }
            let name = name_of(&provider.settings, &claims);
            note(&state, ActivityKind::Refused, &name, &from, 403).await?;
            return Err(error);
        }
    };
    if state.access.directory().person_by_id(&person.id) != Some(&person) {
        keep_person(&state.store, &person).await?;
        state.access.set(directory(&state.store, now_ns()).await?);
    }
    let token = begin(&state, &person.id, &headers).await?;
    note(&state, ActivityKind::SignedIn, &person.name, &from, 303).await?;
    let next = if asking.next.is_empty() { "/runs" } else { asking.next.as_str() };
    let mut response = Redirect::to(&state.links().to(next)).into_response();
    set(&mut response, &session_cookie(&state, &headers, &token))?;
    set(&mut response, &asking_cookie(&state, &headers, "; Max-Age=0"))?;
    Ok(response)
}

fn provider(state: &WebState) -> Result<&Provider, WebError> {
    let none = || WebError::NotFound("No provider is set up here.".to_owned());
    state.provider.as_deref().ok_or_else(none)
}

fn asking_cookie(state: &WebState, headers: &HeaderMap, value: &str) -> String {
    session_cookie(state, headers, value).replacen(crate::web::credential::SESSION, ASKING, 1)
}

fn asked(cookie: &str) -> Option<Asking> {
    serde_json::from_slice(&BASE64URL_NOPAD.decode(cookie.as_bytes()).ok()?).ok()
}

fn redirect(settings: &ProviderSettings) -> String {
    format!("{}/login/callback", settings.public_url.trim_end_matches('/'))
}

async fn believed(provider: &Provider, code: &str, asking: &Asking) -> Result<Claims, WebError> {
    let settings = &provider.settings;
    let token = provider.redeem(code, &asking.verifier, &redirect(settings)).await;
    let token = token.map_err(|error| unanswered(&error))?;
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let expected =
        Expected { issuer: &settings.issuer, client_id: &settings.client_id, nonce: &asking.nonce, now_s };
    let keys = provider.keys(false).await.map_err(|error| unanswered(&error))?;
    let judged = match judge(&token, &keys, expected) {
        // The provider may have changed its keys.
        Err(TokenError::Key) => {
            let keys = provider.keys(true).await.map_err(|error| unanswered(&error))?;
            judge(&token, &keys, expected)
        }
        judged => judged,
    };
    judged.map_err(|error| {
        tracing::warn!(%error, "somebody could not sign in");
        WebError::SignIn(error.to_string())
    })
}

fn unanswered(error: &AskError) -> WebError {
    tracing::warn!(%error, "the provider could not be asked");
    WebError::SignIn(format!("{error}; try again later"))
}

fn name_of(settings: &ProviderSettings, claims: &Claims) -> String {
    let names = [settings.name_claim.as_str(), "preferred_username", "email"];
    let found = names.iter().find_map(|claim| claims.texts(claim).first().copied());
    let name = found.unwrap_or(&claims.subject);
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Whoever is in no group any more has no right any more either, in sessions that began before.
async fn take_back(state: &WebState, settings: &ProviderSettings, claims: &Claims) -> Result<(), WebError> {
    let id = id_of(settings, claims);
    let directory = state.access.directory();
    let known = directory.person_by_id(&id).filter(|person| !person.grants.is_empty()).cloned();
    let Some(person) = known else { return Ok(()) };
    let at_ns = now_ns().max(person.at_ns + 1);
    let by = "the provider".to_owned();
    keep_person(&state.store, &Person { at_ns, by, grants: Vec::new(), ..person }).await?;
    state.access.set(crate::store::directory(&state.store, now_ns()).await?);
    Ok(())
}

fn id_of(settings: &ProviderSettings, claims: &Claims) -> String {
    format!("oidc-{}", crate::access::hash("oidc", &format!("{} {}", settings.issuer, claims.subject)).0)
}

/// Who it is here: made at the first sign-in, given what their groups are given at each.
fn person(state: &WebState, settings: &ProviderSettings, claims: &Claims) -> Result<Person, WebError> {
    let id = id_of(settings, claims);
    let name = name_of(settings, claims);
    let groups = claims.texts(&settings.groups_claim);
    let given = groups.iter().filter_map(|group| settings.roles.get(*group)).flatten();
    // The settings were checked at the start.
    let mut grants: Vec<Grant> = given.filter_map(|text| Grant::parse(text).ok()).collect();
    grants.sort();
    grants.dedup();
    if grants.is_empty() {
        return Err(WebError::NoGroup);
    }
    let directory = state.access.directory();
    let known = directory.people.iter().find(|person| person.id == id);
    if known.is_some_and(|person| person.disabled)
        || directory.person(&name).is_some_and(|other| other.id != id)
    {
        return Err(WebError::Forbidden);
    }
    if let Some(person) = known.filter(|person| person.name == name && person.grants == grants) {
        return Ok(person.clone());
    }
    let at_ns = now_ns().max(known.map_or(0, |person| person.at_ns + 1));
    let by = "the provider".to_owned();
    Ok(Person { id, at_ns, name, source: PersonSource::Oidc, grants, by, ..Person::default() })
}
