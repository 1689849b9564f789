//! The running engine: started on a directory, asked through a client or a port, stopped in order.
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::{JoinSet, spawn_blocking};

use crate::store::engine::connector::Connector;
use crate::store::engine::directory::Directory;
use crate::store::engine::endpoint::{Credentials, Endpoint};
use crate::store::engine::error::EngineError;
use crate::store::engine::library::Library;
use crate::store::engine::pool::Pool;

/// How long stopping waits for statements that still run.
const STOP_PATIENCE: Duration = Duration::from_secs(8);
/// The library serves one directory in a process.
static OPEN: AtomicBool = AtomicBool::new(false);
/// How to start the engine.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The library, `libchdb.so`.
    pub library: PathBuf,
    /// Where the data is; made where it is missing.
    pub directory: PathBuf,
    /// How many reads may run at once, and a quarter as many other statements; more wait.
    pub connections_max: usize,
    /// The most memory the engine may take, in bytes; `None` leaves it nine tenths of the machine's.
    pub memory_bytes_max: Option<u64>,
    /// More elements for the engine's own configuration, as XML.
    pub configuration: String,
}

impl EngineSettings {
    /// The defaults: sixteen reads at once, the engine's own limit of memory.
    pub fn new(library: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        Self {
            library: library.into(),
            directory: directory.into(),
            connections_max: 16,
            memory_bytes_max: None,
            configuration: String::new(),
        }
    }

    fn xml(&self) -> String {
        let memory = self
            .memory_bytes_max
            .map(|bytes| format!("<max_server_memory_usage>{bytes}</max_server_memory_usage>"));
        format!(
            "<clickhouse>\n<!-- Written by Recount at every start. -->\n{}\n{}\n</clickhouse>\n",
            memory.unwrap_or_default(),
            self.configuration
        )
    }
}

/// The engine of this process. Cheap to clone. Dropping the last clone closes it, and another may be opened;
/// [`Engine::shutdown`] also waits for its statements and stops the library for good, as a server does that
/// leaves.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    library: &'static Library,
    pool: Arc<Pool>,
    connections_max: usize,
    directory: Directory,
}

impl Engine {
    /// Locks the directory, loads the library and starts the engine.
    ///
    /// # Errors
    /// An [`EngineError`], each one sentence that names the way out.
    pub async fn open(settings: EngineSettings) -> Result<Self, EngineError> {
        let path = settings.directory.clone();
        match spawn_blocking(move || Self::open_now(&settings)).await {
            Ok(opened) => opened,
            Err(_panicked) => Err(EngineError::NotStarted { path }),
        }
    }

    fn open_now(settings: &EngineSettings) -> Result<Self, EngineError> {
        let library = Library::load(&settings.library)?;
        if OPEN.swap(true, Ordering::AcqRel) {
            return Err(EngineError::SecondInProcess);
        }
        Self::start(library, settings).inspect_err(|_| OPEN.store(false, Ordering::Release))
    }

    fn start(library: &'static Library, settings: &EngineSettings) -> Result<Self, EngineError> {
        let directory = Directory::claim(&settings.directory, &settings.xml())?;
        let not_started = || EngineError::NotStarted { path: directory.path().to_owned() };
        // Without a file of ours the engine would read ./config.xml or one of the user's.
        let arguments = [
            argument("clickhouse", Path::new("")),
            argument("--path=", directory.path()),
            argument("--config-file=", &directory.configuration()),
        ];
        let arguments = arguments.into_iter().collect::<Option<Vec<_>>>().ok_or_else(not_started)?;
        let connections_max = settings.connections_max.max(1);
        let scratch = directory.scratch()?;
        let pool = Pool::open(library, arguments, scratch, connections_max).ok_or_else(not_started)?;
        let inner = Arc::new(Inner { library, pool, connections_max, directory });
        Ok(Self { inner })
    }

    /// Where its data is.
    pub fn directory(&self) -> &Path {
        self.inner.directory.path()
    }

    /// A client of the engine in this process.
    pub fn client(&self) -> clickhouse::Client {
        let connector = Connector::new(Endpoint::new(Arc::clone(&self.inner.pool), None));
        let http = hyper_util::client::legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(self.inner.connections_max)
            .build(connector);
        clickhouse::Client::with_http_client(http)
            .with_url("http://embedded")
            .with_compression(clickhouse::Compression::None)
    }

    /// Serves the engine on a port, as a ClickHouse server would, until dropped. With `None` anybody is
    /// admitted.
    pub async fn serve_tcp(&self, listener: TcpListener, credentials: Option<Credentials>) {
        let endpoint = Endpoint::new(Arc::clone(&self.inner.pool), credentials);
        let mut connections = JoinSet::new();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    connections.spawn(endpoint.clone().serve(stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
    }

    /// Waits for running statements, closes every connection and stops the library. It can't be started again
    /// in this process.
    pub async fn shutdown(&self) {
        if !self.inner.pool.close(STOP_PATIENCE).await {
            tracing::warn!("the engine was left running, because statements still ran");
            return;
        }
        let inner = Arc::clone(&self.inner);
        let stopped = spawn_blocking(move || {
            let stopped = inner.library.stop();
            inner.directory.release();
            stopped
        });
        if !matches!(stopped.await, Ok(true)) {
            tracing::debug!("some threads of the engine could not be stopped");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.pool.close_idle();
        OPEN.store(false, Ordering::Release);
    }
}

fn argument(name: &str, path: &Path) -> Option<CString> {
    CString::new([name.as_bytes(), path.as_os_str().as_encoded_bytes()].concat()).ok()
}
