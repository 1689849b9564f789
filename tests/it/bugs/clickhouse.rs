//! The engine of this process as a ClickHouse server: one that can go away, hang, and come back.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;

use crate::bugs::case::block_on;
use crate::support::engine::{database, engine};

/// A server on one port; stops when dropped.
pub(crate) struct Clickhouse {
    pub(crate) url: String,
    at: SocketAddr,
    database: String,
    most_parts: Arc<AtomicU64>,
    running: Option<(CancellationToken, JoinHandle<()>)>,
}

impl Clickhouse {
    pub(crate) fn start() -> Self {
        let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = taken.local_addr().unwrap();
        drop(taken);
        let database = database();
        let create = format!("CREATE DATABASE IF NOT EXISTS {database}");
        block_on(async { engine().await.client().query_raw(&create).execute().await.unwrap() });
        let url = format!("http://{at}/{database}?compress=0");
        let mut server = Self { url, at, database, most_parts: Arc::default(), running: None };
        server.serve();
        server
    }

    /// Where it listens.
    pub(crate) fn at(&self) -> SocketAddr {
        self.at
    }

    /// The database that is its own.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// The only row of a question, asked past the port.
    pub(crate) fn ask<T: clickhouse::RowOwned + clickhouse::RowRead>(&self, sql: &str) -> T {
        self.ask_all(sql).pop().unwrap_or_else(|| panic!("{sql}: no row"))
    }

    /// Every row of a question.
    pub(crate) fn ask_all<T: clickhouse::RowOwned + clickhouse::RowRead>(&self, sql: &str) -> Vec<T> {
        block_on(async {
            let client = engine().await.client().with_database(&self.database);
            client.query_raw(sql).fetch_all().await.unwrap_or_else(|error| panic!("{sql}: {error}"))
        })
    }

    /// Does something in its database, past the port.
    pub(crate) fn execute(&self, sql: &str) {
        block_on(async {
            let client = engine().await.client().with_database(&self.database);
            client.query_raw(sql).execute().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        });
    }

    /// Answers again.
    pub(crate) fn serve(&mut self) {
        let (database, most) = (self.database.clone(), self.most_parts.clone());
        self.run(move |listener| async move {
            let engine = engine().await;
            let client = engine.client();
            let sql = format!(
                "SELECT count() FROM system.parts WHERE active AND database = '{database}' \
                               AND table = 'steps'"
            );
            let watch = async {
                loop {
                    let parts = client.query(&sql).fetch_one::<u64>().await.unwrap_or_default();
                    most.fetch_max(parts, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::select! {
                () = watch => {}
                _ = engine.serve_tcp(listener, None) => {}
            }
        });
    }

    /// Takes connections and never answers on them.
    pub(crate) fn hang(&mut self) {
        self.run(|listener| async move {
            let mut held = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                held.push(stream);
            }
        });
    }

    /// Goes away, in the middle of whatever it does.
    pub(crate) fn stop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            stop.cancel();
            thread.join().unwrap();
        }
    }

    /// The most active parts of the table of steps that were ever seen.
    pub(crate) fn most_parts(&self) -> u64 {
        self.most_parts.load(Ordering::Relaxed)
    }

    fn run<F: Future<Output = ()>>(&mut self, serve: impl FnOnce(TcpListener) -> F + Send + 'static) {
        self.stop();
        let (at, stop) = (self.at, CancellationToken::new());
        let stopped = stop.clone();
        let (ready, is_ready) = std::sync::mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                // Connections of the server before may still be closing.
                let socket = TcpSocket::new_v4().unwrap();
                socket.set_reuseaddr(true).unwrap();
                socket.bind(at).unwrap();
                let listener = socket.listen(128).unwrap();
                ready.send(()).unwrap();
                tokio::select! {
                    () = stopped.cancelled() => {}
                    () = serve(listener) => {}
                }
            });
            runtime.shutdown_background();
        });
        is_ready.recv().unwrap();
        self.running = Some((stop, thread));
    }
}

impl Drop for Clickhouse {
    fn drop(&mut self) {
        self.stop();
    }
}
