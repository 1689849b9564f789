//! What a webhook is sent, in the shape it takes: JSON as it is, or a text for a chat.
use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::domain::alert::AlertEvent;
use crate::domain::hidden::is_hidden;
use crate::domain::ids::Project;
use crate::notices::endpoint::Shape;

/// A text in a chat is cut here.
const TEXT_CHARS_MAX: usize = 2_000;

/// What names a rule of a project in the list of what was told, and in the ids of messages.
pub(in crate::notices) fn rule_id(project: &Project, rule: &str) -> String {
    let mut digest = Sha256::new();
    // The first project's rules keep the names that they had when it was the only one with alerts.
    if *project != Project::default() {
        digest.update(project.0.as_bytes());
        digest.update([0]);
    }
    digest.update(rule.as_bytes());
    let digest = digest.finalize();
    let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("alert-{hex}")
}

/// An alert's beginning or end.
pub(in crate::notices) fn alert(project: &Project, event: &AlertEvent, kind: &str, at: &str) -> Value {
    json!({
        "type": kind,
        "timestamp": at,
        "data": {
            "project": project.0,
            "rule": event.rule,
            "episode": event.episode,
            "state": if event.fired { "firing" } else { "resolved" },
            "count": event.count,
            "said": event.said,
            "paths": event.paths,
            "path": "/alerts",
        }
    })
}

/// A message that only shows that messages arrive.
pub(in crate::notices) fn test(at: &str) -> Value {
    json!({
        "type": "test",
        "timestamp": at,
        "data": {"said": "This is a test of Recount's webhook: nothing happened.", "path": "/alerts"},
    })
}

/// The message in the shape that the webhook takes.
pub(in crate::notices) fn shaped(message: &Value, shape: Shape) -> Bytes {
    match shape {
        Shape::Json => Bytes::from(message.to_string()),
        Shape::Slack => Bytes::from(json!({"text": text(message)}).to_string()),
    }
}

/// One line for people: what happened, to what, and where to look.
fn text(message: &Value) -> String {
    let data = &message["data"];
    let word = |name: &str| data[name].as_str().map(str::to_owned);
    let kind = message["type"].as_str().unwrap_or_default();
    let said = match word("said") {
        Some(said) => word("rule").map_or(said.clone(), |rule| format!("{rule}: {said}")),
        None => [word("tool"), word("target"), word("outcome")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · "),
    };
    let mut places: Vec<String> = word("path").into_iter().collect();
    places.extend(
        data["paths"].as_array().into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)),
    );
    inert(&format!("[{kind}] {said} ({})", places.join(" ")))
}

/// Slack reads `<…>` as links and mentions, and much of this was written by others.
fn inert(text: &str) -> String {
    let plain = text.chars().map(|c| if is_hidden(c) || c == '\n' { ' ' } else { c }).take(TEXT_CHARS_MAX);
    plain.collect::<String>().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_is_told_in_one_line_that_mentions_nobody() {
        let event = AlertEvent {
            rule: "double <!channel>".to_owned(),
            episode: 1,
            fired: true,
            said: "2 now\n& more".to_owned(),
            paths: vec!["/runs/a".to_owned()],
            ..AlertEvent::default()
        };
        let message = alert(&Project::default(), &event, "alert.fired", "2026-11-30T06:00:00Z");
        assert_eq!(message["data"]["state"], "firing");
        let sent: Value = serde_json::from_slice(&shaped(&message, Shape::Slack)).unwrap();
        assert_eq!(sent["text"], "[alert.fired] double &lt;!channel&gt;: 2 now &amp; more (/alerts /runs/a)");
        assert_eq!(sent.as_object().unwrap().len(), 1);
        let as_is: Value = serde_json::from_slice(&shaped(&message, Shape::Json)).unwrap();
        assert_eq!(as_is, message);
        let case = json!({"type": "unknown.opened", "data": {
            "tool": "refund", "target": "<@U1>", "outcome": "unknown", "path": "/cases/c"
        }});
        assert_eq!(text(&case), "[unknown.opened] refund · &lt;@U1&gt; · unknown (/cases/c)");
    }
}
