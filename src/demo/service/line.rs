//! The agents' HTTP client. It gives up on a lost answer at once and says that 30 s have passed.
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Request as HttpRequest, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::broadcast;

use crate::demo::service::routes::Service;
use crate::demo::tools::Request;

/// How long it waits in truth when something is wrong with the demo itself.
const PATIENCE_REAL: Duration = Duration::from_secs(20);

/// A client of the service.
#[derive(Debug)]
pub(in crate::demo) struct Line {
    address: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    calls: AtomicU64,
}

/// What goes with a request.
#[derive(Debug, Default)]
pub(in crate::demo) struct Headers {
    /// The idempotency key.
    pub(in crate::demo) key: Option<String>,
    /// Run and epoch of the writer.
    pub(in crate::demo) fence: Option<(String, u64)>,
    /// The caller's time, nanoseconds since 1970.
    pub(in crate::demo) now_ns: u64,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::demo) enum Answer {
    /// An answer.
    Came {
        /// The status.
        status: u16,
        /// The body.
        body: String,
        /// `Retry-After`, seconds.
        retry_after: Option<u64>,
        /// How long it took beyond the usual.
        late: Duration,
    },
    /// No answer within 30 s.
    None,
}

impl Line {
    /// A client of a running service.
    pub(in crate::demo) fn new(service: &Service) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address: service.address(), client, calls: AtomicU64::new(0) }
    }

    /// Where the service is.
    pub(in crate::demo) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a request and waits for the answer.
    pub(in crate::demo) async fn send(
        &self,
        service: &Service,
        request: &Request,
        headers: &Headers,
    ) -> Answer {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let lost = service.lost();
        let Some(request) = self.http(request, headers, call) else { return Answer::None };
        tokio::select! {
            answer = self.exchange(request) => answer.unwrap_or(Answer::None),
            () = lost_answer(lost, call) => Answer::None,
            () = tokio::time::sleep(PATIENCE_REAL) => Answer::None,
        }
    }

    fn http(&self, request: &Request, headers: &Headers, call: u64) -> Option<HttpRequest<Full<Bytes>>> {
        let uri: Uri = format!("http://{}{}", self.address, request.path).parse().ok()?;
        let mut http = HttpRequest::builder()
            .method(request.method)
            .uri(uri)
            .header(header::CONTENT_TYPE, "application/json")
            .header("x-demo-call", call)
            .header("x-demo-now", headers.now_ns);
        if let Some(key) = &headers.key {
            http = http.header("idempotency-key", key);
        }
        if let Some((run, epoch)) = &headers.fence {
            http = http.header("x-run-epoch", format!("{run}:{epoch}"));
        }
        let body = request.body.as_ref().map(ToString::to_string).unwrap_or_default();
        http.body(Full::new(Bytes::from(body))).ok()
    }

    async fn exchange(&self, request: HttpRequest<Full<Bytes>>) -> Option<Answer> {
        let answer = self.client.request(request).await.ok()?;
        let number = |name: &str| answer.headers().get(name)?.to_str().ok()?.parse::<u64>().ok();
        let (retry_after, late) = (number("retry-after"), number("x-demo-took-ms").unwrap_or_default());
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.ok()?.to_bytes();
        let body = String::from_utf8_lossy(&body).into_owned();
        Some(Answer::Came { status, body, retry_after, late: Duration::from_millis(late) })
    }
}

/// Returns when the answer of this call is lost.
async fn lost_answer(mut lost: broadcast::Receiver<u64>, call: u64) {
    loop {
        match lost.recv().await {
            Ok(number) if number == call => return,
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
        }
    }
}
