//! The program itself exports and erases: from a terminal, over a loss of power, and against the same bytes sent again.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::path::Path;

use crate::support::binary::{Serving, http, run};

const MARK: &str = "Kp4-said-in-confidence-Kp4";
const TRACE: &str = "5b8efff798038103d269b633813fc60c";

fn send(serving: &Serving) {
    let pair = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    let attributes = [
        pair("recount.account.id", "2291"),
        pair("recount.step.kind", "act"),
        pair("gen_ai.operation.name", "execute_tool"),
        pair("gen_ai.tool.name", "refund"),
        pair("gen_ai.tool.call.arguments", &format!(r#"{{\"note\":\"{MARK}\"}}"#)),
        pair("customer.note", MARK),
    ];
    let span = format!(
        r#"{{"traceId":"{TRACE}","spanId":"eee19b7ec3c1b174","name":"refund","attributes":[{}],
            "startTimeUnixNano":"1795970000000000000","endTimeUnixNano":"1795970001000000000"}}"#,
        attributes.join(",")
    );
    let body = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{span}]}}]}}]}}");
    let head = "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n";
    assert_eq!(http(&serving.otlp_http, head, body.as_bytes()).unwrap().0, 200);
}

fn told(arguments: &[&str]) -> (Option<i32>, String) {
    let output = run(arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

fn files_with(dir: &Path, mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, mark));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark.as_bytes()))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn an_export_of_nothing_is_refused_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, out) = (folder.path().join("data"), folder.path().join("bundle.zip"));
    let (at, to) = (dir.to_str().unwrap(), out.to_str().unwrap());
    let export = |entity: &str, more: &[&str]| told(&[&["export", entity, "--out", to], more].concat());
    let (code, said) = export("account:2291", &["--data-dir", at]);
    assert!(code == Some(2) && said.contains("there is no data directory"), "{said}");
    assert!(!dir.exists() && !out.exists());

    let serving = Serving::start(&dir, &[]);
    send(&serving);
    serving.eventually("/api/v1/entities/account/2291", |answer| answer["coverage"]["runs"] == 1);
    let url = format!("http://{}", serving.ui);
    for whom in [["--data-dir", at], ["--url", &url]] {
        let (code, said) = export("account:77", &whom);
        assert!(code == Some(1) && said.contains("Nothing is kept of account:77"), "{said}");
        let (code, said) = export("run:no-such-run", &whom);
        assert!(code == Some(1) && said.contains("Nothing is kept of run:no-such-run"), "{said}");
        assert!(!out.exists());
        let (code, said) = export("account:2291", &whom);
        assert!(code == Some(0) && said.contains("bytes written"), "{said}");
        let trust = dir.join("trust.json");
        let (code, said) = told(&["verify", to, "--trust", trust.to_str().unwrap()]);
        assert!(code == Some(0) && said.contains("Integrity: ok, 1 record matches"), "{said}");
        std::fs::remove_file(&out).unwrap();
    }
    assert_eq!(serving.stop(), Some(0));
    let (code, said) = export("account:77", &["--data-dir", at]);
    assert!(code == Some(1) && !out.exists(), "{said}");
}

