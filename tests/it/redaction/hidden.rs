//! What a rule hid: found by its own name under every key there ever was, never shown, and brought back where it was
//! encrypted, for a reason that is recorded.
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::redaction::spans::{posted, sent, span};
use crate::support::binary::{Serving, http, run};

const RULES: &str = r#"
[retention]
activity = "300d"
[[redaction.rules]]
id = "acct"
type = "key"
keys = ["account"]
method = "hash"
[[redaction.rules]]
id = "refund-key"
type = "pattern"
pattern = "rk-[0-9]+"
method = "hash"
[[redaction.rules]]
id = "mail"
type = "builtin"
builtin = "email"
selector = "attributes.note"
method = "encrypt"
"#;

/// A refund without an answer.
fn refund(at: u64) -> serde_json::Value {
    let mut refund = span(
        at,
        at,
        None,
        &[
            ("recount.step.kind", "act"),
            ("gen_ai.tool.name", "refund"),
            ("recount.run.id", "run-of-it"),
            ("recount.account.id", "cust-77120"),
            ("recount.action.key", "rk-555"),
            ("recount.action.outcome", "unknown"),
            ("note", "write to ana@shop.example"),
        ],
    );
    refund["status"] = json!({"code": 2, "message": "timed out"});
    refund
}

fn told(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Every question that names the account or the key as people know them.
fn is_found_everywhere(serving: &Serving) {
    for path in [
        "/api/v1/runs?entity=account:cust-77120",
        "/api/v1/runs?q=key:rk-555",
        "/api/v1/cases?account=cust-77120",
        "/api/v1/cases?key=rk-555",
        "/api/v1/actions?account=cust-77120",
        "/api/v1/actions?key=rk-555",
        "/api/v1/entities/account?q=cust-77120",
        "/api/v1/entities/account/cust-77120",
    ] {
        serving.eventually(path, |answer| answer.to_string().contains("acct(10):v1."));
    }
    for (q, count) in [("refund", 1), ("refund%20rk-555", 1), ("refund%20-rk-555", 0)] {
        let answer = serving.json(&format!("/api/v1/search?q={q}&in=names"));
        assert_eq!(answer["runs"].as_array().unwrap().len(), count, "{q}: {answer}");
    }
    let key = serving.eventually_found("/api/v1/keys/rk-555");
    assert!(key["key"].as_str().unwrap().starts_with("refund-key(6):v1."), "{key}");
    let page = format!("/keys/{}", key["key"].as_str().unwrap());
    assert_eq!(serving.get("/keys/rk-555").0, 303, "it leads to the page of what stands for it");
    for (path, shows) in [
        ("/accounts?q=cust-77120", "/entities/account/acct"),
        ("/entities/account/cust-77120", "refund"),
        ("/unknowns?account=cust-77120", "refund"),
        (page.as_str(), "refund"),
        ("/runs?q=account%3Acust-77120", "run-of-it"),
    ] {
        let (status, body) = serving.get(path);
        assert!(status == 200 && body.contains(shows), "{path}: {status} {body}");
    }
}

/// Files of a directory that hold a text.
fn holding(dir: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(holding(&entry.path(), text));
        } else if let Ok(bytes) = fs::read(entry.path())
            && bytes.windows(text.len()).any(|window| window == text.as_bytes())
        {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

#[test]
fn what_was_hidden_is_found_by_its_name_and_comes_back_for_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (config, data) = (folder.path().join("recount.toml"), folder.path().join("data"));
    fs::write(&config, RULES).unwrap();
    let (config, dir) = (config.to_str().unwrap(), data.to_str().unwrap());
    let serving = Serving::start(&data, &["--config", config]);
    assert_eq!(sent(&serving.otlp_http, &[refund(1)]), 200);
    is_found_everywhere(&serving);
    // Who looked is found under either name, and the name itself is kept nowhere.
    let looks = "/api/v1/activity?entity=account:cust-77120";
    serving.eventually(looks, |answer| answer.to_string().contains("/entities/account/acct(10):v1."));

    let trace = serving.eventually_found(&format!("/api/v1/spans/{:032x}/{:016x}", 1, 1)).to_string();
    let at = trace.find("mail(16):e1.").unwrap();
    let sealed: String =
        trace[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || "():.-_".contains(*c)).collect();
    let ask = |value: &str, reason: &str| {
        posted(&serving, "/api/v1/reveal", &json!({"value": value, "reason": reason}))
    };
    for (value, reason, field) in [
        (sealed.as_str(), " ", "reason"),
        ("mail(16):e1.AAAA", "case 4812", "value"),
        ("mail(16):e9.AAAA", "case 4812", "value"),
        ("", "case 4812", "value"),
    ] {
        let (status, answer) = ask(value, reason);
        assert!(status == 400 && answer["detail"].as_str().unwrap().contains(field), "{value}: {answer}");
    }
    let (status, answer) = ask(&sealed, "case 4812");
    assert_eq!((status, answer["value"].as_str()), (200, Some("ana@shop.example")), "{answer}");
    let shown = ["redact", "reveal", "--data-dir", dir, "--as", "ana", "--reason", "case 4813", &sealed];
    assert_eq!(told(&shown), "ana@shop.example", "through the server that runs");
    let form = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("value", sealed.as_str()), ("reason", "case 4814")])
        .finish();
    let head = "POST /reveal HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    let (status, page) = http(&serving.ui, head, form.as_bytes()).unwrap();
    assert!(status == 200 && page.contains("ana@shop.example"), "{page}");
    serving.eventually("/api/v1/activity?kind=revealed", |answer| {
        let text = answer.to_string();
        ["case 4812", "case 4813", "as ana", "case 4814"].iter().all(|reason| text.contains(reason))
    });
    assert_eq!(serving.stop(), Some(0));

    // With another key, what was hidden under the first is found still.
    told(&["redact", "key", "rotate", "--data-dir", dir]);
    let serving = Serving::start(&data, &["--config", config]);
    is_found_everywhere(&serving);
    assert_eq!(sent(&serving.otlp_http, &[refund(2)]), 200);
    let both = |answer: &serde_json::Value| {
        ["v1.", "v2."].iter().all(|version| answer.to_string().contains(version))
    };
    serving.eventually("/api/v1/entities/account?q=cust-77120", both);
    let rotated = serving.json("/api/v1/lifecycle?kind=keys_rotated");
    assert_eq!(rotated["lifecycle"][0]["detail"]["version"], "2", "{rotated}");
    assert_eq!(serving.stop(), Some(0));
    let other = RULES.replace("300d", "400d");
    fs::write(config, other).unwrap();
    let serving = Serving::start(&data, &["--config", config]);
    let changes = serving.json("/api/v1/lifecycle?kind=settings_changed");
    assert_eq!(changes["lifecycle"][0]["detail"]["retention.activity"], "400d", "{changes}");
    assert_eq!(changes["lifecycle"][1]["detail"]["retention.activity"], "300d", "{changes}");
    assert!(changes["lifecycle"][0]["detail"]["changed"].as_str().unwrap().contains("retention.activity"));
    assert_eq!(serving.stop(), Some(0));
    for hidden in ["cust-77120", "rk-555", "ana@shop.example"] {
        assert_eq!(holding(&data, hidden), Vec::<String>::new(), "{hidden} is kept");
    }
}
