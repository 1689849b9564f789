//! Reads: bound by type, without the power to write, limited in time and size, their errors kept.
#![expect(clippy::expect_used, reason = "a test may stop at the first surprise")]
use std::time::{Duration, Instant};

use recount::domain::ids::Project;
use recount::domain::scope::Scope;
use recount::store::{Store, StoreError};

use crate::support::engine::{engine, execute, store};

fn scope() -> Scope {
    Scope::whole(Project::default())
}

#[tokio::test]
async fn hostile_values_arrive_as_they_are() {
    let store = store().await;
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
    let store = store().await;
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
    let store = store().await;
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
    let store = store().await;
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
    let store = store().await;
    let begun = Instant::now();
    let endless = "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))";
    let read = store.read(&scope(), endless).limit(Duration::from_secs(1)).one::<u64>();
    assert!(matches!(read.await.unwrap_err(), StoreError::TooSlow { .. }));
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    let many = store.read(&scope(), "SELECT number FROM numbers(1000001)").all::<u64>().await.unwrap_err();
    assert_eq!(many.answer().map(|answer| answer.name.as_str()), Some("TOO_MANY_ROWS_OR_BYTES"), "{many:?}");
}

#[tokio::test]
async fn results_of_many_blocks_are_one_result() {
    let store = store().await;
    execute(&store, "CREATE TABLE parts (number UInt32, name String) ENGINE = MergeTree ORDER BY number")
        .await;
    for number in 0..5 {
        execute(&store, &format!("INSERT INTO parts VALUES ({number}, 'n{number}')")).await;
    }
    let sql = "SELECT number, name FROM parts ORDER BY number";
    let rows = store.read(&scope(), sql).all::<(u32, String)>().await.unwrap();
    assert_eq!(rows, (0..5).map(|number| (number, format!("n{number}"))).collect::<Vec<_>>());
    for (format, whole) in [
        ("CSVWithNames", "\"number\",\"name\"\n0,\"n0\"\n1,\"n1\"\n2,\"n2\"\n3,\"n3\"\n4,\"n4\"\n"),
        ("TSV", "0\tn0\n1\tn1\n2\tn2\n3\tn3\n4\tn4\n"),
        ("JSONCompactColumns", "[\n\t[0, 1, 2, 3, 4],\n\t[\"n0\", \"n1\", \"n2\", \"n3\", \"n4\"]\n]\n"),
    ] {
        assert_eq!(text(&store, sql, format).await, whole, "{format}");
    }
    assert_eq!(
        text(&store, &format!("{sql} LIMIT 1 FORMAT JSONEachRow"), "CSV").await,
        "{\"number\":0,\"name\":\"n0\"}\n"
    );
}

#[tokio::test]
async fn formats_that_cannot_be_joined_are_written_whole() {
    let store = store().await;
    let sql = "SELECT number, {project:String} AS project FROM numbers(300000)";
    let mut pieces = store.read(&scope(), sql).bytes("Parquet").unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{} bytes", bytes.len());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let client = engine().await.client();
    let sql = format!("SELECT sum(number), any(project) FROM file('{}', Parquet)", file.path().display());
    let read = client.query_raw(&sql).fetch_one::<(u64, String)>().await.unwrap();
    assert_eq!(read, (300_000 * 299_999 / 2, "default".to_owned()));
    let left = engine().await.directory().join("results").read_dir().unwrap().count();
    assert_eq!(left, 0, "a written result stays on disk");
    let mut failing =
        store.read(&scope(), "SELECT throwIf(number = 99999) FROM numbers(100000)").bytes("ORC").unwrap();
    let error = failing.next().await.unwrap_err();
    assert_eq!(error.answer().map(|answer| answer.code), Some(395), "{error:?}");
}

async fn text(store: &Store, sql: &str, format: &str) -> String {
    let mut pieces = store.read(&scope(), sql).bytes(format).expect("a format");
    let mut text = Vec::new();
    while let Some(piece) = pieces.next().await.expect("a piece") {
        text.extend_from_slice(&piece);
    }
    String::from_utf8(text).expect("text")
}

#[tokio::test]
async fn long_results_stream_in_bounded_memory() {
    let store = store().await;
    let before = resident_bytes();
    let sql = "SELECT number, repeat('x', 1000) AS body FROM numbers(500000)";
    let mut rows = store.read(&scope(), sql).stream::<(u64, String)>().unwrap();
    let (mut count, mut most) = (0u64, 0);
    while let Some((number, body)) = rows.next().await.unwrap() {
        assert_eq!((number, body.len()), (count, 1000));
        count += 1;
        if count % 10_000 == 0 {
            most = most.max(resident_bytes());
        }
    }
    assert_eq!(count, 500_000);
    let grown = most.saturating_sub(before);
    assert!(grown < 250 << 20, "500 MB of rows took {} MB of memory", grown >> 20);
}

#[tokio::test]
async fn a_long_result_that_fails_late_says_so() {
    let store = store().await;
    let sql = "SELECT repeat('x', 200 + throwIf(number = 500000)) FROM numbers(1000000)";
    let mut rows = store.read(&scope(), sql).stream::<String>().unwrap();
    let mut count = 0;
    let error = loop {
        match rows.next().await {
            Ok(Some(_)) => count += 1,
            Ok(None) => panic!("a cut result looked whole after {count} rows"),
            Err(error) => break error,
        }
    };
    assert!(count > 100_000, "{count}");
    assert_eq!(error.answer().map(|answer| answer.code), Some(395), "{error:?}");
}

#[tokio::test]
async fn nobody_waits_and_the_statement_stops() {
    let store = store().await;
    let mark = format!("'{}'", store.database());
    let endless =
        format!("SELECT {mark}, count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))");
    let read = store.read(&scope(), &endless).one::<(String, u64)>();
    tokio::time::timeout(Duration::from_millis(300), read).await.unwrap_err();
    stops(&store, &mark).await;

    let mut rows = store
        .read(&scope(), &format!("SELECT {mark} FROM numbers(1000000000000)"))
        .stream::<String>()
        .unwrap();
    rows.next().await.unwrap().unwrap();
    drop(rows);
    stops(&store, &mark).await;
}

/// Waits until no statement with this mark runs.
async fn stops(store: &Store, mark: &str) {
    let begun = Instant::now();
    let sql = "SELECT count() FROM system.processes WHERE position(query, {mark:String}) > 0 \
               AND query NOT LIKE '%system.processes%'";
    while store.read(&scope(), sql).bind("mark", mark).one::<u64>().await.expect("a count") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "it still runs");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn fifty_reads_at_once_are_all_answered() {
    let store = store().await;
    let mut reads = tokio::task::JoinSet::new();
    for n in 0..50u64 {
        let read = store.read(&scope(), "SELECT {n:UInt64}, count() FROM numbers(100000)").bind("n", n);
        reads.spawn(read.one::<(u64, u64)>());
    }
    let mut answers: Vec<_> = reads.join_all().await.into_iter().map(|answer| answer.unwrap()).collect();
    answers.sort_unstable();
    assert_eq!(answers, (0..50).map(|n| (n, 100_000)).collect::<Vec<_>>());
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kb| kb * 1024)
}
