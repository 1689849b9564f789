//! Reads: bound by type, without the power to write, limited in time and size, their errors kept.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
use std::time::{Duration, Instant};

use recount::domain::ids::Project;
use recount::domain::scope::Scope;
use recount::store::{Store, StoreError};

use crate::support::engine::{engine, execute, unmigrated};

fn scope() -> Scope {
    Scope { project: Project::default() }
}

/// A store with a database and no tables.
async fn empty() -> Store {
    let store = unmigrated().await;
    let database = format!("CREATE DATABASE {}", store.database());
    engine().await.client().query_raw(&database).execute().await.expect("a database can be made");
    store
}

#[tokio::test]
async fn hostile_values_arrive_as_they_are() {
    let store = empty().await;
    let values = [
        "'; DROP TABLE steps; --",
        "\\' OR 1=1",
        "{project:String}",
        "tab\there, line\nbreak, carriage\rreturn, null\0byte, bell\x07",
        "\\N",
        "\\x41\\n",
        "back`tick \"double\" $1 %s ?",
        "日本語 🦀 e\u{301} \u{202e}",
        "",
    ];
    for value in values {
        let read = store.read(&scope(), "SELECT {value:String}").bind("value", value);
        assert_eq!(read.one::<String>().await.unwrap(), value, "{value:?}");
        let nested = store.read(&scope(), "SELECT {values:Array(String)}").bind("values", vec![value, "x"]);
        assert_eq!(nested.one::<Vec<String>>().await.unwrap(), [value, "x"], "{value:?} in an array");
    }
}

#[derive(Debug, PartialEq, clickhouse::Row, serde::Deserialize)]
struct Bound {
    u: u64,
    i: i64,
    f: f64,
    b: bool,
    o: Option<String>,
    t: Vec<(String, u32)>,
}

#[tokio::test]
async fn parameters_keep_their_types() {
    let store = empty().await;
    let sql = "SELECT {u:UInt64} AS u, {i:Int64} AS i, {f:Float64} AS f, {b:Bool} AS b, \
               {o:Nullable(String)} AS o, {t:Array(Tuple(String, UInt32))} AS t";
    let read = store
        .read(&scope(), sql)
        .bind("u", u64::MAX)
        .bind("i", i64::MIN)
        .bind("f", 0.1)
        .bind("b", true)
        .bind("o", None::<String>)
        .bind("t", vec![("a'b", 7u32)]);
    let bound = read.one::<Bound>().await.unwrap();
    let t = vec![("a'b".to_owned(), 7)];
    assert_eq!(bound, Bound { u: u64::MAX, i: i64::MIN, f: 0.1, b: true, o: None, t });
    let wrong = store.read(&scope(), "SELECT {n:UInt8}").bind("n", "secret").one::<u8>().await.unwrap_err();
    assert!(matches!(&wrong, StoreError::Refused(_)) && !wrong.to_string().contains("secret"), "{wrong}");
}

#[tokio::test]
async fn reads_cannot_write() {
    let store = empty().await;
    execute(&store, "CREATE TABLE written (a UInt8) ENGINE = Memory").await;
    for sql in [
        "CREATE TABLE t (a UInt8) ENGINE = Memory",
        "INSERT INTO written VALUES (1)",
        "INSERT INTO written SELECT 1",
        "DROP DATABASE default",
        "SELECT * FROM file('/etc/hostname', LineAsString)",
        "SELECT 1 SETTINGS readonly = 0",
        "SET readonly = 0",
    ] {
        let error = store.read(&scope(), sql).all::<u8>().await.unwrap_err();
        assert_eq!(error.answer().map(|answer| answer.code), Some(164), "{sql}: {error:?}");
    }
}

#[tokio::test]
async fn errors_keep_code_and_message() {
    let store = empty().await;
    let error = store.read(&scope(), "SELECT nope FROM nowhere").all::<u8>().await.unwrap_err();
    let answer = error.answer().unwrap();
    assert_eq!((answer.code, answer.name.as_str()), (60, "UNKNOWN_TABLE"));
    assert!(answer.message.contains("nowhere"), "{}", answer.message);
    assert_eq!(error.to_string(), "the store refused the statement: code 60 (UNKNOWN_TABLE)");
    let missing = store.read(&scope(), "SELECT 1 WHERE 0").one::<u8>().await.unwrap_err();
    assert!(matches!(missing, StoreError::Missing));
    let unfit = store.read(&scope(), "SELECT 'text'").one::<u8>().await.unwrap_err();
    assert!(matches!(unfit, StoreError::Unreadable { .. }), "{unfit:?}");
}

#[tokio::test]
async fn limits_of_time_and_rows_are_kept() {
    let store = empty().await;
    let begun = Instant::now();
    let endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))";
    let read = store.read(&scope(), endless).limit(Duration::from_secs(1)).one::<u64>();
    assert!(matches!(read.await.unwrap_err(), StoreError::TooSlow { .. }));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    let many = store.read(&scope(), "SELECT number FROM numbers(1000001)").all::<u64>().await.unwrap_err();
    assert_eq!(many.answer().map(|answer| answer.name.as_str()), Some("TOO_MANY_ROWS_OR_BYTES"), "{many:?}");
}
