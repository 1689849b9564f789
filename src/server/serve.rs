//! Serves a router on a port, with a limit on everything a stranger could hold open.
//!
//! `axum::serve` has no timers: a header or a body that never ends keeps its connection for ever.
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use bytes::Bytes;
use hyper::body::{Body as HyperBody, Frame, Incoming, SizeHint};
use hyper::service::Service as HyperService;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

use crate::server::stall::Stall;

/// What one port puts up with. Bodies have their own limits, in the rooms that read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections at one time; further ones wait in the system's backlog.
    pub connections_max: usize,
    /// Requests at one time on one HTTP/2 connection.
    pub streams_max: u32,
    /// From a connection's start, and from one request to the next in HTTP/1, to the end of its header.
    pub header_timeout: Duration,
    /// How long a connection without a request is kept.
    pub idle_timeout: Duration,
    /// How long a write may wait for the other end to take it.
    pub write_timeout: Duration,
    /// From the stop to the moment when requests that still run are given up.
    pub stop_within: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            streams_max: 128,
            header_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(300),
            write_timeout: Duration::from_secs(30),
            stop_within: Duration::from_secs(8),
        }
    }
}

/// After a connection was asked to close for idling: how long it may take.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// Between two looks at a connection that is busy.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Bytes of a request's line and header.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// Serves until `stop`, then lets running requests end, within the limit. Gives back how many connections
/// had to be cut.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServeLimits,
    stop: CancellationToken,
) -> usize {
    let room = Arc::new(Semaphore::new(limits.connections_max));
    let connections = TaskTracker::new();
    let builder = Arc::new(builder(&limits));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = async {
                let permit = room.clone().acquire_owned().await;
                (permit, listener.accept().await)
            } => accepted,
        };
        match accepted {
            (Ok(permit), Ok((stream, peer))) => {
                let one = Connection { stream, peer, router: router.clone(), limits, stop: stop.clone() };
                let builder = builder.clone();
                connections.spawn(async move {
                    one.run(&builder).await;
                    drop(permit);
                });
            }
            (_, Err(error)) => {
                // Out of file handles, or a connection that was gone before it was taken.
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(100)).await;
            }
            (Err(_closed), Ok(_)) => break,
        }
    }
    drop(listener);
    connections.close();
    // Each connection ends itself by then; the margin is for the runtime.
    let within = limits.stop_within + Duration::from_secs(1);
    let ended = tokio::time::timeout(within, connections.wait()).await;
    if ended.is_ok() { 0 } else { connections.len() }
}

fn builder(limits: &ServeLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(HEADER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams_max)
        .max_header_list_size(u32::try_from(HEADER_BYTES_MAX).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(20)
        .max_local_error_reset_streams(128)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ServeLimits,
    stop: CancellationToken,
}

impl Connection {
    /// Runs to the connection's end: by itself, for idling, or for the stop.
    async fn run(self, builder: &Builder<TokioExecutor>) {
        let Self { stream, peer, router, limits, stop } = self;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection has no option TCP_NODELAY");
        }
        let activity = Arc::new(Activity::new());
        let service = Watched { router, peer, activity: activity.clone() };
        let stream = TokioIo::new(Stall::new(stream, limits.write_timeout));
        let mut connection = pin!(builder.serve_connection(stream, service));
        let mut closes: Option<Instant> = None;
        loop {
            let look = closes.unwrap_or_else(|| activity.due(&limits));
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, %error, "a connection ended with an error");
                    }
                    return;
                }
                () = stop.cancelled(), if closes.is_none() => {
                    connection.as_mut().graceful_shutdown();
                    closes = Some(Instant::now() + limits.stop_within);
                }
                () = sleep_until(look) => {
                    if closes.is_some() {
                        return;
                    }
                    if activity.due(&limits) <= Instant::now() {
                        connection.as_mut().graceful_shutdown();
                        closes = Some(Instant::now() + CLOSE_WITHIN);
                    }
                }
            }
        }
    }
}

/// What a connection is doing.
#[derive(Debug)]
struct Activity {
    start: Instant,
    /// Requests that have begun, and bodies of answers that have not ended.
    open: AtomicUsize,
    /// Requests that have ever begun.
    begun: AtomicUsize,
    /// When the last one ended, in milliseconds after `start`.
    last_ms: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        let start = Instant::now();
        Self { start, open: AtomicUsize::new(0), begun: AtomicUsize::new(0), last_ms: AtomicU64::new(0) }
    }

    /// When it is time to look whether the connection idles.
    fn due(&self, limits: &ServeLimits) -> Instant {
        if self.open.load(Ordering::SeqCst) > 0 {
            return Instant::now() + LOOK_EVERY;
        }
        let begun = self.begun.load(Ordering::SeqCst) > 0;
        let patience = if begun { limits.idle_timeout } else { limits.header_timeout };
        self.start + Duration::from_millis(self.last_ms.load(Ordering::SeqCst)) + patience
    }
}

/// Counts a request as open until it is dropped.
#[derive(Debug)]
struct Open(Arc<Activity>);

impl Open {
    fn new(activity: Arc<Activity>) -> Self {
        activity.open.fetch_add(1, Ordering::SeqCst);
        activity.begun.fetch_add(1, Ordering::SeqCst);
        Self(activity)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let ms = u64::try_from(self.0.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.last_ms.store(ms, Ordering::SeqCst);
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The router, told who asks and watched for how long it answers.
#[derive(Debug, Clone)]
struct Watched {
    router: Router,
    peer: SocketAddr,
    activity: Arc<Activity>,
}

impl HyperService<Request<Incoming>> for Watched {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let open = Open::new(self.activity.clone());
        request.extensions_mut().insert(ConnectInfo(self.peer));
        let answer = self.router.clone().call(request);
        Box::pin(async move {
            let answer = answer.await?;
            Ok(answer.map(|body| Body::new(Guarded { body, _open: open })))
        })
    }
}

/// An answer's body with the guard: the request is open until its last byte is sent.
#[derive(Debug)]
struct Guarded {
    body: Body,
    _open: Open,
}

impl HyperBody for Guarded {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
