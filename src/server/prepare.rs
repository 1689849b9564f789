//! What has to be there before anything is served: the store and its tables, and the keys that fit them.
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::config::{Settings, StoreSetting};
use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::evidence::{Fingerprint, KeyFile, KeyFilePolicy};
use crate::server::error::StartError;
use crate::store::queries::{lifecycle, record_lifecycle};
use crate::store::{
    ClusterSettings, EngineSettings, MigrateError, Place, ServerSettings, Store, StoreError, StoreSettings,
};

/// The name of the particular that holds the fingerprint of the keys.
const FINGERPRINT: &str = "fingerprint";

/// Opens the store where the settings say. A server is not contacted yet.
///
/// # Errors
/// [`StartError::DataDir`], [`StartError::Store`].
pub(in crate::server) async fn open_store(settings: &Settings) -> Result<Store, StartError> {
    std::fs::create_dir_all(&settings.data_dir)
        .map_err(|source| StartError::DataDir { path: settings.data_dir.clone(), source })?;
    let store = StoreSettings {
        activity_days: settings.retention.longest().activity_days,
        ..store_settings(settings)?
    };
    Ok(Store::open(&store).await?)
}

fn store_settings(settings: &Settings) -> Result<StoreSettings, StoreError> {
    match &settings.store {
        StoreSetting::Embedded { engine } => {
            let engine = EngineSettings::new(engine, settings.data_dir.join("store"));
            Ok(StoreSettings::new(Place::Embedded(engine)))
        }
        StoreSetting::Server { url, cluster } => {
            let (server, database) = ServerSettings::parse(url)?;
            let mut store = StoreSettings::new(Place::Server(server));
            store.database = database.unwrap_or(store.database);
            store.cluster = cluster.clone().map(|name| ClusterSettings { name, on_cluster: true });
            Ok(store)
        }
    }
}

/// Brings the tables to this version; `false` when the store does not answer now.
///
/// # Errors
/// Any [`MigrateError`] that waiting does not cure.
pub(in crate::server) async fn migrate(store: &Store) -> Result<bool, StartError> {
    match store.migrate().await {
        Ok(applied) => {
            if applied > 0 {
                tracing::info!(applied, "the store's tables were brought to this version");
            }
            Ok(true)
        }
        Err(MigrateError::Store(error) | MigrateError::Failed { source: error, .. }) if error.may_pass() => {
            tracing::warn!(%error, "the store does not answer; what comes in waits in the log");
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Where the keys are: beside the log, never in the database.
pub(in crate::server) fn key_path(data_dir: &Path) -> PathBuf {
    data_dir.join("recount.keys")
}

/// Opens the keys that the store was filled with, or makes them for a store without records. `answering` says
/// whether the store can be asked; where it can't, only a key file that is there will do.
///
/// # Errors
/// [`StartError::Keys`], [`StartError::KeysUnsure`], [`StartError::Store`].
pub(in crate::server) async fn open_keys(
    store: &Store,
    data_dir: &Path,
    answering: bool,
) -> Result<KeyFile, StartError> {
    let path = key_path(data_dir);
    if !answering {
        if !path.exists() {
            return Err(StartError::KeysUnsure { path });
        }
        return Ok(KeyFile::open(&path, KeyFilePolicy::MakeIfMissing)?);
    }
    let known = fingerprint(store).await?;
    let policy = known.clone().map_or(KeyFilePolicy::MakeIfMissing, KeyFilePolicy::Expect);
    let keys = KeyFile::open(&path, policy)?;
    if known.is_none() {
        let detail = vec![(FINGERPRINT.to_owned(), keys.fingerprint().0)];
        record(store, LifecycleKind::KeysMade, detail).await?;
    }
    Ok(keys)
}

async fn fingerprint(store: &Store) -> Result<Option<Fingerprint>, StoreError> {
    let events = lifecycle(store, Some(LifecycleKind::KeysMade), 1).await?;
    Ok(events.first().and_then(|event| event.detail(FINGERPRINT)).map(|text| Fingerprint(text.to_owned())))
}

/// Adds an event about the server itself.
///
/// # Errors
/// As for any insert.
pub(in crate::server) async fn record(
    store: &Store,
    kind: LifecycleKind,
    detail: Vec<(String, String)>,
) -> Result<(), StoreError> {
    let at_ns = now_ns();
    let event = LifecycleEvent { at_ns, event_id: format!("{}-{at_ns}", std::process::id()), kind, detail };
    record_lifecycle(store, &event).await
}

/// Nanoseconds since 1970 by the wall clock.
pub(in crate::server) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
