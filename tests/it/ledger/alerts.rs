//! Alerts: told when they begin and when they end, in the shape that was asked for, and not again after a restart.
use std::time::Duration;

use serde_json::{Value, json};

use crate::ledger::sending::{Span, id, open_case, post, send, serving_with};
use crate::ledger::webhooks::receiver;
use crate::support::binary::{http, run};

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn an_alert_begins_and_ends_once_and_a_restart_fires_nothing_again() {
    let folder = tempfile::tempdir().unwrap();
    let (at, told) = receiver(vec![503]);
    let (chat, said) = receiver(Vec::new());
    let hook = |name: &str, at: &str, more: &str| {
        format!(
            "[[webhooks]]\nname = \"{name}\"\nurl = \"{at}\"\nsecret = \"0123456789abcdef\"\nallow_private = true\n\
             events = [\"alert.fired\", \"alert.resolved\"]\n{more}\n"
        )
    };
    let rules = hook("ops", &at, "")
        + &hook("chat", &chat, "shape = \"slack\"")
        + "[[alerts]]\nname = \"any <unknown>\"\nwhen = \"unknown\"\nwithin = \"0s\"\n\
           [[alerts]]\nwhen = \"retries\"\nmore_than = 1000\n";
    let serving = serving_with(folder.path(), &rules);
    let (status, html) = serving.get("/alerts");
    assert!(
        status == 200 && html.contains("any &lt;unknown&gt;") && html.contains("Nothing has fired yet"),
        "{html}"
    );

    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1").times_out()]);
    let case = open_case(&serving, "r1");
    let refused = told.recv_timeout(PATIENCE).unwrap();
    let fired = told.recv_timeout(PATIENCE).unwrap();
    assert!(fired.is_signed() && refused.id == fired.id, "{refused:?} {fired:?}");
    let message = fired.json();
    assert_eq!((&message["type"], &message["data"]["state"]), (&json!("alert.fired"), &json!("firing")));
    assert_eq!(message["data"]["paths"], json!([format!("/cases/{}", id(&case))]));
    let text = said.recv_timeout(PATIENCE).unwrap().json();
    let text: &str = text["text"].as_str().unwrap();
    assert!(text.starts_with("[alert.fired] any &lt;unknown&gt;: 1 now"), "{text}");

    assert_eq!(serving.stop(), Some(0));
    let serving = serving_with(folder.path(), &rules);
    let (_, html) = serving.get("/alerts");
    assert!(html.contains("firing") && html.contains(&format!("href=\"/cases/{}\"", id(&case))), "{html}");
    let path = format!("/cases/{}/resolution", id(&case));
    assert_eq!(post(&serving, &path, &json!({"outcome": "failed", "evidence": "not there"})).0, 201);
    // The next that is told is the end: what stood before the restart did not fire again.
    let ended = told.recv_timeout(PATIENCE).unwrap();
    let message: Value = ended.json();
    assert_eq!((&message["type"], &message["data"]["episode"]), (&json!("alert.resolved"), &json!(1)));
    assert!(said.recv_timeout(PATIENCE).unwrap().json()["text"].as_str().unwrap().contains("so it is over"));

    // The button: every webhook is sent a message, and the page says what became of it.
    let form = "POST /alerts/test HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n";
    let (status, html) = http(&serving.ui, form, b"").unwrap();
    assert!(status == 200 && html.matches("it took the message").count() == 2, "{html}");
    assert_eq!(told.recv_timeout(PATIENCE).unwrap().json()["type"], "test");
    assert!(said.recv_timeout(PATIENCE).unwrap().json()["text"].as_str().unwrap().starts_with("[test]"));
}

#[test]
fn every_project_has_its_own_alerts() {
    let folder = tempfile::tempdir().unwrap();
    let (at, told) = receiver(Vec::new());
    let made =
        run(&["key", "create", "shop", "--project", "shop", "--data-dir", folder.path().to_str().unwrap()]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let key = String::from_utf8(made.stdout).unwrap();
    let rules = format!(
        "[[webhooks]]\nurl = \"{at}\"\nsecret = \"0123456789abcdef\"\nallow_private = true\n\
         events = [\"alert.fired\", \"alert.resolved\"]\n\
         [[alerts]]\nwhen = \"finding\"\ncode = \"no-key\"\n"
    );
    let serving = serving_with(folder.path(), &rules);
    let act = &Span::act(1, 1, "r1", "st-1").0;
    let body = json!({"resourceSpans": [{"scopeSpans": [{"spans": [act]}]}]}).to_string();
    let head = format!(
        "POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {}\r\n",
        key.trim()
    );
    assert_eq!(http(&serving.otlp_http, &head, body.as_bytes()).unwrap().0, 200);
    let message = told.recv_timeout(PATIENCE).unwrap().json();
    assert_eq!(
        (&message["type"], &message["data"]["project"], &message["data"]["count"]),
        (&json!("alert.fired"), &json!("shop"), &json!(1))
    );
}
