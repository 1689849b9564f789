//! A site over a store of its own: keeps steps, lists their runs, asks for pages.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, LOCATION, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;
use recount::access::{Access, SecretHash};
use recount::domain::fold::runs_of;
use recount::domain::ids::TraceId;
use recount::domain::price::Prices;
use recount::domain::run::Run;
use recount::domain::step::Step;
use recount::projection::{Projection, ProjectionSettings};
use recount::redaction::{AllSettings, InForce, Rulebook};
use recount::store::Store;
use recount::store::queries::{keep_activity, trace_records};
use recount::web::{
    Desk, EntityTools, Live, NotRecorded, OpenCount, ServerStatus, WebSettings, WebState, routes,
};
use tower::ServiceExt;

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, PSEUDONYM_KEY, scope};

pub(crate) struct Site {
    pub(crate) store: Store,
    pub(crate) access: Access,
    pub(crate) keeping: Keeping,
    pub(crate) live: Live,
    projection: Projection,
    router: Router,
}

pub(crate) struct Got {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Got {
    /// Where a redirect leads.
    pub(crate) fn location(&self) -> &str {
        self.headers[LOCATION].to_str().unwrap()
    }

    pub(crate) fn is(&self, media: &str) -> bool {
        self.headers[CONTENT_TYPE].to_str().unwrap().starts_with(media)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.body);
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Site {
    pub(crate) async fn new() -> Self {
        Self::with(EntityTools::default(), Keeping::new()).await
    }

    /// With what answers about entities are made with, and keys and rules of its own.
    pub(crate) async fn with(entities: EntityTools, keeping: Keeping) -> Self {
        Self::over(engine::store().await, entities, keeping)
    }

    /// With these prices.
    pub(crate) async fn priced(prices: Prices) -> Self {
        let settings = WebSettings { prices, ..WebSettings::default() };
        let store = engine::store().await;
        Self::set_up(store, settings, (EntityTools::default(), Keeping::new()))
    }

    /// Over a store that is there.
    pub(crate) fn over(store: Store, entities: EntityTools, keeping: Keeping) -> Self {
        Self::set_up(store, WebSettings::default(), (entities, keeping))
    }

    fn set_up(store: Store, settings: WebSettings, (entities, keeping): (EntityTools, Keeping)) -> Self {
        // What the server would log is shown where a test fails.
        tracing_subscriber::fmt().with_test_writer().try_init().unwrap_or_default();
        let at_once = ProjectionSettings { gather: Duration::ZERO, ..ProjectionSettings::default() };
        let projection = Projection::start(store.clone(), at_once);
        let touched = projection.clone();
        let live = Live::new(projection.clone());
        let (access, recorded) = (Access::development(), store.clone());
        let router = routes(WebState {
            store: store.clone(),
            access: access.clone(),
            record: Arc::new(move |entry| {
                let store = recorded.clone();
                Box::pin(async move { keep_activity(&store, &entry).await.map_err(|_lost| NotRecorded) })
            }),
            local_key: SecretHash(String::new()),
            provider: None,
            settings: Arc::new(settings),
            entities,
            status: Arc::new(ServerStatus::default),
            desk: Desk {
                rules: Arc::new(InForce::new(Rulebook::new(&AllSettings::default()).unwrap(), 1)),
                read: |_, now| Ok(now.clone()),
                keys: Arc::new(|_| vec![PSEUDONYM_KEY.clone()]),
            },
            touch: Arc::new(move |project, traces| {
                let touched = touched.clone();
                Box::pin(async move { touched.touch(&project, &traces).await })
            }),
            live: live.clone(),
            metrics: Arc::new(String::new),
            open: OpenCount::default(),
            alerts: recount::web::AlertDesk::default(),
        });
        Self { store, access, keeping, live, projection, router }
    }

    /// Keeps steps, waits for the lines of their runs, and folds these as the pages will.
    pub(crate) async fn keep(&self, steps: Vec<Step>) -> Vec<Run> {
        let mut traces: Vec<TraceId> = steps.iter().map(|step| step.facts.trace_id).collect();
        traces.sort_unstable();
        traces.dedup();
        self.keep_at(NOW_NS, steps).await;
        let records = trace_records(&self.store, &scope(), &traces).await.unwrap();
        runs_of(records).values().map(|part| Run::of_part(part, &[], NOW_NS)).collect()
    }

    /// Keeps steps received at this time, and waits for the lines of their runs.
    pub(crate) async fn keep_at(&self, received_ns: u64, steps: Vec<Step>) {
        let traces: Vec<TraceId> = steps.iter().map(|step| step.facts.trace_id).collect();
        self.keeping.keep(&self.store, received_ns, steps).await;
        self.projection.touch(&self.keeping.project, &traces).await;
    }

    pub(crate) async fn get(&self, path: &str) -> Got {
        self.ask(Request::get(path).header(HOST, "localhost:4319").body(Body::empty()).unwrap()).await
    }

    /// The same with a key.
    pub(crate) async fn get_as(&self, path: &str, key: &str) -> Got {
        let request = Request::get(path).header(HOST, "localhost:4319");
        let request = request.header(AUTHORIZATION, format!("Bearer {key}"));
        self.ask(request.body(Body::empty()).unwrap()).await
    }

    /// Any request.
    pub(crate) async fn ask(&self, request: Request<Body>) -> Got {
        let (parts, mut body) = self.answer(request).await.into_parts();
        let follows = |media: &HeaderValue| media.as_bytes().starts_with(b"text/event-stream");
        if parts.headers.get(CONTENT_TYPE).is_some_and(follows) {
            // It ends when nobody reads it any more: its first event stands for it.
            let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
            let body = String::from_utf8(first.to_vec()).unwrap();
            return Got { status: parts.status, headers: parts.headers, body };
        }
        let body = body.collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Got { status: parts.status, headers: parts.headers, body }
    }

    /// The answer to any request, with its body still to be read.
    pub(crate) async fn answer(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a form, as a page of our own does.
    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Got {
        self.post_from("http://localhost:4319", path, fields).await
    }

    /// Sends a form from a page of this origin.
    pub(crate) async fn post_from(&self, origin: &str, path: &str, fields: &[(&str, &str)]) -> Got {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(fields);
        let request = Request::post(path)
            .header(HOST, "localhost:4319")
            .header(ORIGIN, origin)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body.finish()));
        self.ask(request.unwrap()).await
    }

    /// A file that must be there.
    pub(crate) async fn file(&self, path: &str) -> Vec<u8> {
        let request = Request::get(path).header(HOST, "localhost:4319").body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response.into_body().collect().await.unwrap().to_bytes().to_vec()
    }

    /// A page that must be there.
    pub(crate) async fn page(&self, path: &str) -> String {
        let got = self.get(path).await;
        let main = got.body.split("<main").nth(1).unwrap_or(&got.body);
        assert!(got.status.is_success(), "{path}: {}: {main}", got.status);
        assert!(got.is("text/html"), "{path}");
        got.body
    }
}

/// Every address that a page writes, relative ones made whole.
pub(crate) fn addresses(html: &str, of: &str) -> Vec<String> {
    let path = of.split('?').next().unwrap();
    ["href=\"", "action=\"", "src=\"", "data-load=\""]
        .iter()
        .flat_map(|name| html.split(name).skip(1).map(|rest| rest.split('"').next().unwrap()))
        .map(|address| address.replace("&#38;", "&").replace("&amp;", "&"))
        .map(|address| address.split('#').next().unwrap().to_owned())
        .filter(|address| !address.is_empty())
        .map(|address| if address.starts_with('?') { format!("{path}{address}") } else { address })
        .collect()
}
