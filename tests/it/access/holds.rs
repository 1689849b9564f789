//! Legal holds as an admin places them: from a terminal, over the API and on the page, each recorded.
use std::path::Path;

use crate::support::binary::{Serving, http, raw, run};

fn told(arguments: &[&str], dir: &Path) -> (bool, String) {
    let output = run(&[arguments, &["--data-dir", dir.to_str().unwrap()]].concat());
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap().trim().to_owned())
}

fn posted(serving: &Serving, path: &str, body: &str) -> (u16, String) {
    let head = format!("POST {path} HTTP/1.1\r\nContent-Type: application/json\r\n");
    http(&serving.ui, &head, body.as_bytes()).unwrap()
}

fn form(serving: &Serving, path: &str, fields: &[(&str, &str)]) -> String {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let head = format!(
        "POST {path} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Sec-Fetch-Site: same-origin\r\n"
    );
    raw(&serving.ui, &head, body.as_bytes()).unwrap()
}

#[test]
fn holds_are_placed_lifted_listed_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let serving = Serving::start(dir, &[]);
    let (fine, said) = told(&["hold", "list"], dir);
    assert!(fine && said.contains("there are no holds in the project default"), "{said}");
    // Nothing is kept of it yet: allowed, and said.
    let (fine, said) = told(&["hold", "place", "account:2291", "--reason", "lawsuit 17"], dir);
    let line = said.lines().next().unwrap().to_owned();
    assert!(fine && line.contains("\tin_force\taccount:2291\t0\t") && line.ends_with("lawsuit 17"), "{said}");
    assert!(said.contains("Nothing is kept of account:2291 yet"), "{said}");
    let id = line.split('\t').next().unwrap().to_owned();
    for arguments in [
        &["hold", "place", "account:2291", "--reason", " "][..],
        &["hold", "place", "nonsense", "--reason", "x"],
        &["hold", "place", "--reason", "on nothing"],
        &["hold", "lift", "no-such-hold", "--reason", "x"],
    ] {
        let (fine, said) = told(arguments, dir);
        assert!(!fine, "{arguments:?}: {said}");
    }
    let (status, said) = posted(&serving, "/api/v1/holds/place", r#"{"run": "run-9", "reason": "audit"}"#);
    assert!(status == 201 && said.contains("\"about\":\"run run-9\""), "{said}");
    assert!(said.contains("\"records\":0") && said.contains("Nothing is kept of run run-9 yet"), "{said}");
    let (status, said) =
        posted(&serving, "/api/v1/holds/place", r#"{"run": "r", "entity": "account:1", "reason": "two"}"#);
    assert!(status == 400 && said.contains("one thing"), "{said}");

    // On the page: both lines, a form that keeps what was typed when it can't be used.
    let answer = form(&serving, "/holds/place", &[("whole_project", "1"), ("reason", "<b>everything</b>")]);
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let answer = form(&serving, "/holds/place", &[("entity", "account:8"), ("reason", "")]);
    assert!(answer.starts_with("HTTP/1.1 422") && answer.contains("value=\"account:8\""), "{answer}");
    let (_, html) = serving.get("/holds");
    for shown in ["account:2291", "run run-9", "the whole project default", "&lt;b&gt;everything"] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let (_, html) = serving.get("/entities/account/2291");
    assert!(html.contains("Held since"), "{html}");

    let answer = form(&serving, "/holds/lift", &[("hold_id", &id), ("reason", "settled")]);
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let answer = form(&serving, "/holds/lift", &[("hold_id", &id), ("reason", "again")]);
    assert!(answer.contains("was lifted already"), "{answer}");
    let events = serving.json("/api/v1/lifecycle?kind=hold_placed");
    assert_eq!(events["lifecycle"].as_array().unwrap().len(), 3, "{events}");
    let told_of = |kind: &str| serving.json(&format!("/api/v1/activity?kind={kind}")).to_string();
    serving.eventually("/api/v1/activity?kind=changed", |answer| {
        let said = answer.to_string();
        ["placed the hold", "because: lawsuit 17", "because: settled"].iter().all(|part| said.contains(part))
    });
    assert!(told_of("changed").contains("account:2291"));
    assert_eq!(serving.stop(), Some(0));

    // Without a server the same commands open the data directory.
    let (fine, lines) = told(&["hold", "list"], dir);
    assert!(fine && lines.lines().count() == 3, "{lines}");
    assert!(lines.lines().any(|line| line.starts_with(&format!("{id}\tlifted\t"))), "{lines}");
}
