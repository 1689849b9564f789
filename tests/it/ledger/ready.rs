//! Readiness over its sockets: the settings in force, and the time that is asked about.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use serde_json::{Value, json};

use crate::ledger::sending::{Span, send, serving_with};

fn sixth(serving: &crate::support::binary::Serving) -> (Value, String) {
    let answer = serving.eventually("/api/v1/readiness", |answer| answer["tools"][0].is_object());
    let sixth = &answer["questions"][5];
    (sixth["answer"].clone(), sixth["why"].as_str().unwrap().to_owned())
}

#[test]
fn the_sixth_question_is_answered_by_the_settings_in_force() {
    let act = || Span::act(1, 1, "r1", "st-1").key("k1");
    let folder = tempfile::tempdir().unwrap();
    let serving = serving_with(folder.path(), "");
    send(&serving, &[act()]);
    let (answer, why) = sixth(&serving);
    assert_eq!(answer, "no", "{why}");
    assert!(why.contains("183 days") && why.contains("which is the default"), "{why}");
    assert_eq!(serving.stop(), Some(0));

    let rules = "[retention]\nacts = \"2y\"\nreads = \"30d\"\n";
    let serving = serving_with(folder.path(), rules);
    let (answer, why) = sixth(&serving);
    assert_eq!(answer, "partly", "{why}");
    assert!(
        why.contains("Acts are kept for 730 days, reads for 30") && !why.contains("kept for 183"),
        "{why}"
    );
    assert_eq!(serving.stop(), Some(0));

    let serving = serving_with(folder.path(), &format!("{rules}[redaction]\npacks = [\"email\"]\n"));
    let (answer, why) = sixth(&serving);
    assert_eq!(answer, "yes", "{why}");
    assert!(why.contains("email"), "{why}");
    let (_, page) = serving.get("/readiness");
    assert!(page.contains("730 days"), "{page}");
}

#[test]
fn readiness_is_asked_about_days_or_from_one_time_to_another() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serving_with(folder.path(), "");
    send(&serving, &[Span::act(1, 1, "r1", "st-1").key("k1")]);
    let answer = serving.eventually("/api/v1/readiness", |answer| answer["tools"][0].is_object());
    assert_eq!(answer["days"], 30);
    let ago = |hours: i64| (jiff::Timestamp::now() - jiff::SignedDuration::from_hours(hours)).to_string();
    let tools = |query: &str| {
        let answer = serving.json(&format!("/api/v1/readiness?{query}"));
        assert_eq!(answer["days"], Value::Null, "{query}");
        answer["tools"].as_array().unwrap().len()
    };
    assert_eq!(tools(&format!("from={}", ago(1))), 1);
    assert_eq!(tools(&format!("to={}", ago(1))), 0);
    assert_eq!(tools(&format!("from={}&to={}", ago(1), ago(-1))), 1);
    let (status, page) = serving.get(&format!("/readiness?from={}", ago(1)));
    assert!(status == 200 && page.contains("issue_refund") && page.contains("name=\"from\""), "{page}");
    for query in
        ["days=8".to_owned(), format!("days=7&from={}", ago(1)), format!("from={}&to={}", ago(1), ago(2))]
    {
        let (status, said) = serving.get(&format!("/api/v1/readiness?{query}"));
        assert_eq!(status, 400, "{said}");
        let problem: Value = serde_json::from_str(&said).unwrap();
        assert!(problem["detail"].as_str().unwrap_or_default().contains('`'), "{problem}");
    }
    assert_ne!(answer["from"], json!(null));
}