#[test]
fn an_account_is_erased_from_a_terminal_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, away) = (folder.path().join("data"), folder.path().join("receipt.json"));
    let (at, out) = (dir.to_str().unwrap(), away.to_str().unwrap());
    let mut serving = Serving::start(&dir, &[]);
    send(&serving);
    serving.eventually("/api/v1/entities/account/2291", |answer| answer["coverage"]["runs"] == 1);
    let run_of = |serving: &Serving| serving.json(&format!("/api/v1/runs/{TRACE}"));
    let whole = run_of(&serving);
    let digest = whole["steps"][0]["attempts"][0]["arguments"]["digest"].as_str().unwrap().to_owned();
    let content = format!("/api/v1/contents/{TRACE}/{digest}");
    assert!(serving.get(&content).1.contains(MARK));

    let erase = ["erase", "account:2291", "--reason", "request 12", "--data-dir", at];
    let (code, said) = told(&[&erase[..], &["--dry-run"]].concat());
    assert!(code == Some(0) && said.contains("would go: 1 record in 1 run"), "{said}");
    // Nobody is at a terminal, and nobody says that it is meant.
    let (code, said) = told(&erase);
    assert!(code == Some(1) && said.contains("`--yes` says that it is meant"), "{said}");
    assert!(said.contains("nothing was erased"), "{said}");
    assert!(serving.get(&content).1.contains(MARK), "nothing went");
    let (code, said) = told(&["erasures", "--data-dir", at]);
    assert!(code == Some(0) && said.contains("there are no erasures in the project default"), "{said}");
    let (code, said) = told(&[&erase[..], &["--yes", "--out", out]].concat());
    assert!(code == Some(0) && said.contains("recount/erasure/1\n"), "{said}");
    assert_eq!(serving.get(&content).0, 410);

    // The receipt once more, later.
    let id = serving.json("/api/v1/erasures")["erasures"][0]["erasure_id"].as_str().unwrap().to_owned();
    let (code, said) = told(&["erasures", "--data-dir", at]);
    assert!(code == Some(0) && said.starts_with(&format!("{id}\tdone\taccount:2291\t")), "{said}");
    let first = std::fs::read_to_string(&away).unwrap();
    std::fs::remove_file(&away).unwrap();
    let (code, said) = told(&["erasures", &id, "--out", out, "--data-dir", at]);
    assert!(code == Some(0) && said.contains("recount/erasure/1\n"), "{said}");
    assert_eq!(std::fs::read_to_string(&away).unwrap(), first);
    let (code, said) = told(&["erasures", "nosuch", "--data-dir", at]);
    assert!(code == Some(1) && said.contains("There is no such erasure"), "{said}");

    let trust = dir.join("trust.json");
    let verify = ["verify", out, "--trust", trust.to_str().unwrap()];
    let (code, said) = told(&verify);
    assert!(code == Some(0) && said.contains("Receipt: ok, 1 record "), "{said}");
    let receipt = std::fs::read_to_string(&away).unwrap();
    std::fs::write(&away, receipt.replace("account:2291", "account:2292")).unwrap();
    let (code, said) = told(&verify);
    assert!(code == Some(1) && said.contains("is not signed by"), "{said}");

    std::fs::write(&away, &receipt[..receipt.len() / 2]).unwrap();
    let (code, said) = told(&verify);
    assert!(code == Some(1) && said.contains("the receipt is cut short"), "{said}");
    let (code, said) = told(&["verify", out, "--trust", "/nowhere/trust.json"]);
    assert!(code == Some(2) && said.contains("the trust file /nowhere/trust.json can't be read"), "{said}");
    assert!(said.contains("/api/v1/evidence/trust"), "{said}");

    // The power goes; the same bytes come again.
    serving.kill();
    let serving = Serving::start(&dir, &[]);
    send(&serving);
    serving
        .eventually("/api/v1/runs", |answer| answer["runs"].as_array().is_some_and(|runs| runs.len() == 1));
    assert_eq!(serving.get(&content).0, 410);
    let again = run_of(&serving);
    assert_eq!((&again["attempt_count"], &again["act_count"]), (&1.into(), &1.into()), "{again}");
    assert_eq!(serving.json("/api/v1/erasures")["erasures"][0]["state"], "done");
    assert_eq!(serving.stop(), Some(0));
    // Tables are compressed, the log is not: it holds nothing of it either.
    assert_eq!(files_with(&dir, MARK), [] as [String; 0]);
    let (code, said) = told(&[&erase[..], &["--dry-run"]].concat());
    assert!(code == Some(0) && said.contains("would go: 0 records"), "{said}");
}
