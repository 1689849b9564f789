//! The program as its users run it: demo, import, check and wrong settings.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::binary::{Serving, run};

/// Fields of the demo's lines: `demo scenario=… run=… refunds=… confirmed=… open=… agrees=…`.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    line.split(' ').find_map(|field| field.strip_prefix(name)?.strip_prefix('=')).unwrap()
}

#[test]
fn what_recount_says_of_the_demo_agrees_with_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let ports = ["--listen", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
    let output = run(&[&["demo", "--once", "--data-dir", dir], ports.as_slice()].concat());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("demo ")).collect();
    assert_eq!(lines.len(), 12, "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(lines.iter().all(|line| field(line, "agrees") == "true"), "{said}");
    let of = |scenario: &str| *lines.iter().find(|line| field(line, "scenario") == scenario).unwrap();
    let naive = of("timeout-naive");
    assert_eq!((field(naive, "refunds"), field(naive, "confirmed"), field(naive, "open")), ("2", "1", "1"));
    let designed = of("timeout-designed");
    assert_eq!(
        (field(designed, "refunds"), field(designed, "confirmed"), field(designed, "open")),
        ("1", "1", "0")
    );
    assert!(output.status.success());
    // The same data directory serves on, and a second start takes the same keys.
    let serving = Serving::start(folder.path(), &[]);
    let run = serving.json(&format!("/api/v1/runs/{}", field(naive, "run")));
    let refund = run["steps"].as_array().unwrap().iter().find(|step| step["tool"] == "issue_refund").unwrap();
    let outcomes: Vec<_> =
        refund["attempts"].as_array().unwrap().iter().map(|a| a["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unknown", "confirmed"]);
    examples_find_something(&serving);
    assert_eq!(serving.stop(), Some(0));
}

/// What pages suggest to type is there in the demo.
fn examples_find_something(serving: &Serving) {
    let (_, page) = serving.get("/search");
    let plain = |text: &str| {
        text.replace("&gt;", ">").replace("&#62;", ">").replace("&#34;", "\"").replace("&quot;", "\"")
    };
    let examples = page.split("<dt><code>").skip(1).map(|rest| rest.split("</code>").next().unwrap());
    let mut tried: Vec<(&str, String)> = examples.map(|typed| ("search", plain(typed))).collect();
    assert!(tried.len() >= 9, "{tried:?}");
    for (address, api) in [("/search", "search"), ("/runs", "runs"), ("/overview", "runs")] {
        let (_, page) = serving.get(address);
        let box_of_page = page.split("name=\"q\"").filter_map(|rest| rest.split("data-filter").nth(1)).next();
        let typed = box_of_page.unwrap().split("placeholder=\"").nth(1).unwrap().split('"').next().unwrap();
        tried.push((api, plain(typed)));
    }
    for (api, typed) in tried {
        let q: String = typed.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = serving.json(&format!("/api/v1/{api}?q={q}"));
        let runs = answer.get("runs").and_then(|runs| runs.as_array());
        assert!(runs.is_some_and(|runs| !runs.is_empty()), "{api} {typed}: {answer}");
    }
}

fn captures() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, found);
            } else if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                let signal = ["-traces.", "-logs.", "-metrics."].iter().any(|signal| name.contains(signal));
                signal && !name.contains(".decoded.") && !name.contains(".headers.")
            }) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures"), &mut found);
    found.sort();
    found
}

#[test]
fn every_capture_is_imported_without_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = captures();
    assert!(files.len() > 40, "{} captures", files.len());
    let mut arguments = vec!["import", "--data-dir", folder.path().to_str().unwrap()];
    arguments.extend(files.iter().map(|file| file.to_str().unwrap()));
    let output = run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let serving = Serving::start(folder.path(), &[]);
    let listed = serving.json("/api/v1/runs?limit=500");
    let runs = listed["runs"].as_array().unwrap();
    assert!(runs.len() >= 40, "{} runs", runs.len());
    for run in runs {
        let id = run["run_id"].as_str().unwrap();
        let (status, page) = serving.get(&format!("/runs/{id}"));
        assert_eq!(status, 200, "{id}");
        assert!(page.contains("<h1"), "{id}");
        serving.json(&format!("/api/v1/runs/{id}"));
    }
    // Sent again, through the running server: nothing changes.
    let to = format!("http://{}", serving.otlp_http);
    let mut again = vec!["import", "--to", &to];
    again.extend(files.iter().map(|file| file.to_str().unwrap()));
    assert!(run_ok(&again));
    std::thread::sleep(Duration::from_secs(1));
    let counts = |listed: &serde_json::Value| -> Vec<(String, u64)> {
        let runs = listed["runs"].as_array().unwrap().iter();
        let mut counts: Vec<_> = runs
            .map(|run| (run["run_id"].as_str().unwrap().to_owned(), run["attempt_count"].as_u64().unwrap()))
            .collect();
        counts.sort();
        counts
    };
    assert_eq!(counts(&serving.json("/api/v1/runs?limit=500")), counts(&listed));
}

fn run_ok(arguments: &[&str]) -> bool {
    run(arguments).status.success()
}

#[test]
fn settings_that_cannot_be_exit_with_2_and_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let wrong_library = folder.path().join("text.so");
    std::fs::write(&wrong_library, "not a library").unwrap();
    let wrong_library = wrong_library.to_str().unwrap();
    // Whatever else runs on this machine.
    let open = ["--listen", "0.0.0.0:0", "--otlp-http", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0"];
    for (arguments, named) in [
        ([&["serve", "--data-dir", dir][..], &open].concat(), "nobody has a credential yet"),
        (vec!["serve", "--data-dir", dir, "--engine", "/nowhere/libchdb.so"], "make engine"),
        (vec!["serve", "--data-dir", dir, "--engine", wrong_library], "text.so"),
        (vec!["serve", "--data-dir", dir, "--config", "/nowhere/recount.toml"], "/nowhere/recount.toml"),
        (vec!["serve", "--data-dir", dir, "--ack", "memory"], "ack"),
        (vec!["serve", "--data-dir", dir, "--clickhouse-url", "ftp://x"], "http"),
        (vec!["check", "--data-dir", "/proc/nowhere"], "/proc/nowhere"),
    ] {
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        let sentence: Vec<&str> = said.lines().filter(|line| line.starts_with("recount: ")).collect();
        assert!(sentence.len() == 1 && said.contains(named), "{arguments:?}: {said}");
    }
}

#[test]
fn a_second_server_and_a_lost_key_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let serving = Serving::start(folder.path(), &[]);
    let second = run(&["check", "--data-dir", dir]);
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("in use"), "{second:?}");
    assert_eq!(serving.stop(), Some(0));
    let checked = run(&["check", "--data-dir", dir]);
    assert!(checked.status.success(), "{checked:?}");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("all is well"));
    std::fs::remove_file(folder.path().join("recount.keys")).unwrap();
    let lost = run(&["check", "--data-dir", dir]);
    assert_eq!(lost.status.code(), Some(2));
    let said = String::from_utf8_lossy(&lost.stderr).into_owned();
    assert!(said.contains("recount.keys") && said.contains("backup"), "{said}");
}
