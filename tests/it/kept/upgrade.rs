//! Data and a log of an earlier version: they open, migrate and drain. Those of a later one are refused.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use recount::store::{Engine, EngineSettings, MIGRATIONS, Place, Store, StoreSettings};
use sha2::{Digest, Sha256};

use crate::support::binary::{Serving, run};
use crate::support::child::{Child, say};
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
/// The last migration of the earlier version.
const LAST: u32 = 22;
const TRACE: &str = "00000000000000000000000000000b02";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/upgrade")
}

/// A data directory with the fixture's log and keys.
fn left_behind() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    fs::create_dir(&log).unwrap();
    for entry in fs::read_dir(fixture()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "recount.keys" {
            let to = folder.path().join(name);
            fs::copy(&path, &to).unwrap();
            fs::set_permissions(&to, Permissions::from_mode(0o600)).unwrap();
        } else if path.extension().is_some_and(|kind| kind == "seg") {
            fs::copy(&path, log.join(name)).unwrap();
        }
    }
    folder
}

fn runs(listed: &serde_json::Value) -> Vec<String> {
    let mut runs: Vec<String> = listed["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect();
    runs.sort();
    runs
}

#[test]
fn the_data_and_the_log_of_an_earlier_version_open_migrate_and_drain() {
    let folder = left_behind();
    let store = folder.path().join("store");
    let mut child =
        Child::start("kept::upgrade::makes_the_tables_of_an_earlier_version", &[(DIRECTORY, &store)]);
    assert_eq!(child.says().as_deref(), Some("made"));
    assert!(child.ends());
    let dir = folder.path().to_str().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    // What waited in the log is stored and folded, under the columns of the version that wrote it.
    let is_whole = |run: &serde_json::Value| run["steps"][0]["attempts"].as_array().unwrap().len() == 2;
    let run_in_the_log = serving.eventually("/api/v1/runs/run-in-the-log", is_whole);
    let attempts = run_in_the_log["steps"][0]["attempts"].as_array().unwrap();
    let outcomes: Vec<&str> = attempts.iter().map(|attempt| attempt["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["unknown", "confirmed"]);
    // What was stored is there: in the list by its old line, on its page folded from its records.
    let listed = serving.eventually("/api/v1/runs?limit=500", |listed| runs(listed).len() == 2);
    assert_eq!(runs(&listed), ["run-in-the-log", "run-in-the-store"]);
    let old = serving.json("/api/v1/runs/run-in-the-store");
    assert_eq!(
        (old["steps"][0]["tool"].as_str(), old["steps"][0]["outcome"].as_str()),
        (Some("issue_refund"), Some("confirmed"))
    );
    assert_eq!(serving.stop(), Some(0));
    assert_eq!(
        fs::read_dir(folder.path().join("log"))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "seg")
                && entry.metadata().unwrap().len() > 4096)
            .count(),
        0
    );
    // Tables that came later are filled by a rebuild.
    let rebuilt = run(&["rebuild", "--data-dir", dir]);
    assert!(rebuilt.status.success(), "{}", String::from_utf8_lossy(&rebuilt.stderr));
    let serving = Serving::start(folder.path(), &[]);
    let order = serving.json("/api/v1/entities/order/4711");
    assert_eq!(order["runs"].as_array().map(Vec::len), Some(1), "{order}");
}

#[tokio::test]
#[ignore = "a child of another test"]
async fn makes_the_tables_of_an_earlier_version() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let settings = EngineSettings::new(library(), directory);
    let engine = Engine::open(settings.clone()).await.unwrap();
    let store = Store::over(engine.clone(), &StoreSettings::new(Place::Embedded(settings)));
    let execute = async |sql: &str| {
        let client = engine.client().with_database("recount");
        client.query_raw(sql).execute().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    engine.client().query_raw("CREATE DATABASE recount").execute().await.unwrap();
    for (migration, statement) in MIGRATIONS.iter().zip(store.definitions().unwrap()) {
        if migration.number() > LAST {
            break;
        }
        execute(&statement).await;
        let (number, name) = migration.stem.split_once('_').unwrap();
        let checksum = HEXLOWER.encode(&Sha256::digest(migration.sql.as_bytes()));
        execute(&format!(
            "INSERT INTO migrations (number, name, checksum) VALUES ({number}, '{name}', '{checksum}')"
        ))
        .await;
    }
    execute(&format!(
        "INSERT INTO steps (project, trace_id, span_id, carrier, record_id, received_ns, started_ns, ended_ns, \
         expires, run_id, step_id, kind, name, attempt, tool, target, key, gate, outcome, evidence, status, entities) \
         SELECT 'default', unhex('{TRACE}'), unhex('00000000000000b1'), 'span', unhex('{TRACE}'), \
         toUnixTimestamp64Nano(now64(9)), toUnixTimestamp64Nano(now64(9)) - 1000000000, \
         toUnixTimestamp64Nano(now64(9)), today() + 100, 'run-in-the-store', 'refund', 'act', 'issue_refund', 1, \
         'issue_refund', 'order:4711', 'key-1', 'new', 'confirmed', 'status', 'ok', [('order', '4711')]"
    ))
    .await;
    execute(&format!(
        "INSERT INTO runs (project, expires, run_id, started_ns, ended_ns, received_ns, heard_ns, state, outcome, \
         acts_confirmed, step_count, attempt_count, act_count, entities, tools, traces, version, precedence, \
         complete) \
         SELECT project, expires, run_id, started_ns, ended_ns, received_ns, received_ns, 'ended', 'confirmed', \
         1, 1, 1, 1, ['order:4711'], ['issue_refund'], [unhex('{TRACE}')], 1, 1, 'not_provable' FROM steps"
    ))
    .await;
    store.close().await;
    say("made");
}

#[test]
fn what_a_later_version_left_is_refused_with_a_sentence() {
    let folder = left_behind();
    let path = folder.path().join("log/0000000000000002.seg");
    let mut bytes = fs::read(&path).unwrap();
    // The format's number, and the checksum of the header that is right for it.
    bytes[8] = 2;
    let length = usize::try_from(u32::from_le_bytes(bytes[12..16].try_into().unwrap())).unwrap();
    let checksum = crc32c::crc32c(&bytes[..length - 4]).to_le_bytes();
    bytes[length - 4..length].copy_from_slice(&checksum);
    fs::write(&path, &bytes).unwrap();
    let output = run(&[
        "serve",
        "--data-dir",
        folder.path().to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--otlp-grpc",
        "127.0.0.1:0",
        "--otlp-http",
        "127.0.0.1:0",
    ]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("the log segment 0000000000000002.seg has format 2, newer than this recount knows"),
        "{said}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes, "what it can't read it leaves alone");
}
