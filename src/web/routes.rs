//! The whole table of addresses, each with what it asks of who calls it.
use std::convert::Infallible;

use axum::extract::{Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_service::Service;

use crate::web::admit::admit;
use crate::web::api;
use crate::web::api::openapi::Described;
use crate::web::assets;
use crate::web::error::WebError;
use crate::web::health;
use crate::web::host::{self, Below, below, home};
use crate::web::link::base_of;
use crate::web::machines::{self, Inside};
use crate::web::openapi::document::document;
use crate::web::origin;
use crate::web::page::guard;
use crate::web::pages::{
    about_findings, accounts, activity, alerts, case, compare, content, conventions, docs, entity, erase,
    erasures, findings, holds, key, keys, login, overview, readiness, redaction, resolve_all, reveal, run,
    runs, search, settings, status, trace, unknowns, views, words,
};
use crate::web::provider;
use crate::web::refusal;
use crate::web::state::{WebSettings, WebState};
use crate::web::viewer::Permission;

/// An address: its path, what it asks of who calls it, and its handler.
struct Route(&'static str, Permission, fn() -> MethodRouter<WebState>);

use Permission::{
    Anyone, Export, HoldAndErase, ManageAccess, Reveal, SeeAccess, SeeActivity, SeeRecords, SeeServer,
    WorkOnCases,
};

/// Every address there is. The router is built from this and from nothing else.
const TABLE: &[Route] = &[
    Route("/", Anyone, || get(start)),
    Route("/runs", SeeRecords, || get(runs::show)),
    Route("/runs/{run_id}", SeeRecords, || get(run::show)),
    Route("/runs/{run_id}/steps/{step_id}/compare", SeeRecords, || get(compare::attempts_of_step)),
    Route("/overview", SeeRecords, || get(overview::show)),
    Route("/compare", SeeRecords, || get(compare::show)),
    Route("/traces/{trace_id}", SeeRecords, || get(trace::show)),
    Route("/spans/{trace_id}/{span_id}", SeeRecords, || get(trace::span)),
    Route("/contents/{trace_id}/{digest}", SeeRecords, || get(content::show)),
    Route("/views", SeeRecords, || get(views::show).post(views::save)),
    Route("/views/{view_id}", SeeRecords, || post(views::change)),
    Route("/unknowns", SeeRecords, || get(unknowns::show)),
    Route("/unknowns/resolve", WorkOnCases, || get(resolve_all::show).post(resolve_all::resolve)),
    Route("/cases/{case_id}", SeeRecords, || get(case::show)),
    Route("/cases/{case_id}/claim", WorkOnCases, || post(case::claim)),
    Route("/cases/{case_id}/hand-over", WorkOnCases, || post(case::hand_over)),
    Route("/cases/{case_id}/comment", WorkOnCases, || post(case::comment)),
    Route("/cases/{case_id}/resolution", WorkOnCases, || post(case::resolve)),
    Route("/cases/{case_id}/agree", WorkOnCases, || post(case::agree)),
    Route("/cases/{case_id}/reopen", WorkOnCases, || post(case::reopen)),
    Route("/keys", SeeRecords, || get(keys::show)),
    Route("/keys/{key}", SeeRecords, || get(key::show)),
    Route("/redaction", SeeRecords, || get(redaction::show).post(redaction::try_out)),
    Route("/accounts", SeeRecords, || get(accounts::show)),
    Route("/accounts/{id}", SeeRecords, || get(entity::of_account)),
    Route("/entities/{type}/{id}", SeeRecords, || get(entity::show)),
    Route("/search", SeeRecords, || get(search::show)),
    Route("/findings", SeeRecords, || get(findings::show)),
    Route("/readiness", SeeRecords, || get(readiness::show)),
    Route("/alerts", SeeRecords, || get(alerts::show)),
    Route("/alerts/test", ManageAccess, || post(alerts::test)),
    Route("/reveal", Reveal, || get(reveal::show).post(reveal::reveal)),
    Route("/activity", SeeActivity, || get(activity::show)),
    Route("/settings", SeeAccess, || get(settings::show)),
    Route("/settings/change", ManageAccess, || post(settings::change)),
    Route("/entities/{type}/{id}/erase", HoldAndErase, || get(erase::show).post(erase::ask)),
    Route("/erasures", SeeAccess, || get(erasures::list)),
    Route("/erasures/{erasure_id}", SeeAccess, || get(erasures::show)),
    Route("/holds", SeeAccess, || get(holds::show)),
    Route("/holds/place", HoldAndErase, || post(holds::place)),
    Route("/holds/lift", HoldAndErase, || post(holds::lift)),
    Route("/status", SeeServer, || get(status::show)),
    Route("/docs", SeeServer, || get(docs::index)),
    Route("/docs/{page}", SeeServer, || get(docs::show)),
    Route("/about/findings", SeeServer, || get(about_findings::show)),
    Route("/about/conventions", SeeServer, || get(conventions::show)),
    Route("/about/words", SeeServer, || get(words::show)),
    Route("/login", Anyone, || get(login::show).post(login::enter)),
    Route("/login/provider", Anyone, || get(provider::go)),
    Route("/login/callback", Anyone, || get(provider::back)),
    Route("/logout", Anyone, || post(login::leave)),
    Route("/static/{name}", Anyone, || get(assets::serve)),
    Route("/healthz", Anyone, || get(health::alive)),
    Route("/readyz", Anyone, || get(health::ready)),
    Route("/metrics", SeeServer, || get(health::metrics)),
    Route("/mcp", SeeRecords, || post(machines::answer)),
    Route("/api/v1/openapi.json", SeeServer, || get(api::openapi::show)),
    Route("/api/v1/runs", SeeRecords, || get(api::runs::list)),
    Route("/api/v1/runs/{run_id}", SeeRecords, || get(api::run::show)),
    Route("/api/v1/runs/{run_id}/steps/{step_id}", SeeRecords, || get(api::run::step)),
    Route("/api/v1/compare", SeeRecords, || get(api::compare::show)),
    Route("/api/v1/stream/runs", SeeRecords, || get(api::stream::runs)),
    Route("/api/v1/stream/runs/{run_id}", SeeRecords, || get(api::stream::run)),
    Route("/api/v1/traces/{trace_id}", SeeRecords, || get(api::spans::of_trace)),
    Route("/api/v1/spans/{trace_id}/{span_id}", SeeRecords, || get(api::spans::show)),
    Route("/api/v1/contents/{trace_id}/{digest}", SeeRecords, || get(api::contents::show)),
    Route("/api/v1/entities/{type}", SeeRecords, || get(api::entity::list)),
    Route("/api/v1/entities/{type}/{id}", SeeRecords, || get(api::entity::show)),
    Route("/api/v1/actions", SeeRecords, || get(api::keys::list)),
    Route("/api/v1/keys/{key}", SeeRecords, || get(api::keys::show)),
    Route("/api/v1/cases", SeeRecords, || get(api::cases::list)),
    Route("/api/v1/cases/resolution", WorkOnCases, || post(api::case_acts::resolve_many)),
    Route("/api/v1/cases/{case_id}", SeeRecords, || get(api::cases::show)),
    Route("/api/v1/cases/{case_id}/claim", WorkOnCases, || post(api::case_acts::claim)),
    Route("/api/v1/cases/{case_id}/hand-over", WorkOnCases, || post(api::case_acts::hand_over)),
    Route("/api/v1/cases/{case_id}/comment", WorkOnCases, || post(api::case_acts::comment)),
    Route("/api/v1/cases/{case_id}/resolution", WorkOnCases, || post(api::case_acts::resolution)),
    Route("/api/v1/cases/{case_id}/agree", WorkOnCases, || post(api::case_acts::agree)),
    Route("/api/v1/cases/{case_id}/reopen", WorkOnCases, || post(api::case_acts::reopen)),
    Route("/api/v1/reveal", Reveal, || post(api::reveal::reveal)),
    Route("/api/v1/activity", SeeActivity, || get(api::activity::list)),
    Route("/api/v1/lifecycle", SeeActivity, || get(api::activity::events)),
    Route("/api/v1/access", SeeAccess, || get(api::access::report)),
    Route("/api/v1/access/changes", ManageAccess, || post(api::access::change)),
    Route("/api/v1/holds", SeeAccess, || get(api::holds::list)),
    Route("/api/v1/holds/place", HoldAndErase, || post(api::holds::place)),
    Route("/api/v1/holds/lift", HoldAndErase, || post(api::holds::lift)),
    Route("/api/v1/entities/{type}/{id}/erasure", HoldAndErase, || get(api::erasures::plan)),
    Route("/api/v1/entities/{type}/{id}/erase", HoldAndErase, || post(api::erasures::ask)),
    Route("/api/v1/erasures", SeeAccess, || get(api::erasures::list)),
    Route("/api/v1/erasures/{erasure_id}", SeeAccess, || get(api::erasures::show)),
    Route("/api/v1/entities/{type}/{id}/evidence", Export, || get(api::evidence::show)),
    Route("/api/v1/evidence/trust", SeeRecords, || get(api::evidence::trust)),
    Route("/api/v1/search", SeeRecords, || get(api::search::list)),
    Route("/api/v1/rejects", SeeRecords, || get(api::rejects::list)),
    Route("/api/v1/findings", SeeRecords, || get(api::findings::list)),
    Route("/api/v1/findings/codes", SeeServer, || get(api::findings::codes)),
    Route("/api/v1/readiness", SeeRecords, || get(api::readiness::show)),
    Route("/api/v1/overview", SeeRecords, || get(api::overview::show)),
];

/// Every address with what it asks of who calls it, for whoever walks them.
pub fn addresses() -> impl Iterator<Item = (&'static str, Permission)> {
    TABLE.iter().map(|Route(path, permission, _)| (*path, *permission))
}

/// The pages, the API, health and metrics.
pub fn routes(state: WebState) -> Router {
    let base = base_of(&state.settings.base_path);
    let settings = WebSettings { base_path: base.clone(), ..(*state.settings).clone() };
    let state = WebState { settings: settings.into(), ..state };
    let api = table(&state, |path| path.starts_with("/api/"))
        .fallback(nowhere)
        .layer(from_fn_with_state(state.clone(), refusal::show))
        .with_state(state.clone());
    let permissions = addresses().collect();
    let described = Described::new(&document(&permissions, &base));
    let router = table(&state, |_| true)
        .layer(Extension(described))
        .fallback(nowhere)
        .layer(Extension(Inside::new(api, base.clone())))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(origin::check))
        .layer(from_fn_with_state(state.clone(), host::check))
        .layer(from_fn_with_state(state.clone(), refusal::show))
        .layer(from_fn(guard))
        .with_state(state);
    if base.is_empty() { router } else { under(base, router) }
}

/// The addresses of the table, each behind its gate.
fn table(state: &WebState, wanted: impl Fn(&str) -> bool) -> Router<WebState> {
    let mut router = Router::new();
    for Route(path, permission, handler) in TABLE.iter().filter(|Route(path, _, _)| wanted(path)) {
        let gate = from_fn_with_state((state.clone(), *permission), admit);
        router = router.route(path, handler().layer(gate));
    }
    router
}

/// Answers with the base path before each address and without it: a proxy may cut it off or keep it.
fn under(base: String, router: Router) -> Router {
    Router::new().fallback(move |request: Request| {
        let (base, mut router) = (base.clone(), router.clone());
        async move {
            let mut request = request;
            match below(request.uri(), &base) {
                Below::Home => return home(&base),
                Below::Cut(uri) => *request.uri_mut() = uri,
                Below::AsIs => {}
            }
            let answered: Result<Response, Infallible> = router.call(request).await;
            answered.unwrap_or_else(|never| match never {})
        }
    })
}

async fn start(State(state): State<WebState>) -> Redirect {
    Redirect::to(&state.links().runs())
}

async fn nowhere() -> WebError {
    WebError::NotFound("There is no such page.".to_owned())
}

/// A handler that panicked costs its own request, and the log says so.
fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    // The words of a panic may quote what was being shown.
    drop(cause);
    tracing::error!("a handler panicked");
    WebError::Broken.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_never_open_to_anyone() {
        let mut paths: Vec<&str> = TABLE.iter().map(|Route(path, _, _)| *path).collect();
        for Route(path, permission, _) in TABLE {
            let open = [
                "/",
                "/login",
                "/login/provider",
                "/login/callback",
                "/logout",
                "/static/{name}",
                "/healthz",
                "/readyz",
            ]
            .contains(path);
            assert_eq!(*permission == Anyone, open, "{path}");
        }
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), TABLE.len(), "an address is named twice");
    }
}
