//! Pages that follow: who listens hears of changes, hears nothing of others, and is let go when it is over.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use recount::access::{Account, Asking, Directory, Grant, NewKey, Who, make_key};
use recount::domain::kind::Kind;
use recount::domain::step::Step;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

/// So long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

fn step(of: u8, number: u64, run: &str) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id, facts.kind) = (trace(of), span(number), Kind::Read);
    (facts.name, facts.run_id) = (format!("read {number}"), Some(run.to_owned()));
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + SECOND_NS));
    step
}

async fn listen(site: &Site, path: &str, key: Option<&str>) -> Response<Body> {
    let mut request = Request::get(path).header(HOST, "localhost:4319");
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    site.answer(request.body(Body::empty()).unwrap()).await
}

/// Reads on until this is said; gives back all that was. `None` when the stream ends before.
async fn until(body: &mut Body, says: &str) -> Option<String> {
    let reading = async {
        let mut heard = String::new();
        while let Some(frame) = body.frame().await {
            heard.push_str(&String::from_utf8_lossy(&frame.unwrap().into_data().unwrap_or_default()));
            if heard.contains(says) {
                return Some(heard);
            }
        }
        None
    };
    tokio::time::timeout(PATIENCE, reading).await.unwrap()
}

#[tokio::test]
async fn who_listens_hears_of_each_change_and_is_let_go_at_the_stop() {
    let site = Site::new().await;
    site.keep(vec![step(41, 1, "one"), step(42, 1, "other")]).await;
    let got = listen(&site, "/api/v1/stream/runs/one", None).await;
    assert_eq!(got.status(), StatusCode::OK);
    assert_eq!(got.headers()[CONTENT_TYPE], "text/event-stream");
    assert_eq!(got.headers()["cache-control"], "no-store");
    let mut one = got.into_body();
    let mut all = listen(&site, "/api/v1/stream/runs", None).await.into_body();
    assert!(
        until(&mut one, "event: following").await.is_some() && until(&mut all, "following").await.is_some()
    );

    site.keep(vec![step(42, 2, "other")]).await;
    site.keep(vec![step(41, 2, "one")]).await;
    let heard = until(&mut one, "event: changed").await.unwrap();
    let heard = heard + &until(&mut one, "\n\n").await.unwrap_or_default();
    assert!(heard.contains("\"step_count\":2") && !heard.contains("other"), "{heard}");
    assert!(until(&mut all, "\"one\"").await.is_some());

    assert_eq!(site.get("/api/v1/stream/runs/nobody").await.status, StatusCode::NOT_FOUND);
    site.live.end();
    assert!(until(&mut one, "never said").await.is_none() && until(&mut all, "never said").await.is_none());
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_revoked() {
    let site = Site::new().await;
    site.keep(vec![step(43, 1, "kept")]).await;
    let root = Account { who: Who::Development, grants: vec![Grant::parse("admin@*").unwrap()] };
    let ask = NewKey { name: "wall".to_owned(), grant: "viewer".to_owned(), expires: String::new() };
    let (key, entry) = make_key(&ask, Asking { account: &root, now_ns: 1 }).unwrap();
    site.access.set(Directory::of(Vec::new(), Vec::new(), vec![entry.clone()], Vec::new()));
    assert_eq!(listen(&site, "/api/v1/stream/runs/kept", None).await.status(), StatusCode::UNAUTHORIZED);
    let mut body = listen(&site, "/api/v1/stream/runs/kept", Some(key.expose())).await.into_body();
    assert!(until(&mut body, "event: following").await.is_some());
    let revoked = recount::access::KeyEntry { revoked: true, ..entry };
    site.access.set(Directory::of(Vec::new(), Vec::new(), vec![revoked], Vec::new()));
    assert!(until(&mut body, "never said").await.is_none(), "the stream ends");
}

#[tokio::test]
async fn only_so_many_pages_follow_at_one_time() {
    let site = Site::new().await;
    let mut open = Vec::new();
    let refused = loop {
        let got = listen(&site, "/api/v1/stream/runs", None).await;
        if got.status() != StatusCode::OK {
            break got;
        }
        open.push(got);
        assert!(open.len() < 1_000, "streams without end");
    };
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = refused.into_body().collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&body).contains("reload it to see what is new"));
    open.clear();
    assert_eq!(listen(&site, "/api/v1/stream/runs", None).await.status(), StatusCode::OK, "room again");
}
