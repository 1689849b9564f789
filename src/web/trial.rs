//! Requests through the real router, without a store behind it: what holds whatever the store says.
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, LOCATION};
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::access::{Access, SecretHash};
use crate::domain::secret::SecretKey;
use crate::projection::{Projection, ProjectionSettings};
use crate::redaction::{AllSettings, InForce, Rulebook};
use crate::store::{Place, ServerSettings, Store, StoreSettings};
use crate::web::desk::Desk;
use crate::web::live::Live;
use crate::web::open_count::OpenCount;
use crate::web::page::POLICY;
use crate::web::routes::routes;
use crate::web::state::{LogStatus, ServerStatus, WebSettings, WebState};

async fn router(base_path: &str) -> Router {
    let settings = Arc::new(WebSettings { base_path: base_path.to_owned(), ..WebSettings::default() });
    routes(WebState { settings, ..state().await })
}

/// What a router is made of, without a store behind it.
pub(in crate::web) async fn state() -> WebState {
    let (server, _) = ServerSettings::parse("http://127.0.0.1:9").unwrap();
    let store = Store::open(&StoreSettings::new(Place::Server(server))).await.unwrap();
    let status = || ServerStatus {
        not_ready: vec!["the store does not answer".to_owned()],
        store_unreachable_since_ns: Some(1_794_499_331_000_000_000),
        log: LogStatus { bytes: 2_048, bytes_max: 4 << 30, ..LogStatus::default() },
        ..ServerStatus::default()
    };
    WebState {
        live: Live::new(Projection::start(store.clone(), ProjectionSettings::default())),
        store,
        access: Access::development(),
        record: Arc::new(|_| Box::pin(async { Ok(()) })),
        local_key: SecretHash(String::new()),
        provider: None,
        settings: Arc::new(WebSettings::default()),
        entities: crate::web::entity::tools::EntityTools::default(),
        status: Arc::new(status),
        desk: desk(),
        touch: Arc::new(|_, _| Box::pin(async {})),
        metrics: Arc::new(|| "recount_up 1\n# EOF\n".to_owned()),
        alerts: crate::web::alerting::AlertDesk::default(),
        open: OpenCount::default(),
    }
}

/// The built-in rules, and a reader that takes nothing.
fn desk() -> Desk {
    let book = Rulebook::new(&AllSettings::default()).unwrap();
    Desk {
        rules: Arc::new(InForce::new(book, 1)),
        read: |_, _| Err("rule `x` (the rules typed here, line 3): no".to_owned()),
        keys: Arc::new(|_| vec![SecretKey::new(1, [1; 32])]),
    }
}

