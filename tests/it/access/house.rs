//! The program itself, from its first credential to a person who signs in, sees, changes, and signs out.
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::binary::{Serving, http, run};

const PASSWORD: &str = "correct horse battery";

fn told(arguments: &[&str], dir: &Path) -> String {
    let output = run(&[arguments, &["--data-dir", dir.to_str().unwrap()]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn with_key(serving: &Serving, path: &str, key: &str) -> (u16, String) {
    http(&serving.ui, &format!("GET {path} HTTP/1.1\r\nAuthorization: Bearer {key}\r\n"), b"").unwrap()
}

fn sent(serving: &Serving, key: Option<&str>) -> u16 {
    let key = key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
    let head = format!("POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n{key}");
    let span = r#"{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"look",
        "startTimeUnixNano":"1795970000000000000","endTimeUnixNano":"1795970001000000000"}"#;
    let body = format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{span}]}}]}}]}}");
    http(&serving.otlp_http, &head, body.as_bytes()).unwrap().0
}

/// Posts a form; the answer's status, its whole head and body.
fn form(serving: &Serving, path: &str, cookie: &str, fields: &[(&str, &str)]) -> (u16, String) {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let head = format!(
        "POST {path} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nCookie: {cookie}\r\n\
         Sec-Fetch-Site: same-origin\r\n"
    );
    let answer = crate::support::binary::raw(&serving.ui, &head, body.as_bytes()).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

fn page(serving: &Serving, path: &str, cookie: &str) -> (u16, String) {
    http(&serving.ui, &format!("GET {path} HTTP/1.1\r\nCookie: {cookie}\r\n"), b"").unwrap()
}

fn holds(dir: &Path, secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holds(&path, secret));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn strangers_are_not_let_near_a_house_without_doors() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    let output = run(&[
        "serve",
        "--data-dir",
        dir,
        "--listen",
        "0.0.0.0:0",
        "--otlp-http",
        "127.0.0.1:0",
        "--otlp-grpc",
        "127.0.0.1:0",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("listen is 0.0.0.0:0") && said.contains("recount user add NAME"), "{said}");
    told(&["key", "create", "agents"], folder.path());
    // Now that somebody has a credential, others may reach it.
    let serving = Serving::start(folder.path(), &["--listen", "0.0.0.0:0"]);
    let at = serving.ui.replace("0.0.0.0", "127.0.0.1");
    let (status, _) = http(&at, "GET /api/v1/runs HTTP/1.1\r\n", b"").unwrap();
    assert_eq!(status, 401);
}

#[test]
fn a_person_signs_in_sees_changes_and_signs_out() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("password"), format!("{PASSWORD}\n")).unwrap();
    let file = dir.join("password");
    let roles = ["--role", "admin@*", "--role", "operator@*", "--role", "auditor@*"];
    let add = [&["user", "add", "Ada", "--password-file", file.to_str().unwrap()], &roles[..]].concat();
    assert!(told(&add, dir).contains("added Ada"));
    let sender = told(&["key", "create", "agents"], dir);
    let serving = Serving::start(dir, &[]);
    assert_eq!((sent(&serving, Some(&sender)), sent(&serving, None)), (200, 401));
    assert_eq!(with_key(&serving, "/api/v1/runs", &sender).0, 403, "a sender's key does not read");
    assert_eq!(serving.get("/runs").0, 401);
    assert!(serving.get("/runs").1.contains("name=\"password\""), "the page asks who it is");

    // A key that is made and revoked while the server runs.
    let reader = told(&["key", "create", "watcher", "--role", "viewer"], dir);
    assert_eq!(with_key(&serving, "/api/v1/runs", &reader).0, 200);
    let id = reader.split('_').nth(1).unwrap();
    assert!(told(&["key", "list"], dir).contains(id));
    told(&["key", "revoke", id], dir);
    let begun = Instant::now();
    while with_key(&serving, "/api/v1/runs", &reader).0 == 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "a revoked key still works");
    }

    let (status, _) = form(&serving, "/login", "", &[("name", "ada"), ("password", "wrong password")]);
    assert_eq!(status, 401);
    let (unknown, _) = form(&serving, "/login", "", &[("name", "nobody"), ("password", "wrong password")]);
    assert_eq!(unknown, status, "whether a name exists is not told");
    let (status, answer) =
        form(&serving, "/login", "", &[("name", "ada"), ("password", PASSWORD), ("next", "/settings")]);
    assert_eq!(status, 303, "{answer}");
    let set = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    let (status, html) = page(&serving, "/settings", &cookie);
    assert!(status == 200 && html.contains("Ada") && !html.contains("development mode"), "{html}");
    let token = html.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();

    let fields = [
        ("change", "make_key"),
        ("name", "shop"),
        ("role", "viewer"),
        ("project", "shop"),
        ("expires", "90d"),
    ];
    assert_eq!(form(&serving, "/settings/change", &cookie, &fields).0, 403, "without the session's token");
    let fields = [&fields[..], &[("csrf", token.as_str())]].concat();
    let (status, html) = form(&serving, "/settings/change", &cookie, &fields);
    assert!(status == 200 && html.contains("<pre class=\"code\">rcn_"), "{html}");
    let short = [("change", "password"), ("name", "ada"), ("password", "short"), ("csrf", token.as_str())];
    let (status, html) = form(&serving, "/settings/change", &cookie, &short);
    assert!(status == 422 && html.contains("at least 12 are needed"), "{html}");

    // Kept in the log before each answer left, and soon after it in the store.
    let lines = ["made the key shop", "Signed in", "Not let in", "command line"];
    let begun = Instant::now();
    loop {
        let (_, html) = page(&serving, "/activity", &cookie);
        let missing: Vec<_> = lines.iter().filter(|line| !html.contains(**line)).collect();
        if missing.is_empty() {
            break;
        }
        assert!(begun.elapsed().as_secs() < 60, "{missing:?}: {html}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let secret = cookie.split('=').nth(1).unwrap();
    for (what, secret) in [("a key", &sender[21..]), ("a password", PASSWORD), ("a session", secret)] {
        let found = holds(&dir.join("store"), secret);
        assert!(found.is_empty(), "{what} is kept in {found:?}");
        assert!(holds(&dir.join("log"), secret).is_empty(), "{what} is kept in the log");
    }
    assert_eq!(form(&serving, "/logout", &cookie, &[("csrf", &token)]).0, 303);
    assert_eq!(page(&serving, "/runs", &cookie).0, 401, "the session is over");
    assert_eq!(serving.stop(), Some(0));
}

#[test]
fn a_process_that_was_killed_leaves_a_gap_in_the_chronicle() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = Serving::start(folder.path(), &[]);
    serving.kill();
    let serving = Serving::start(folder.path(), &[]);
    let events = serving.json("/api/v1/lifecycle?kind=gap");
    let gap: &Value = &events["lifecycle"][0];
    assert_eq!(gap["detail"]["reason"], "the process ended without a stop", "{events}");
    assert!(gap["detail"]["last_alive"].as_str().unwrap() < gap["at"].as_str().unwrap());
    assert_eq!(serving.stop(), Some(0));
    let serving = Serving::start(folder.path(), &[]);
    let events = serving.json("/api/v1/lifecycle");
    let kinds: Vec<&str> =
        events["lifecycle"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..3], ["started", "stopped", "gap"], "{events}");
}

