//! Kind I: what can be searched is found, however it is written and however it is typed.
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::bugs::case::{Case, Via, attempts, each};

/// The longest address that a client of ours sends is 65,534 bytes.
const LONG: usize = 60_000;

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The runs of this entry that a search finds, by their short names.
fn finds(case: &Case, typed: &str) -> Vec<String> {
    // The entry's own runs alone: three transports send the same texts to one server.
    let own = ["r1", "r2"].map(|id| format!("run:{}", case.own(id))).join(" ");
    let found = case.json(&format!("/api/v1/search?q={}", encoded(&format!("{typed} {own}"))));
    let runs = found["runs"].as_array().unwrap();
    let mut names: Vec<String> = runs
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().rsplit('-').next().unwrap().to_owned())
        .collect();
    names.sort();
    for hit in found["hits"].as_array().unwrap() {
        let marked = hit["fragment"].as_array().unwrap().iter().any(|piece| piece["found"] == true);
        assert!(marked && hit["step"]["number"] == 1 && hit["step"]["attempt"] == 1, "{typed}: {hit}");
    }
    names
}

/// A trace id that begins with zeros, for each transport its own.
fn trace(case: &Case) -> String {
    let digit = match case.via {
        Via::Json => 'e',
        Via::Proto => 'd',
        Via::Grpc => 'c',
    };
    format!("008{digit}fff798038103d269b633813fc703")
}

#[test]
fn b42_other_scripts_escapes_punctuation_and_spellings_of_ids() {
    each("B42", |case| {
        let mut first = case.request(1);
        first["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"] = json!(trace(case));
        case.all_taken(&case.send_json(&first));
        case.sends([2]);
        case.run("r1", attempts(1));
        case.run("r2", attempts(1));
        listed(case);

        for (typed, found) in [
            ("你好", &["r1"][..]),
            ("退款", &["r1"]),
            ("Müller", &["r1"]),
            ("müller", &["r1"]),
            ("MÜLLER", &["r1"]),
            ("café", &["r2"]),
            ("cafe\u{301}", &["r2"]),
            ("🧾", &["r2"]),
            ("مرحبا", &["r2"]),
            ("100%", &["r2"]),
            ("it's", &["r2"]),
            ("\"ok\"", &["r2"]),
            ("\"it's \\\"ok\\\"\"", &["r2"]),
            ("C:\\temp", &["r2"]),
            ("acct-42", &["r2"]),
            ("acct-42/x.y", &["r2"]),
            ("A_1", &["r1"]),
            ("AB1", &["r2"]),
            ("%", &["r2"]),
            ("\"sure it's\"", &["r2"]),
            ("nowhere", &[]),
        ] {
            assert_eq!(finds(case, typed), found, "{:?}: {typed}", case.via);
        }
        // Through both: what stands there plainly, and what stands there as escapes.
        let both = case.json(&format!(
            "/api/v1/search?q={}&in=attributes",
            encoded(&format!("你好 run:{}", case.own("r1")))
        ));
        let label = &both["hits"][0]["label"];
        assert!(label == "in" || label == "out", "{both}");
        let page = case.page(&format!("/search?q={}", encoded(&format!("müller run:{}", case.own("r1")))));
        assert!(page.contains("<mark>M\\u00fcller</mark>"), "{page}");

        typed_as_shown(case);
        spellings_of_ids(case);
        // The way in makes no difference to what is typed.
        if matches!(case.via, Via::Json) {
            nothing_breaks(case);
        }
    });
}

/// A run's page is there as soon as its records are; lists, and so the search, follow within moments.
fn listed(case: &Case) {
    let begun = Instant::now();
    let own = ["r1", "r2"].map(|id| format!("run:{}", case.own(id))).join(" ");
    let path = format!("/api/v1/runs?q={}", encoded(&own));
    while case.json(&path)["runs"].as_array().unwrap().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{own} are not listed");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A boolean and a number are asked for as the page shows them.
fn typed_as_shown(case: &Case) {
    let own = format!("run:{}", case.own("r1"));
    for (typed, count) in
        [("attribute:flag=true", 1), ("attribute:n=42", 1), ("attribute:n=4", 0), ("-attribute:flag=true", 0)]
    {
        let listed = case.json(&format!("/api/v1/runs?q={}", encoded(&format!("{typed} {own}"))));
        assert_eq!(listed["runs"].as_array().unwrap().len(), count, "{typed}: {listed}");
    }
    let page = case.page(&format!("/runs/{}?tab=raw", case.own("r1")));
    assert!(page.contains("true") && page.contains("42"), "{page}");
}

fn spellings_of_ids(case: &Case) {
    let id = trace(case);
    let dashes = format!("{}-{}-{}-{}-{}", &id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]);
    for spelling in [
        id.clone(),
        id.to_uppercase(),
        dashes.clone(),
        format!(" {id} "),
        id.trim_start_matches('0').to_owned(),
    ] {
        let page = case.page(&format!("/traces/{}", encoded(&spelling)));
        assert!(page.contains(&case.own("r1")), "{spelling}");
    }
    let page = case.page(&format!("/runs/{}?tab=raw", case.own("r1")));
    assert!(page.contains(&id), "all 32 digits");
    let by_id = |typed: &str| {
        let found: Value = case.json(&format!("/api/v1/search?q={}", encoded(typed)));
        let runs = found["runs"].as_array().unwrap();
        runs.iter().any(|run| run["run_id"] == case.own("r1").as_str())
    };
    for spelling in
        [&id, &id.to_uppercase(), &dashes, &format!(" {id} "), id.trim_start_matches('0'), &id[..12]]
    {
        assert!(by_id(spelling), "{spelling}");
    }
}

/// No text gives a fault, and one of 60,000 characters is refused kindly.
fn nothing_breaks(case: &Case) {
    let hostile = [
        "'; DROP TABLE steps; --",
        "\\",
        "\"",
        "(",
        "[a-",
        "{project:String}",
        "?",
        "\0",
        "*",
        "a*",
        "-",
        "\u{202e}",
        "?fields",
        "$holds",
    ];
    for typed in hostile {
        for path in ["/search", "/api/v1/search"] {
            let reply = case.get(&format!("{path}?q={}", encoded(typed)));
            assert!(reply.status.as_u16() < 500, "{path} {typed:?}: {} {}", reply.status, reply.text());
        }
    }
    let long = "x".repeat(LONG);
    let reply = case.get(&format!("/api/v1/search?q={long}"));
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.text().contains("longer than 4096 bytes"), "{}", reply.text());
    let page = case.page(&format!("/search?q={long}"));
    assert!(page.contains("is longer than 4096 bytes") && page.contains("role=\"alert\""));
}
