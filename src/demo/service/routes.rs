//! The service's HTTP interface.
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use crate::demo::service::fault::Fault;
use crate::demo::service::ledger::{Kind, Ledger, Wish};
use crate::demo::ticket::Ticket;
use crate::demo::truth::Effect;

/// How many lost answers may wait to be noticed.
const LOST_MAX: usize = 1024;

/// The running service.
#[derive(Debug)]
pub(in crate::demo) struct Service {
    address: SocketAddr,
    books: Arc<Books>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// What all requests share.
#[derive(Debug)]
struct Books {
    ledger: Mutex<Ledger>,
    /// Numbers of calls whose answer is lost: the caller need not wait 30 s of real time for nothing.
    lost: broadcast::Sender<u64>,
}

impl Service {
    /// Starts it on a free port of loopback.
    pub(in crate::demo) async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (lost, _) = broadcast::channel(LOST_MAX);
        let books = Arc::new(Books { ledger: Mutex::default(), lost });
        let router = Router::new()
            .route("/orders/{order}", get(show_order))
            .route("/orders/{order}/status", post(update_order))
            .route("/refunds", get(list_refunds).post(refund))
            .route("/mails", get(list_mails).post(mail))
            .route("/updates", get(list_updates))
            .with_state(Arc::clone(&books));
        let serving = tokio::spawn(axum::serve(listener, router).into_future());
        Ok(Self { address, books, serving })
    }

    /// Where it listens.
    pub(in crate::demo) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Hears of lost answers.
    pub(super) fn lost(&self) -> broadcast::Receiver<u64> {
        self.books.lost.subscribe()
    }

    /// Takes an order in.
    pub(in crate::demo) fn open(&self, ticket: &Ticket) {
        self.books.ledger().open(ticket);
    }

    /// Plans what goes wrong with the next requests on an order.
    pub(in crate::demo) fn plan(&self, order: u64, operation: &'static str, faults: &[Fault]) {
        self.books.ledger().plan(&order.to_string(), operation, faults);
    }

