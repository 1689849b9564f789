//! Migrations: applied once, and a store that does not fit stops the start with one sentence.
use recount::store::{MIGRATIONS, MigrateError};

use crate::support::engine::{execute, store, unmigrated};

#[tokio::test]
async fn migrations_are_applied_once() {
    let store = unmigrated().await;
    assert_eq!(store.migrate().await.unwrap(), MIGRATIONS.len());
    assert_eq!(store.migrate().await.unwrap(), 0);
    let kept = store.read_all_projects("SELECT count() FROM migrations FINAL").one::<u64>().await.unwrap();
    assert_eq!(kept, MIGRATIONS.len() as u64);
}

#[tokio::test]
async fn a_changed_migration_stops_the_start() {
    let store = store().await;
    execute(&store, "INSERT INTO migrations (number, name, checksum) VALUES (1, 'migrations', 'other')")
        .await;
    let error = store.migrate().await.unwrap_err();
    assert!(matches!(error, MigrateError::Changed { .. }), "{error}");
    assert!(error.to_string().starts_with("migration 0001_migrations was changed after"), "{error}");
}

#[tokio::test]
async fn a_newer_store_stops_the_start() {
    let store = store().await;
    execute(&store, "INSERT INTO migrations (number, name, checksum) VALUES (9999, 'later', 'x')").await;
    let error = store.migrate().await.unwrap_err().to_string();
    let sentence =
        "the store was migrated by a newer recount (this one does not know 9999_later): start that version";
    assert_eq!(error, sentence);
}

#[tokio::test]
async fn a_failed_migration_is_named_with_the_reason() {
    let store = unmigrated().await;
    let database = format!("CREATE DATABASE {}", store.database());
    crate::support::engine::engine().await.client().query_raw(&database).execute().await.unwrap();
    // A stranger's table in the way: everything is there, but nothing fits.
    execute(&store, "CREATE TABLE migrations (other UInt8) ENGINE = Memory").await;
    let error = store.migrate().await.unwrap_err();
    assert!(error.to_string().contains("code 1"), "{error}");
}
