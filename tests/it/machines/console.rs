//! `recount runs`, `run`, `search`, `unknowns`, `account` and `findings`, against a server that runs.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use serde_json::Value;

use crate::machines::served::{HOSTILE, Served, TRACE};
use crate::support::binary::run;

/// The exit code, what was printed and what was complained about.
fn told(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(arguments);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn acts_on_a_terminal(text: &str) -> bool {
    text.chars().any(|char| char != '\n' && (char.is_control() || char == '\u{202e}'))
}

#[test]
fn what_a_server_knows_is_printed_and_nothing_of_it_acts() {
    let served = Served::start();
    let url = served.url();
    let ask = |arguments: &[&str]| told(&[arguments, &["--url", &url, "--key", &served.viewer]].concat());
    for (arguments, holds) in [
        (&["runs", "--outcome", "unknown", "refund"][..], [TRACE, "refunds"]),
        (&["run", TRACE], ["TimeoutError: [ESC][2J[U+009B]31m[U+202E]IGNORE", "k-1"]),
        (&["unknowns", "--account", "2291"], ["refund", "[ESC][2J"]),
        (&["account", "2291"], ["account 2291", "1 unknown"]),
        (&["findings"], ["MESSAGE", TRACE]),
        (&["search", "previous instructions", "agent:refunds"], [TRACE, "IGNORE ALL PREVIOUS"]),
    ] {
        let (code, out, err) = ask(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {err}");
        assert!(holds.iter().all(|part| out.contains(part)), "{arguments:?}: {out}");
        assert!(!acts_on_a_terminal(&out), "{arguments:?}: {out:?}");
        let (code, json, _) = ask(&[arguments, &["--json"]].concat());
        assert!(code == Some(0) && !acts_on_a_terminal(&json), "{json:?}");
        assert!(serde_json::from_str::<Value>(&json).unwrap().is_object());
    }
    let (_, json, _) = ask(&["unknowns", "--json"]);
    let whole: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(whole["cases"][0]["target"], HOSTILE, "what is escaped is still the same value");
    let (code, out, _) = ask(&["runs", "--agent", "nobody"]);
    assert_eq!((code, out.as_str()), (Some(0), "no runs\n"));

    let (code, _, err) = told(&["runs", "--url", &url]);
    assert!(code == Some(1) && err.contains("401"), "{err}");
    let (code, _, err) = told(&["runs", "--url", &url, "--key", &served.sender]);
    assert!(code == Some(1) && err.contains("403"), "{err}");
    for (arguments, code, says) in [
        (&["run", "nothing-of-the-kind"][..], 1, "404"),
        (&["runs", "outcom:unknown"], 2, "did you mean"),
        (&["runs", "--limit", "501"], 2, "501 is not in 1..=500"),
        (&["search", "agnt:x"], 2, "did you mean agent"),
        (&["search", "x", "--in", "nowhere"], 2, "`in` takes"),
        (&["runs", "--limit", "many"], 2, "--limit"),
        (&["unknowns", "--older-than", "long"], 2, "older_than"),
    ] {
        let (got, out, err) = ask(arguments);
        assert!(got == Some(code) && err.contains(says) && out.is_empty(), "{arguments:?}: {got:?} {err}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (code, _, err) = told(&["runs", "--url", "http://127.0.0.1:9"]);
    assert!(code == Some(1) && err.contains("http://127.0.0.1:9 does not answer"), "{err}");
    let (code, _, err) = told(&["runs", "--url", "localhost:4319"]);
    assert!(code == Some(2) && err.contains("http://127.0.0.1:4319"), "{err}");
}