    /// What was done on an order.
    pub(in crate::demo) fn effects(&self, order: u64) -> Vec<Effect> {
        self.books.ledger().effects(&order.to_string())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Books {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn show_order(State(books): State<Arc<Books>>, Path(order): Path<String>) -> Response {
    match books.ledger().order(&order) {
        Some(order) => Json(order.clone()).into_response(),
        None => refused(StatusCode::NOT_FOUND, "no such order"),
    }
}

async fn refund(books: State<Arc<Books>>, headers: HeaderMap, body: Json<Value>) -> Response {
    let order = order_in(&body);
    act(books, &headers, (Kind::Refund, "refund"), order, body.0).await
}

async fn mail(books: State<Arc<Books>>, headers: HeaderMap, body: Json<Value>) -> Response {
    let order = order_in(&body);
    act(books, &headers, (Kind::Email, "mail"), order, body.0).await
}

async fn update_order(
    books: State<Arc<Books>>,
    Path(order): Path<String>,
    headers: HeaderMap,
    body: Json<Value>,
) -> Response {
    act(books, &headers, (Kind::OrderUpdate, "update"), order, body.0).await
}

type Asked = Query<HashMap<String, String>>;

async fn list_refunds(books: State<Arc<Books>>, query: Asked, headers: HeaderMap) -> Response {
    list(books, (Kind::Refund, "find-refund"), &query, &headers).await
}

async fn list_mails(books: State<Arc<Books>>, query: Asked, headers: HeaderMap) -> Response {
    list(books, (Kind::Email, "find-mail"), &query, &headers).await
}

async fn list_updates(books: State<Arc<Books>>, query: Asked, headers: HeaderMap) -> Response {
    list(books, (Kind::OrderUpdate, "find-update"), &query, &headers).await
}

/// Does what is asked, and lets go wrong what is planned to.
async fn act(
    State(books): State<Arc<Books>>,
    headers: &HeaderMap,
    (kind, operation): (Kind, &'static str),
    order: String,
    body: Value,
) -> Response {
    if !admitted(&books, headers) {
        return refused(StatusCode::CONFLICT, "stale epoch: another worker owns this run");
    }
    let fault = books.ledger().fault(&order, operation);
    let key = text(headers, "idempotency-key");
    let wish = Wish { kind, order, key, now_ns: number(headers, "x-demo-now"), body };
    match fault {
        Fault::Well => done(&books, wish),
        Fault::LoseAnswer => {
            books.ledger().apply(wish);
            lose(&books, headers).await
        }
        Fault::Forget => {
            let answer = books.ledger().pretend(wish);
            (StatusCode::OK, Json(answer)).into_response()
        }
        Fault::Slow(time) => late(done(&books, wish), time),
        Fault::Throttle(_) | Fault::Refuse(_) => refusal(fault),
    }
}

/// Tells what was done.
async fn list(
    State(books): State<Arc<Books>>,
    (kind, operation): (Kind, &'static str),
    query: &HashMap<String, String>,
    headers: &HeaderMap,
) -> Response {
    if !admitted(&books, headers) {
        return refused(StatusCode::CONFLICT, "stale epoch: another worker owns this run");
    }
    let order = query.get("order_id").cloned().unwrap_or_default();
    let fault = books.ledger().fault(&order, operation);
    let key = query.get("idempotency_key").map(String::as_str);
    let found = books.ledger().list(kind, &order, key, number(headers, "x-demo-now"));
    let answer = match found {
        Some(found) => Json(json!({ "data": found })).into_response(),
        None => refused(StatusCode::GONE, "this idempotency key is no longer kept (24 h)"),
    };
    match fault {
        Fault::Well | Fault::Forget => answer,
        Fault::LoseAnswer => lose(&books, headers).await,
        Fault::Slow(time) => late(answer, time),
        Fault::Throttle(_) | Fault::Refuse(_) => refusal(fault),
    }
}

fn done(books: &Books, wish: Wish) -> Response {
    let answer = books.ledger().apply(wish);
    (StatusCode::CREATED, Json(answer)).into_response()
}

/// Never answers; the caller hears of it beside the wire.
async fn lose(books: &Books, headers: &HeaderMap) -> Response {
    // Nobody listens any more: then nobody waits either.
    drop(books.lost.send(number(headers, "x-demo-call")));
    std::future::pending().await
}

fn late(mut answer: Response, time: Duration) -> Response {
    if let Ok(took) = time.as_millis().to_string().parse() {
        answer.headers_mut().insert("x-demo-took-ms", took);
    }
    answer
}

fn refusal(fault: Fault) -> Response {
    match fault {
        Fault::Throttle(seconds) => {
            let mut answer = refused(StatusCode::TOO_MANY_REQUESTS, "rate limit exceeded");
            if let Ok(seconds) = seconds.to_string().parse() {
                answer.headers_mut().insert("retry-after", seconds);
            }
            answer
        }
        Fault::Refuse(status) => refused(
            StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            if status < 500 { "not allowed in this state" } else { "temporarily out of order" },
        ),
        Fault::Well | Fault::LoseAnswer | Fault::Forget | Fault::Slow(_) => StatusCode::OK.into_response(),
    }
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": { "code": status.as_u16(), "message": why } }))).into_response()
}

/// Writers that tell the epoch of their run are fenced.
fn admitted(books: &Books, headers: &HeaderMap) -> bool {
    let fence = text(headers, "x-run-epoch");
    let fence = fence.as_deref().and_then(|fence| fence.rsplit_once(':'));
    let fence = fence.and_then(|(run, epoch)| Some((run, epoch.parse().ok()?)));
    fence.is_none_or(|(run, epoch)| books.ledger().admit(run, epoch))
}

fn order_in(body: &Value) -> String {
    body.get("order_id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn number(headers: &HeaderMap, name: &str) -> u64 {
    text(headers, name).and_then(|text| text.parse().ok()).unwrap_or_default()
}
