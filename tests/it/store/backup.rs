//! Back-up and restore by the statements of docs/operating.md, under the configuration in `deploy/clickhouse`.
use std::path::PathBuf;

use recount::store::{Engine, EngineSettings, Place, Store, StoreSettings};

use crate::support::child::{Child, say};
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
const PAGE: &str = include_str!("../../../docs/operating.md");
const CONFIGURATION: &str = include_str!("../../../deploy/clickhouse/backups.xml");
/// Where the configuration puts back-ups.
const PLACE: &str = "/var/lib/clickhouse/backups/";

/// In a process of its own: the engine of the other tests has no place for back-ups.
#[test]
fn what_was_backed_up_is_there_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut child = Child::start("store::backup::backs_up_and_restores", &[(DIRECTORY, directory.path())]);
    assert_eq!(child.says().as_deref(), Some("the same"));
    child.kill();
}

#[tokio::test]
#[ignore = "a child of another test"]
async fn backs_up_and_restores() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let inside =
        CONFIGURATION.split_once("<clickhouse>").and_then(|(_, rest)| rest.split_once("</clickhouse>"));
    let (inside, _) = inside.expect("a configuration");
    assert!(inside.contains(PLACE), "{inside}");
    let mut engine_settings = EngineSettings::new(library(), directory.join("store"));
    engine_settings.configuration = inside.replace(PLACE, &format!("{}/backups/", directory.display()));
    let engine = Engine::open(engine_settings.clone()).await.expect("the engine");
    let store = Store::over(engine.clone(), &StoreSettings::new(Place::Embedded(engine_settings)));
    let execute = async |sql: &str| {
        let done = engine.client().query_raw(sql).execute().await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    let rows = async |table: &str| {
        let sql = format!("SELECT count() FROM recount.{table}");
        store.read_all_projects(&sql).one::<u64>().await.expect("a count")
    };
    let insert = "INSERT INTO recount.steps (project, trace_id, span_id, run_id, key, expires) \
                  SELECT 'default', toFixedString(toString(number), 16), toFixedString('1', 8), \
                  toString(number), 'k', today() + 100 FROM numbers(1000)";
    store.migrate().await.expect("tables");
    execute(insert).await;
    let before = (rows("steps").await, rows("run_traces").await, rows("keyed").await);
    assert_eq!(before, (1000, 1000, 1000));
    let mut statements =
        PAGE.split_once("```sql\n").and_then(|(_, rest)| rest.split_once("```")).expect("sql").0.lines();
    let (backup, restore) = (statements.next().expect("a back-up"), statements.next().expect("a restore"));
    assert!(backup.starts_with("BACKUP ") && restore.starts_with("RESTORE "), "{backup} {restore}");
    execute(backup).await;
    execute("DROP DATABASE recount SYNC").await;
    execute(restore).await;
    assert_eq!(store.migrate().await.expect("the same tables"), 0);
    assert_eq!((rows("steps").await, rows("run_traces").await, rows("keyed").await), before);
    // What was derived on insert still is.
    execute(&insert.replace("numbers(1000)", "numbers(1000, 10)")).await;
    assert_eq!(rows("keyed").await, 1010);
    say("the same");
    std::future::pending().await
}
