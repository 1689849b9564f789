//! Builds the rooms, joins them, and opens the ports.
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Settings;
use crate::server::addresses::Addresses;
use crate::server::error::StartError;
use crate::server::rooms::Rooms;
use crate::server::serve::{ServeLimits, serve};

/// A server that takes traffic.
pub struct Server {
    /// Where it listens.
    pub addresses: Addresses,
    rooms: Arc<Rooms>,
    stop: CancellationToken,
    ports: TaskTracker,
}

impl Server {
    /// Starts everything. When it returns, the ports answer and what comes in is kept.
    ///
    /// # Errors
    /// A [`StartError`]; nothing is left running.
    pub async fn start(settings: &Settings) -> Result<Self, StartError> {
        let ui = listen("listen", settings.listen).await?;
        let otlp_http = listen("otlp_http", settings.otlp_http).await?;
        let otlp_grpc = listen("otlp_grpc", settings.otlp_grpc).await?;
        let addresses = Addresses { ui: ui.1, otlp_http: otlp_http.1, otlp_grpc: otlp_grpc.1 };
        let rooms = Arc::new(Rooms::open(settings, addresses).await?);
        let (stop, ports) = (CancellationToken::new(), TaskTracker::new());
        let otlp = rooms.otlp_router();
        let open = |listener: TcpListener, router: Router| {
            let stop = stop.clone();
            ports.spawn(async move {
                let cut = serve(listener, router, ServeLimits::default(), stop).await;
                if cut > 0 {
                    tracing::warn!(cut, "connections were cut at the stop");
                }
            });
        };
        open(otlp_http.0, otlp.clone());
        open(otlp_grpc.0, otlp);
        open(ui.0, rooms.web_router());
        Ok(Self { addresses, rooms, stop, ports })
    }

    /// The rooms behind the ports.
    pub fn rooms(&self) -> &Rooms {
        &self.rooms
    }

    /// Stops in order: no new requests, running ones end, the log is drained as far as the grace allows.
    pub async fn stop(self) {
        self.rooms.end_live();
        self.stop.cancel();
        self.ports.close();
        self.ports.wait().await;
        self.rooms.close().await;
    }
}

async fn listen(setting: &'static str, address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { setting, address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Waits for SIGINT or SIGTERM.
pub async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = terminated => {}
        interrupted = tokio::signal::ctrl_c() => {
            if let Err(error) = interrupted {
                tracing::error!(%error, "signals can't be heard; stopping");
            }
        }
    }
}
