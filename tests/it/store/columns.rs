//! Every column type that our tables use, there and back.
use std::collections::HashMap;

use bytes::{BufMut, Bytes};
use clickhouse::Row;
use serde::{Deserialize, Serialize};

use crate::support::engine::{engine, execute, store};

const COLUMNS: &str = "
    id FixedString(16), name LowCardinality(String), maybe LowCardinality(Nullable(String)), text String,
    small UInt8, medium UInt16, number UInt32, large UInt64, signed Int64, ratio Float64, yes Bool,
    absent Nullable(UInt64), price Nullable(Float64), kind Enum8('think' = 1, 'act' = 2),
    at DateTime64(9, 'UTC'), received DateTime64(3, 'UTC'), day Date, digests Array(FixedString(16)),
    entities Array(Tuple(String, String)), parts Tuple(UInt32, String),
    labels Map(LowCardinality(String), String), nested Array(Array(UInt32)),
    attributes Array(Tuple(LowCardinality(String), Nullable(String), Array(UInt64)))
";

#[derive(Debug, Clone, PartialEq, Row, Serialize, Deserialize)]
struct Everything {
    id: [u8; 16],
    name: String,
    maybe: Option<String>,
    text: String,
    small: u8,
    medium: u16,
    number: u32,
    large: u64,
    signed: i64,
    ratio: f64,
    yes: bool,
    absent: Option<u64>,
    price: Option<f64>,
    kind: i8,
    at: i64,
    received: i64,
    day: u16,
    digests: Vec<[u8; 16]>,
    entities: Vec<(String, String)>,
    parts: (u32, String),
    labels: HashMap<String, String>,
    nested: Vec<Vec<u32>>,
    attributes: Vec<(String, Option<String>, Vec<u64>)>,
}

fn rows() -> Vec<Everything> {
    let empty = Everything {
        id: [0; 16],
        name: String::new(),
        maybe: None,
        text: String::new(),
        small: 0,
        medium: 0,
        number: 0,
        large: 0,
        signed: 0,
        ratio: 0.0,
        yes: false,
        absent: None,
        price: None,
        kind: 1,
        at: 0,
        received: 0,
        day: 0,
        digests: Vec::new(),
        entities: Vec::new(),
        parts: (0, String::new()),
        labels: HashMap::new(),
        nested: Vec::new(),
        attributes: Vec::new(),
    };
    let full = Everything {
        id: [0xff; 16],
        name: "refund".to_owned(),
        maybe: Some(String::new()),
        text: "null\0byte, 'quote', \\back, line\nbreak, 日本語 🦀".to_owned(),
        small: u8::MAX,
        medium: u16::MAX,
        number: u32::MAX,
        large: u64::MAX,
        signed: i64::MIN,
        ratio: -0.1,
        yes: true,
        absent: Some(0),
        price: Some(40.0),
        kind: 2,
        // The last nanosecond of 2261, the last year a DateTime64(9) can hold.
        at: 9_214_646_399_999_999_999,
        received: 1_764_444_000_123,
        day: u16::MAX,
        digests: vec![[1; 16], [2; 16]],
        entities: vec![("account".to_owned(), "2291".to_owned()), ("order".to_owned(), "4812".to_owned())],
        parts: (7, "x".to_owned()),
        labels: HashMap::from([("k".to_owned(), "v".to_owned()), ("".to_owned(), "\0".to_owned())]),
        nested: vec![vec![], vec![1, 2, 3]],
        attributes: vec![
            ("a".to_owned(), None, vec![]),
            ("a".to_owned(), Some("b".to_owned()), vec![u64::MAX]),
        ],
    };
    vec![Everything { number: 1, ..empty }, full]
}

#[tokio::test]
async fn every_type_comes_back_as_it_went() {
    let store = store().await;
    for table in ["everything", "copied"] {
        execute(&store, &format!("CREATE TABLE {table} ({COLUMNS}) ENGINE = MergeTree ORDER BY number"))
            .await;
    }
    let client = engine().await.client().with_database(store.database());
    let mut insert = client.insert::<Everything>("everything").await.unwrap();
    for row in rows() {
        insert.write(&row).await.unwrap();
    }
    insert.end().await.unwrap();
    let read = |table: &str| store.read_all_projects(&format!("SELECT * FROM {table} ORDER BY number"));
    assert_eq!(read("everything").all::<Everything>().await.unwrap(), rows());

    // The bytes that come out are the bytes that go in.
    let mut pieces = read("everything").bytes("RowBinary").unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    let names: Vec<&str> = Everything::COLUMN_NAMES.to_vec();
    store.insert_rows("copied", &names, bytes.into(), "token-1").await.unwrap();
    assert_eq!(read("copied").all::<Everything>().await.unwrap(), rows());
}

#[tokio::test]
async fn strings_are_bytes() {
    let store = store().await;
    execute(&store, "CREATE TABLE raw (number UInt8, body String) ENGINE = MergeTree ORDER BY number").await;
    let bodies: [&[u8]; 6] =
        [b"", b"\0", b"\xff\xfe\x80", b"a\n FORMAT RowBinary\n\n;", b"\xed\xa0\x80", &[0xc3; 300]];
    let mut rows = Vec::new();
    for (number, body) in (0u8..).zip(bodies) {
        rows.put_u8(number);
        if body.len() == 300 {
            rows.put_slice(&[0xac, 0x02]);
        } else {
            rows.put_u8(body.len().try_into().unwrap());
        }
        rows.put_slice(body);
    }
    store.insert_rows("raw", &["number", "body"], Bytes::from(rows), "raw-1").await.unwrap();
    let kept =
        store.read_all_projects("SELECT hex(body) FROM raw ORDER BY number").all::<String>().await.unwrap();
    let sent: Vec<String> = bodies.iter().map(|body| data_encoding::HEXUPPER.encode(body)).collect();
    assert_eq!(kept, sent);
}