struct Got {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

async fn get_as(router: &Router, host: &str, path: &str) -> Got {
    let request = Request::get(path).header(HOST, host).body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Got { status: parts.status, headers: parts.headers, body: String::from_utf8(body.to_vec()).unwrap() }
}

async fn get(router: &Router, path: &str) -> Got {
    get_as(router, "localhost:4319", path).await
}

#[tokio::test]
async fn every_answer_carries_the_policy_and_is_not_kept() {
    let router = router("").await;
    for path in ["/runs", "/status", "/nowhere", "/about/findings", "/api/v1/runs", "/healthz", "/runs/x"] {
        let got = get(&router, path).await;
        assert_eq!(got.headers[CONTENT_SECURITY_POLICY], POLICY, "{path}");
        assert_eq!(got.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(got.headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(got.headers["cache-control"], "no-store", "{path}");
    }
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_never_an_empty_list() {
    let router = router("").await;
    for path in ["/runs", "/runs/run_1", "/traces/5b8efff798038103d269b633813fc60c"] {
        let got = get(&router, path).await;
        assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE, "{path}");
        assert!(got.body.contains("unreachable since 16:02 UTC"), "{path}: {}", got.body);
    }
    let got = get(&router, "/api/v1/runs").await;
    assert_eq!(got.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(got.headers[CONTENT_TYPE], "application/problem+json");
    // The status page is what one looks at then: it must answer.
    let got = get(&router, "/status").await;
    assert_eq!(got.status, StatusCode::OK);
    assert!(got.body.contains("unreachable since 16:02 UTC") && got.body.contains("2 KB of 4 GB"));
}

#[tokio::test]
async fn what_cannot_be_read_is_said_with_a_remedy() {
    let router = router("").await;
    for (path, says) in [
        ("/runs?q=outcom:unknown", "outcome"),
        ("/runs?q=%22open", "never closed"),
        ("/runs?cursor=junk", "not a place"),
        ("/runs?limt=5", "`limt` is no parameter"),
        ("/runs?limit=9999", "from 1 to 500"),
        ("/runs?t=soon", "`t` takes"),
        ("/runs?outcome=done", "is not what outcome takes"),
        ("/traces/zz", "32 hexadecimal digits"),
        ("/spans/5b8efff798038103d269b633813fc60c/..%2fx", "16 hexadecimal digits"),
        ("/api/v1/runs?limt=5", "`limt` is no parameter"),
        ("/api/v1/runs?limit=9999", "from 1 to 500"),
        ("/api/v1/runs?q=outcom:unknown", "did you mean outcome"),
        ("/api/v1/contents/x/y", "32 hexadecimal digits"),
        ("/nowhere", "no such page"),
    ] {
        let got = get(&router, path).await;
        assert!(got.body.to_lowercase().contains(&says.to_lowercase()), "{path}: {}", got.body);
        let typed = path.starts_with("/runs?q") || path.starts_with("/runs?outcome");
        assert!(got.status.is_client_error() || typed, "{path}: {}", got.status);
        let is_problem = got.headers[CONTENT_TYPE] == "application/problem+json";
        assert_eq!(is_problem, path.starts_with("/api/"), "{path}");
    }
    let got = get(&router, "/runs?q=%3Cscript%3E:1").await;
    assert!(!got.body.contains("<script>:"), "{}", got.body);
}

#[tokio::test]
async fn other_hosts_and_other_methods_are_refused() {
    let router = router("").await;
    assert_eq!(get_as(&router, "evil.test", "/status").await.status, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(get_as(&router, "127.0.0.1:4319", "/healthz").await.status, StatusCode::OK);
    let post = Request::post("/api/v1/runs").header(HOST, "localhost").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(post).await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
}

#[tokio::test]
async fn a_page_of_another_site_changes_nothing() {
    let router = router("").await;
    for (site, status) in [("same-origin", 405), ("none", 405), ("cross-site", 403), ("same-site", 403)] {
        let post = Request::post("/api/v1/runs").header(HOST, "localhost").header("sec-fetch-site", site);
        let response = router.clone().oneshot(post.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{site}");
        let get = Request::get("/status").header(HOST, "localhost").header("sec-fetch-site", site);
        let response = router.clone().oneshot(get.body(Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{site}");
    }
}

#[tokio::test]
async fn machines_that_watch_are_answered() {
    let router = router("").await;
    assert_eq!(get(&router, "/healthz").await.status, StatusCode::OK);
    let ready = get(&router, "/readyz").await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(ready.body.contains("the store does not answer"));
    assert!(get(&router, "/metrics").await.body.contains("recount_up 1"));
}

#[tokio::test]
async fn every_address_stays_under_the_base_path() {
    let router = router("/recount").await;
    for prefix in ["", "/recount"] {
        for path in ["/status", "/about/findings", "/runs?q=outcom:x", "/nowhere"] {
            let got = get(&router, &format!("{prefix}{path}")).await;
            for name in ["href=\"", "src=\"", "action=\""] {
                for address in got.body.split(name).skip(1).map(|rest| rest.split('"').next().unwrap()) {
                    let fine = address.starts_with("/recount/") || address.starts_with(['#', '?']);
                    assert!(fine, "{prefix}{path}: {address}");
                }
            }
        }
        let got = get(&router, &format!("{prefix}/")).await;
        assert_eq!(got.headers[LOCATION], "/recount/runs");
    }
    assert_eq!(get(&router, "/recount").await.headers[LOCATION], "/recount/");
    let css = get(&router, "/status").await.body;
    let css = css.split("href=\"").find(|rest| rest.contains(".css\"")).unwrap().split('"').next().unwrap();
    let got = get(&router, css).await;
    assert_eq!(got.status, StatusCode::OK);
    assert!(got.headers["cache-control"].to_str().unwrap().contains("immutable"));
}

#[tokio::test]
async fn the_finder_leads_to_traces_entities_and_words() {
    let router = router("").await;
    for (find, to) in [
        ("5B8EFFF7-9803-8103-D269-B633813FC60C", "/traces/5b8efff798038103d269b633813fc60c"),
        ("order:4812", "/entities/order/4812"),
        ("cracked%20kettle", "/runs?q=%22cracked%20kettle%22"),
        ("http://x", "/runs?q=%22http%3A%2F%2Fx%22"),
    ] {
        assert_eq!(get(&router, &format!("/runs?find={find}")).await.headers[LOCATION], to, "{find}");
    }
}

#[tokio::test]
async fn rules_are_tried_without_keeping_anything() {
    let router = router("").await;
    let shown = get(&router, "/redaction").await;
    assert_eq!(shown.status, StatusCode::OK);
    assert!(shown.body.contains("bearer-token") && shown.body.contains("can't be counted"), "{}", shown.body);
    for (form, says) in [
        (
            "sample=pay+4111+1111+1111+1111+%3Cb%3E",
            vec!["card-number</span>", "&lt;b&gt;", "1 place changed by 1 rule"],
        ),
        ("sample=nothing&kept=1", vec!["Nothing is changed"]),
        ("sample=x&rules=%5B%5Brules%5D%5D", vec!["These rules can't be used", "line 3"]),
    ] {
        let request = Request::post("/redaction").header(HOST, "localhost").body(Body::from(form)).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        for says in says {
            assert!(body.contains(says), "{form}: {body}");
        }
    }
    let request = Request::post("/redaction").header(HOST, "localhost").body(Body::from("other=1")).unwrap();
    assert_eq!(router.oneshot(request).await.unwrap().status(), StatusCode::BAD_REQUEST);
}
