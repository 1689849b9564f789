//! Inserts: the same bytes under the same token are kept once, and every way to fail says what to do next.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes};
use recount::store::{Store, StoreError};

use crate::support::engine::{engine, execute, settings, store};

const TABLE: &str = "CREATE TABLE numbers (number UInt64, body String) ENGINE = MergeTree ORDER BY number \
                     SETTINGS non_replicated_deduplication_window = 100";
const COLUMNS: &[&str] = &["number", "body"];

/// Rows `from..to`, each with a body of so many bytes.
fn rows(from: u64, to: u64, body_bytes: u8) -> Bytes {
    let mut rows = Vec::new();
    for number in from..to {
        rows.put_u64_le(number);
        rows.put_u8(body_bytes);
        rows.put_bytes(b'x', body_bytes.into());
    }
    rows.into()
}

async fn count(store: &Store, table: &str) -> u64 {
    store.read_all_projects(&format!("SELECT count() FROM {table}")).one().await.expect("a count")
}

#[tokio::test]
async fn the_same_bytes_under_the_same_token_are_kept_once() {
    let store = store().await;
    execute(&store, TABLE).await;
    let target = TABLE.replace("numbers", "target");
    execute(&store, &target).await;
    execute(&store, "CREATE MATERIALIZED VIEW view TO target AS SELECT number, body FROM numbers").await;
    for _ in 0..3 {
        store.insert_rows("numbers", COLUMNS, rows(0, 10, 3), "one").await.unwrap();
    }
    assert_eq!((count(&store, "numbers").await, count(&store, "target").await), (10, 10));
    // The same bytes under another token are other rows.
    store.insert_rows("numbers", COLUMNS, rows(0, 10, 3), "two").await.unwrap();
    assert_eq!((count(&store, "numbers").await, count(&store, "target").await), (20, 20));
}

#[tokio::test]
async fn large_inserts_arrive_whole() {
    let store = store().await;
    execute(&store, TABLE).await;
    // 26 MB in pieces of 1 MiB that end in the middle of rows.
    store.insert_rows("numbers", COLUMNS, rows(0, 200_000, 120), "large").await.unwrap();
    let sql = "SELECT count(), sum(number), sum(length(body)) FROM numbers";
    let kept = store.read_all_projects(sql).one::<(u64, u64, u64)>().await.unwrap();
    assert_eq!(kept, (200_000, 199_999 * 100_000, 24_000_000));
    let parts = "SELECT count() FROM system.parts \
                 WHERE database = {database:String} AND table = 'numbers' AND active";
    let parts = store.read_all_projects(parts).bind("database", store.database());
    assert_eq!(parts.one::<u64>().await.unwrap(), 1, "one insert");
}

#[tokio::test]
async fn refused_rows_leave_nothing() {
    let store = store().await;
    execute(&store, TABLE).await;
    let cut = rows(0, 1000, 100).slice(..50_000);
    let error = store.insert_rows("numbers", COLUMNS, cut, "cut").await.unwrap_err();
    assert!(matches!(&error, StoreError::Refused(answer) if answer.code == 33), "{error:?}");
    let error = store.insert_rows("nowhere", COLUMNS, rows(0, 1, 1), "nowhere").await.unwrap_err();
    assert!(matches!(&error, StoreError::Refused(answer) if answer.code == 60), "{error:?}");
    let error = store.insert_rows("numbers", &["other"], rows(0, 1, 1), "column").await.unwrap_err();
    assert!(matches!(&error, StoreError::Refused(answer) if answer.code == 16), "{error:?}");
    assert_eq!(count(&store, "numbers").await, 0);
    // The connection that failed serves the next.
    store.insert_rows("numbers", COLUMNS, rows(0, 5, 1), "good").await.unwrap();
    assert_eq!(count(&store, "numbers").await, 5);
}

#[tokio::test]
async fn a_late_insert_is_unknown_and_repeating_it_is_harmless() {
    let mut settings = settings();
    let store = Store::over(engine().await, &settings);
    settings.insert_timeout = Duration::from_millis(300);
    let hasty = Store::over(engine().await, &settings);
    store.migrate().await.unwrap();
    // Three rows take 2.7 s to pass the view.
    execute(&store, TABLE).await;
    let slow = "CREATE MATERIALIZED VIEW slow ENGINE = MergeTree ORDER BY number \
                AS SELECT number, sleepEachRow(0.9) AS slept FROM numbers";
    execute(&store, slow).await;
    let begun = Instant::now();
    let error = hasty.insert_rows("numbers", COLUMNS, rows(1, 4, 3), "late").await.unwrap_err();
    assert!(matches!(error, StoreError::Unknown { .. }) && error.may_pass(), "{error:?}");
    assert!(begun.elapsed() < Duration::from_millis(2500), "{:?}", begun.elapsed());
    execute(&store, "DROP VIEW slow").await;
    for _ in 0..2 {
        store.insert_rows("numbers", COLUMNS, rows(1, 4, 3), "late").await.unwrap();
    }
    assert_eq!(count(&store, "numbers").await, 3);
}

#[tokio::test]
async fn an_insert_given_up_half_way_leaves_nothing() {
    let store = store().await;
    execute(&store, TABLE).await;
    let client = engine().await.client().with_database(store.database());
    let mut insert = client.insert_formatted_with("INSERT INTO numbers (number, body) FORMAT RowBinary");
    insert.send(rows(0, 1000, 100)).await.unwrap();
    drop(insert);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(count(&store, "numbers").await, 0);
    store.insert_rows("numbers", COLUMNS, rows(0, 5, 1), "good").await.unwrap();
    assert_eq!(count(&store, "numbers").await, 5);
}
