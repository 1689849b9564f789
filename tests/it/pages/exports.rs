//! Lists and answers about entities as files: CSV, JSON lines and Parquet have the rows of the JSON answer.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::Request;
use axum::http::header::HOST;
use jiff::Timestamp;
use serde_json::Value as Json;

use crate::pages::entities::{act, site};
use crate::pages::site::Site;
use crate::support::engine::engine;
use crate::support::rows::NOW_NS;

type Row = BTreeMap<String, Json>;

/// The rows of a file, as the engine reads them.
async fn engine_reads(bytes: &[u8], format: &str) -> Vec<Row> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let sql = format!("SELECT * FROM file('{}', {format})", file.path().display());
    let client = engine().await.client().with_setting("output_format_json_quote_64bit_integers", "0");
    let mut read = client.query_raw(&sql).fetch_bytes("JSONEachRow").unwrap();
    let mut lines = Vec::new();
    while let Some(piece) = read.next().await.unwrap() {
        lines.extend_from_slice(&piece);
    }
    rows_of(std::str::from_utf8(&lines).unwrap())
}

fn rows_of(lines: &str) -> Vec<Row> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same value, written in JSON and read from a file with types of its own.
fn same(written: &Json, read: &Json) -> bool {
    let moment = |text: &str| {
        let whole = if text.contains('T') { text.to_owned() } else { format!("{}Z", text.replace(' ', "T")) };
        whole.parse::<Timestamp>().ok()
    };
    match (written, read) {
        (Json::String(one), Json::String(other)) if one != other => {
            moment(one).is_some_and(|at| moment(other) == Some(at))
        }
        (Json::Array(_) | Json::Object(_), Json::String(text)) => {
            serde_json::from_str::<Json>(text).is_ok_and(|read| read == *written)
        }
        (Json::Number(one), Json::Number(other)) => one.as_f64() == other.as_f64(),
        _ => written == read,
    }
}

fn assert_same(written: &[Row], read: &[Row], of: &str) {
    assert_eq!(written.len(), read.len(), "{of}");
    for (one, other) in written.iter().zip(read) {
        assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{of}");
        for (name, value) in one {
            let found = &other[name];
            assert!(same(value, found), "{of} {name}: {value} is read as {found}");
        }
    }
}

/// Asks for a list in every format, and compares all with the rows of the JSON answer; gives their number.
async fn all_formats(site: &Site, address: &str, member: &str) -> usize {
    let with = |more: &str| match address.contains('?') {
        true => format!("/api/v1/{address}&{more}"),
        false => format!("/api/v1/{address}?{more}"),
    };
    let answer = site.get(&with("format=json")).await.json();
    let rows = answer[member].as_array().unwrap().iter();
    let rows: Vec<Row> = rows.map(|row| serde_json::from_value(row.clone()).unwrap()).collect();
    let lines = rows_of(&site.get(&with("format=jsonl")).await.body);
    assert_eq!(lines, rows, "{address}");
    let parquet = site.file(&with("format=parquet")).await;
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{address}");
    assert_same(&rows, &engine_reads(&parquet, "Parquet").await, address);
    let csv = site.file(&with("format=csv")).await;
    let heads = std::str::from_utf8(&csv).unwrap().lines().next().unwrap().to_owned();
    let types: Vec<String> = heads.split(',').map(|head| format!("`{head}` String")).collect();
    let read = engine_reads(&csv, &format!("CSVWithNames, '{}'", types.join(", "))).await;
    assert_eq!(read.len(), rows.len(), "{address}");
    for (row, cells) in rows.iter().zip(&read) {
        for (name, cell) in cells {
            match &row[name] {
                Json::String(text) => {
                    assert_eq!(cell.as_str().unwrap().trim_start_matches('\''), text, "{name}")
                }
                Json::Number(number) => assert_eq!(cell.as_str().unwrap(), number.to_string(), "{name}"),
                Json::Null => assert_eq!(cell, "", "{name}"),
                Json::Bool(_) | Json::Array(_) | Json::Object(_) => {}
            }
        }
    }
    rows.len()
}

#[tokio::test]
async fn csv_json_lines_and_parquet_have_the_rows_of_the_answer() {
    let site = site().await;
    for (path, count) in [("account/2291", 2), ("order/4812", 4), ("account/none", 0)] {
        assert_eq!(all_formats(&site, &format!("entities/{path}"), "steps").await, count, "{path}");
    }
    let html = site.page("/entities/account/2291").await;
    assert!(html.contains("format=parquet") && html.contains("2 steps"), "{html}");
    for (address, member, least) in [
        ("runs", "runs", 3),
        ("runs?outcome=unknown", "runs", 1),
        ("actions", "actions", 3),
        ("cases?state=all", "cases", 1),
        ("findings", "findings", 1),
        ("rejects", "rejects", 0),
    ] {
        assert!(all_formats(&site, address, member).await >= least, "{address}");
    }
    // What is asked for now is activity too.
    let until = format!("activity?to={}", Timestamp::now());
    assert!(all_formats(&site, &until, "activity").await >= 20);
    let ask = Request::get("/api/v1/runs?format=parquet").header(HOST, "localhost:4319");
    let got = site.answer(ask.body(Body::empty()).unwrap()).await;
    let head = |name| got.headers()[name].to_str().unwrap();
    assert_eq!(head("content-type"), "application/vnd.apache.parquet");
    assert_eq!(head("content-disposition"), "attachment; filename=\"runs.parquet\"");
    let wrong = site.get("/api/v1/runs?format=xls").await;
    assert!(wrong.status == 400 && wrong.body.contains("`format` is"), "{}", wrong.body);
    let wrong = site.get("/api/v1/runs?format=csv&cursor=junk").await;
    assert_eq!(wrong.status, 400, "{}", wrong.body);
}

#[tokio::test]
async fn a_list_is_exported_to_its_end() {
    let site = Site::new().await;
    let run = |number: u32| {
        let mut step = act((1, u64::from(number), 0), "send_email", &["2291"], None);
        step.facts.trace_id.0[..4].copy_from_slice(&number.to_be_bytes());
        step.facts.run_id = Some(format!("run-{number:04}"));
        (step.facts.started_ns, step.facts.ended_ns) = (NOW_NS + u64::from(number), None);
        step
    };
    site.keep((1..=510).map(run).collect()).await;
    let page = site.get("/api/v1/runs?limit=500").await.json();
    assert!(page["runs"].as_array().unwrap().len() == 500 && page["next"].is_string());
    let lines = rows_of(&site.get("/api/v1/runs?format=jsonl&limit=7").await.body);
    let ids: Vec<&str> = lines.iter().map(|line| line["run_id"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..=510).rev().map(|number| format!("run-{number:04}")).collect();
    assert_eq!(ids, expected);
    assert_eq!(engine_reads(&site.file("/api/v1/runs?format=parquet").await, "Parquet").await.len(), 510);
    assert_eq!(site.get("/api/v1/runs?format=csv").await.body.lines().count(), 511);
}