#[test]
fn a_proxy_is_believed_from_its_own_addresses_only() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, config) = (folder.path().join("data"), folder.path().join("recount.toml"));
    let named = ["--config", config.to_str().unwrap()];
    let roles = ["--role", "viewer@*", "--role", "auditor@*"];
    told(&[&["user", "add", "Ada"], &roles[..]].concat(), &dir);
    let key = told(&["key", "create", "watch", "--role", "auditor"], &dir);
    let trusting = |address: &str| {
        let proxy = format!("[proxy]\nheader = \"X-Forwarded-User\"\naddresses = [\"{address}\"]\n");
        std::fs::write(&config, proxy).unwrap();
        Serving::start(&dir, &named)
    };
    let ask = |serving: &Serving, headers: &str| {
        http(&serving.ui, &format!("GET /runs HTTP/1.1\r\n{headers}"), b"").unwrap()
    };
    let serving = trusting("127.0.0.1");
    let (status, page) = ask(&serving, "X-Forwarded-User: ada\r\n");
    assert!(status == 200 && page.contains("Ada"), "{status} {page}");
    for (headers, expected) in [
        ("X-Forwarded-User: eve\r\n", 403),
        ("X-Forwarded-User: \r\n", 403),
        ("X-Forwarded-User: ada\r\nX-Forwarded-User: eve\r\n", 401),
        ("Cookie: x-forwarded-user=ada\r\n", 401),
        ("", 401),
    ] {
        assert_eq!(ask(&serving, headers).0, expected, "{headers}");
    }
    // What the proxy's people send has to come from a page of ours all the same.
    let post = "POST /settings/change HTTP/1.1\r\nX-Forwarded-User: ada\r\nSec-Fetch-Site: same-origin\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n";
    assert_eq!(http(&serving.ui, post, b"change=open_project&name=x").unwrap().0, 403);
    assert_eq!(serving.stop(), Some(0));

    let serving = trusting("10.0.0.5");
    assert_eq!(ask(&serving, "X-Forwarded-User: ada\r\n").0, 401, "a header from elsewhere");
    assert_eq!(ask(&serving, "X-Forwarded-User: ada\r\nX-Forwarded-For: 10.0.0.5\r\n").0, 401);
    let begun = Instant::now();
    loop {
        let (_, said) = with_key(&serving, "/api/v1/activity?kind=refused", &key);
        if said.contains("/runs with the header of the proxy, from elsewhere") {
            break;
        }
        assert!(begun.elapsed().as_secs() < 60, "the try is not recorded: {said}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(serving.stop(), Some(0));
}
