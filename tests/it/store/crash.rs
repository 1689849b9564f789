//! Killed in the middle of inserts: what was acknowledged is there, and what was not can be repeated.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::time::Duration;

use bytes::{BufMut, Bytes};
use recount::store::{EngineSettings, Place, Store, StoreSettings};

use crate::support::child::{Child, say};
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
const FROM: &str = "RECOUNT_CHILD_FROM";
const TO: &str = "RECOUNT_CHILD_TO";
const ROWS: u64 = 20;

const TABLES: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS numbers (number UInt64, body String, INDEX words body TYPE text(tokenizer = \
     splitByNonAlpha)) ENGINE = MergeTree ORDER BY number SETTINGS fsync_after_insert = 1, \
     fsync_part_directory = 1, non_replicated_deduplication_window = 10000",
    "CREATE TABLE IF NOT EXISTS targets (number UInt64) ENGINE = MergeTree ORDER BY number SETTINGS \
     fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 10000",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS view TO targets AS SELECT number FROM numbers",
];

/// Inserts batch after batch from `FROM` up to `TO`, saying the number of each that was acknowledged; then
/// what is kept.
#[tokio::test]
#[ignore = "a child of other tests"]
async fn inserts() {
    let variable = |name: &str| std::env::var_os(name).map(|value| value.into_string().unwrap());
    let (Some(directory), Some(from), Some(to)) = (variable(DIRECTORY), variable(FROM), variable(TO)) else {
        return;
    };
    let settings = StoreSettings::new(Place::Embedded(EngineSettings::new(library(), directory)));
    let store = Store::open(&settings).await.unwrap();
    store.migrate().await.unwrap();
    let client = store.engine().unwrap().client().with_database(store.database());
    for table in TABLES {
        client.query_raw(table).execute().await.unwrap();
    }
    for batch in from.parse::<u64>().unwrap()..to.parse().unwrap() {
        let token = format!("batch-{batch}");
        store.insert_rows("numbers", &["number", "body"], rows(batch), &token).await.unwrap();
        say(&batch.to_string());
    }
    let mut kept = Vec::new();
    for table in ["numbers", "targets"] {
        let sql = format!("SELECT count(), uniqExact(number) FROM {table}");
        kept.push(store.read_all_projects(&sql).one::<(u64, u64)>().await.unwrap());
    }
    store.close().await;
    say(&format!("kept {kept:?}"));
}

fn rows(batch: u64) -> Bytes {
    let mut rows = Vec::new();
    for number in batch * ROWS..(batch + 1) * ROWS {
        rows.put_u64_le(number);
        rows.put_u8(11);
        rows.put_slice(b"hello words");
    }
    rows.into()
}

fn child(directory: &std::path::Path, from: u64, to: u64) -> Child {
    let directory = directory.to_str().unwrap().to_owned();
    let variables = [(DIRECTORY, directory), (FROM, from.to_string()), (TO, to.to_string())];
    Child::start("store::crash::inserts", &variables)
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    let directory = tempfile::tempdir().unwrap();
    // The next batch that nobody has acknowledged.
    let mut next = 0;
    for round in 0..3u64 {
        let mut child = child(directory.path(), next, u64::MAX);
        let enough = next + 10;
        while let Some(said) = child.says() {
            next = said.parse::<u64>().unwrap() + 1;
            if next >= enough {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(7 * round + 1));
        child.kill();
        // Acknowledged between the last word read and the end.
        while let Some(said) = child.says() {
            next = said.parse::<u64>().unwrap() + 1;
        }
        assert!(next >= enough, "the child got nowhere in round {round}");
    }
    // The last acknowledged batch and the one that was on its way are sent again, as the log would.
    let mut last = child(directory.path(), next - 1, next + 1);
    let said: Vec<String> = std::iter::from_fn(|| last.says()).collect();
    let all = (next + 1) * ROWS;
    assert_eq!(said.last().unwrap(), &format!("kept {:?}", [(all, all); 2]), "{said:?}");
}
