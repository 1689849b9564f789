//! The connection: one `clickhouse` client, whether the SQL runs in this process or in a server.
use std::sync::Arc;
use std::time::Duration;

use clickhouse::{Client, Compression};

use crate::store::engine::Engine;
use crate::store::error::StoreError;
use crate::store::settings::{ClusterSettings, Place, ServerSettings, StoreSettings};

/// The store. Cheap to clone; clones share one connection pool.
#[derive(Clone)]
pub struct Store {
    pub(in crate::store) client: Client,
    /// The same without the database, which may not exist yet.
    pub(in crate::store) bare: Client,
    shared: Arc<Shared>,
}

struct Shared {
    database: String,
    cluster: Option<ClusterSettings>,
    read_timeout: Duration,
    insert_timeout: Duration,
    result_rows_max: u64,
    activity_days: u16,
    engine: Option<Engine>,
    place: String,
}

/// Which ClickHouse answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answering {
    /// `embedded in <directory>` or `server at <host:port>`.
    pub place: String,
    /// Its version, such as `26.7.2.1`.
    pub version: String,
}

impl Store {
    /// Starts the engine or prepares the connection. A server is not contacted yet: [`Store::check`] does
    /// that.
    ///
    /// # Errors
    /// [`StoreError::Engine`] if the embedded engine does not start, [`StoreError::Settings`] if the URL is
    /// unusable.
    pub async fn open(settings: &StoreSettings) -> Result<Self, StoreError> {
        match &settings.place {
            Place::Embedded(embedded) => Ok(Self::over(Engine::open(embedded.clone()).await?, settings)),
            Place::Server(server) => {
                Ok(Self::with(of_server(server), None, format!("server at {}", host(&server.url)), settings))
            }
        }
    }

    /// A store over an engine that runs already. `settings.place` is not looked at.
    pub fn over(engine: Engine, settings: &StoreSettings) -> Self {
        let place = format!("embedded in {}", engine.directory().display());
        Self::with(engine.client(), Some(engine), place, settings)
    }

    fn with(client: Client, engine: Option<Engine>, place: String, settings: &StoreSettings) -> Self {
        let mut bare = client.with_product_info("recount", env!("CARGO_PKG_VERSION"));
        if settings.cluster.is_some() {
            // Inserts and reads go to the same replica of each shard while it lives: what was just confirmed
            // is seen by the fold that follows, however far the other replicas are behind.
            bare = bare.with_setting("load_balancing", "in_order");
        }
        Self {
            client: bare.clone().with_database(&settings.database),
            bare,
            shared: Arc::new(Shared {
                database: settings.database.clone(),
                cluster: settings.cluster.clone(),
                read_timeout: settings.read_timeout,
                insert_timeout: settings.insert_timeout,
                result_rows_max: settings.result_rows_max,
                activity_days: settings.activity_days,
                engine,
                place,
            }),
        }
    }

    /// Asks who answers. The database need not exist yet.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], [`StoreError::Denied`] and so on, each one sentence for `recount check`.
    pub async fn check(&self) -> Result<Answering, StoreError> {
        let query = self.bare.query_raw("SELECT version()");
        let version = self.within(self.shared.read_timeout, query.fetch_one::<String>()).await?;
        self.check_cluster().await?;
        Ok(Answering { place: self.shared.place.clone(), version })
    }

    async fn check_cluster(&self) -> Result<(), StoreError> {
        let Some(cluster) = &self.shared.cluster else { return Ok(()) };
        let query = self.bare.query_raw("SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster");
        let known: Vec<String> = self.within(self.shared.read_timeout, query.fetch_all()).await?;
        if known.contains(&cluster.name) {
            return Ok(());
        }
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(StoreError::Settings(format!(
            "the ClickHouse server knows no cluster `{}` (it knows {known}): correct the setting `cluster`",
            cluster.name
        )))
    }

    /// The embedded engine, where there is one.
    pub fn engine(&self) -> Option<&Engine> {
        self.shared.engine.as_ref()
    }

    /// Waits for running statements and stops the embedded engine. The store answers nothing after it.
    pub async fn close(&self) {
        if let Some(engine) = &self.shared.engine {
            engine.shutdown().await;
        }
    }

    /// The database that holds the tables.
    pub fn database(&self) -> &str {
        &self.shared.database
    }

    pub(in crate::store) fn cluster(&self) -> Option<&ClusterSettings> {
        self.shared.cluster.as_ref()
    }

    pub(in crate::store) fn read_timeout(&self) -> Duration {
        self.shared.read_timeout
    }

    pub(in crate::store) fn insert_timeout(&self) -> Duration {
        self.shared.insert_timeout
    }

    /// Days that what people do and what happens to the server is kept.
    pub(in crate::store) fn activity_days(&self) -> u16 {
        self.shared.activity_days
    }

    pub(in crate::store) fn result_rows_max(&self) -> u64 {
        self.shared.result_rows_max
    }

    /// Waits for a question of our own.
    pub(in crate::store) async fn within<T>(
        &self,
        limit: Duration,
        question: impl Future<Output = clickhouse::error::Result<T>>,
    ) -> Result<T, StoreError> {
        match tokio::time::timeout(limit, question).await {
            Ok(answer) => answer.map_err(|error| StoreError::of_read(error, limit)),
            Err(_) => Err(StoreError::Unreachable { reason: format!("no answer within {limit:?}") }),
        }
    }
}

fn of_server(server: &ServerSettings) -> Client {
    let compression = if server.compression { Compression::Lz4 } else { Compression::None };
    let mut client = Client::default().with_url(&server.url).with_compression(compression);
    if let Some(user) = &server.user {
        client = client.with_user(user);
    }
    if let Some(password) = &server.password {
        client = client.with_password(&password.0);
    }
    client
}

fn host(url: &str) -> String {
    match url::Url::parse(url) {
        Ok(url) => {
            let port = url.port_or_known_default().map(|port| format!(":{port}"));
            format!("{}{}", url.host_str().unwrap_or_default(), port.unwrap_or_default())
        }
        Err(_) => String::new(),
    }
}
