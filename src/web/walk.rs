//! Walks every address with every role and with none: who is let in, and who is not.
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::{Method, Request, StatusCode};
use tower::ServiceExt;

use crate::access::{Access, Account, Asking, Directory, Grant, NewKey, Permission, Role, Who, make_key};
use crate::domain::activity::{Activity, ActivityKind};
use crate::web::routes::{addresses, routes};
use crate::web::state::{NotRecorded, WebState};
use crate::web::trial::state;

const ID: &str = "5b8efff798038103d269b633813fc60c";

/// A router without a store behind it, a key of each role, and what was recorded.
async fn site() -> (Router, Vec<(Role, String)>, Arc<Mutex<Vec<Activity>>>) {
    let root = Account { who: Who::Development, grants: vec![Grant::parse("admin@*").unwrap()] };
    let asking = Asking { account: &root, now_ns: 1 };
    let (mut keys, mut entries) = (Vec::new(), Vec::new());
    for role in Role::ALL {
        let ask = NewKey { name: role.to_string(), grant: role.to_string(), expires: String::new() };
        let (key, entry) = make_key(&ask, asking).unwrap();
        keys.push((*role, key.expose().to_owned()));
        entries.push(entry);
    }
    let access = Access::new(true);
    access.set(Directory::of(Vec::new(), Vec::new(), entries, Vec::new()));
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let into = recorded.clone();
    let router = routes(WebState {
        access,
        record: Arc::new(move |entry| {
            into.lock().unwrap().push(entry);
            Box::pin(async { Ok(()) })
        }),
        ..state().await
    });
    (router, keys, recorded)
}

async fn ask(router: &Router, method: &Method, path: &str, key: Option<&str>) -> StatusCode {
    let mut request = Request::builder().method(method).uri(path).header(HOST, "localhost:4319");
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status()
}

fn filled(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { ID } else { part }).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_address_lets_in_whom_its_permission_names_and_nobody_else() {
    let (router, keys, recorded) = site().await;
    for (path, permission) in addresses() {
        let at = filled(path);
        for method in [Method::GET, Method::POST] {
            let open = permission == Permission::Anyone;
            let status = ask(&router, &method, &at, None).await;
            assert_eq!(status == StatusCode::UNAUTHORIZED, !open, "{method} {path} for nobody: {status}");
            for (role, key) in &keys {
                let status = ask(&router, &method, &at, Some(key)).await;
                let refused = status == StatusCode::FORBIDDEN;
                assert_eq!(refused, !role.allows(permission), "{method} {path} for {role}: {status}");
                assert!(open || status != StatusCode::UNAUTHORIZED, "{method} {path} for {role}");
            }
        }
    }
    let recorded = recorded.lock().unwrap();
    let refused = recorded.iter().filter(|entry| entry.kind == ActivityKind::Refused);
    assert!(refused.clone().count() > 20, "tries of those who are known are recorded");
    assert!(refused.clone().all(|entry| entry.who.starts_with("key ")));
}

#[tokio::test]
async fn nothing_is_shown_when_it_cannot_be_recorded() {
    let router =
        routes(WebState { record: Arc::new(|_| Box::pin(async { Err(NotRecorded) })), ..state().await });
    // A query that can't be read is answered without the store: even that look must be recorded.
    let status = ask(&router, &Method::GET, "/runs?q=outcom:x", None).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ask(&router, &Method::GET, "/status", None).await, StatusCode::OK);
}

#[tokio::test]
async fn what_changes_something_is_refused_from_pages_of_other_sites() {
    let (router, keys, _) = site().await;
    for (path, permission) in addresses() {
        for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
            let request = Request::post(filled(path)).header(HOST, "localhost:4319").header(name, value);
            let (_, key) = keys.iter().find(|(role, _)| role.allows(permission)).unwrap();
            let request = request.header(AUTHORIZATION, format!("Bearer {key}"));
            let got = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(got.status(), StatusCode::FORBIDDEN, "{path}");
        }
    }
}

/// Addresses that a browser shows nothing of its own at: they lead on, change something, or are for machines.
const NO_PAGES: [&str; 23] = [
    "/",
    "/traces/{trace_id}",
    "/spans/{trace_id}/{span_id}",
    "/contents/{trace_id}/{digest}",
    "/cases/{case_id}/claim",
    "/cases/{case_id}/hand-over",
    "/cases/{case_id}/comment",
    "/cases/{case_id}/resolution",
    "/cases/{case_id}/agree",
    "/cases/{case_id}/reopen",
    "/alerts/test",
    "/settings/change",
    "/views/{view_id}",
    "/holds/place",
    "/holds/lift",
    "/login/provider",
    "/login/callback",
    "/logout",
    "/static/{name}",
    "/healthz",
    "/readyz",
    "/metrics",
    "/mcp",
];

#[test]
fn every_page_is_looked_at_in_a_browser() {
    let listed: serde_json::Value = serde_json::from_str(include_str!("../../tests/e2e/pages.json")).unwrap();
    for (path, _) in addresses().filter(|(path, _)| !path.starts_with("/api/")) {
        let is_listed = listed[path].as_array().is_some_and(|paths| !paths.is_empty());
        assert_ne!(
            is_listed,
            NO_PAGES.contains(&path),
            "say in tests/e2e/pages.json how {path} is looked at"
        );
    }
}
