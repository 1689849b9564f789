//! One engine for all tests of this binary, a database for each of them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use recount::store::{Engine, EngineSettings, Place, Store, StoreSettings};
use tokio::sync::OnceCell;

/// The engine library: `RECOUNT_ENGINE`, else where `make engine` puts it.
pub(crate) fn library() -> PathBuf {
    if let Some(path) = std::env::var_os("RECOUNT_ENGINE") {
        return path.into();
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache")));
    cache.expect("a home directory").join("recount/engine/26.7.3/libchdb.so")
}

/// The engine of this test binary, started by the first test that asks.
pub(crate) async fn engine() -> Engine {
    static ENGINE: OnceCell<Engine> = OnceCell::const_new();
    let start = || async {
        let settings = EngineSettings::new(library(), scratch());
        Engine::open(settings).await.expect("the engine starts")
    };
    ENGINE.get_or_init(start).await.clone()
}

/// The name of a database that no other test has.
pub(crate) fn database() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// A store over a database of its own, with every table and no rows.
///
/// Make it inside the test that uses it: its connections belong to that test's runtime.
pub(crate) async fn store() -> Store {
    let store = unmigrated().await;
    store.migrate().await.expect("the tables can be made");
    store
}

/// A store over a database of its own that does not exist yet.
pub(crate) async fn unmigrated() -> Store {
    Store::over(engine().await, &settings())
}

/// Settings with a database of its own. The place is the shared engine's, for [`Store::over`].
pub(crate) fn settings() -> StoreSettings {
    let mut settings = StoreSettings::new(Place::Embedded(EngineSettings::new(library(), "")));
    settings.database = database();
    settings
}

/// Runs a statement in a store's database.
pub(crate) async fn execute(store: &Store, sql: &str) {
    let client = engine().await.client().with_database(store.database());
    client.query_raw(sql).execute().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// A directory for this process; those of earlier ones that are gone are swept away.
pub(crate) fn scratch() -> PathBuf {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("it");
    fs::create_dir_all(&all).unwrap();
    for old in fs::read_dir(&all).unwrap().flatten() {
        let free = File::open(old.path().join("recount.lock")).is_ok_and(|lock| lock.try_lock().is_ok());
        if free {
            fs::remove_dir_all(old.path()).unwrap_or_default();
        }
    }
    all.join(std::process::id().to_string())
}
