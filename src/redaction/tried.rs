//! A dry run: what the rules would leave of a text, with a key of no installation. Nothing is kept.
use serde_json::Value as Json;

use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::redaction::clean::Redactor;

/// What a dry run leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// What was looked at: the text itself, or the spans of an export, one a line.
    pub before: String,
    /// What is left of it.
    pub after: String,
    /// What was done.
    pub done: Vec<Redaction>,
}

/// The key of dry runs: the same everywhere, so that their results can be compared and committed.
fn dry_key() -> SecretKey {
    SecretKey::new(0, *b"recount dry run, not for records")
}

impl Redactor {
    /// Tries the rules on a text. JSON is seen as a record, so `{"attributes": {"http.url": …}}` is what a
    /// selector `attributes.http.url` selects. An OTLP/JSON export becomes one such line a span.
    pub fn try_on(&self, text: &str) -> Tried {
        let before = serde_json::from_str(text).ok().and_then(|json| spans_of(&json));
        let before = before.unwrap_or_else(|| text.to_owned());
        let clean = self.clean_record(&before, &dry_key());
        Tried { after: clean.get().clone(), done: clean.redactions().to_vec(), before }
    }
}

/// The spans and log records of an OTLP/JSON export as plain records; `None` when it is none.
fn spans_of(export: &Json) -> Option<String> {
    let groups = ["resourceSpans", "resourceLogs"].iter().filter_map(|key| export.get(*key)?.as_array());
    let mut lines = Vec::new();
    for group in groups.flatten() {
        let resource = pairs(group.get("resource").and_then(|resource| resource.get("attributes")));
        let scopes = ["scopeSpans", "scopeLogs"].iter().filter_map(|key| group.get(*key)?.as_array());
        for scope in scopes.flatten() {
            let items = ["spans", "logRecords"].iter().filter_map(|key| scope.get(*key)?.as_array());
            lines.extend(items.flatten().map(|item| record(item, &resource, scope).to_string()));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn record(item: &Json, resource: &Json, scope: &Json) -> Json {
    let text = |key: &str| item.get(key).cloned().unwrap_or(Json::Null);
    let list = |key: &str| item.get(key).and_then(Json::as_array).into_iter().flatten();
    let events: Vec<Json> = list("events")
        .map(|event| (event.get("name"), pairs(event.get("attributes"))))
        .map(|(name, attributes)| serde_json::json!({"name": name, "attributes": attributes}))
        .collect();
    let links: Vec<Json> = list("links").map(|link| pairs(link.get("attributes"))).collect();
    serde_json::json!({
        "name": text("name"),
        "status_message": item.get("status").and_then(|status| status.get("message")),
        "attributes": pairs(item.get("attributes")),
        "body": item.get("body").map(value),
        "events": events,
        "links": links,
        "resource": resource,
        "scope": {"name": scope.get("scope").and_then(|scope| scope.get("name"))},
    })
}

/// OTLP's list of keys and values as an object; of a key that comes twice, both.
fn pairs(attributes: Option<&Json>) -> Json {
    let mut object = serde_json::Map::new();
    for pair in attributes.and_then(Json::as_array).into_iter().flatten() {
        let key = pair.get("key").and_then(Json::as_str).unwrap_or_default();
        let mut name = key.to_owned();
        while object.contains_key(&name) {
            name.push(' ');
        }
        object.insert(name, pair.get("value").map_or(Json::Null, value));
    }
    Json::Object(object)
}

/// OTLP's wrapping of a value, taken off.
fn value(wrapped: &Json) -> Json {
    let Some((kind, inner)) = wrapped.as_object().and_then(|object| object.iter().next()) else {
        return wrapped.clone();
    };
    let values = || inner.get("values");
    match kind.as_str() {
        "arrayValue" => {
            values().and_then(Json::as_array).map_or(Json::Null, |all| all.iter().map(value).collect())
        }
        "kvlistValue" => pairs(values()),
        "bytesValue" => {
            let bytes = inner.as_str().map(|text| data_encoding::BASE64.decode(text.as_bytes()));
            bytes.and_then(Result::ok).map_or(Json::Null, |bytes| String::from_utf8_lossy(&bytes).into())
        }
        _ => inner.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::settings::{Method, RuleSpec, Settings};

    #[test]
    fn a_dry_run_sees_records_as_they_will_be_kept() {
        let rule = RuleSpec::pattern("order", "ORD-[0-9]+").at("attributes.order.id").does(Method::Hash);
        let rules = Redactor::new(&Settings::with_rules(vec![rule])).unwrap();
        let plain = rules.try_on("ORD-1 paid with 4111 1111 1111 1111");
        assert_eq!(plain.after, "ORD-1 paid with [redacted:card-number]");
        let record = rules.try_on(r#"{"attributes":{"order.id":"ORD-1"},"name":"ORD-1"}"#);
        assert!(record.after.contains(r#"{"order.id":"order(5):v0."#), "{}", record.after);
        assert!(record.after.contains(r#""name":"ORD-1""#), "{}", record.after);
        let export = rules.try_on(
            r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"password","value":{"stringValue":"hunter22"}}]},
            "scopeSpans":[{"scope":{"name":"s"},"spans":[{"name":"ORD-1","attributes":[
            {"key":"order.id","value":{"stringValue":"ORD-1"}},
            {"key":"raw","value":{"bytesValue":"QmVhcmVyIGFiY2RlZmdoMTIzNA=="}}]}]}]}]}"#,
        );
        assert!(export.after.contains(r#""password":"[redacted:secret]""#), "{}", export.after);
        assert!(export.after.contains(r#""raw":"Bearer [redacted:bearer-token]""#), "{}", export.after);
        assert!(export.after.contains(r#""order.id":"order(5):v0."#), "{}", export.after);
        let rules: Vec<&str> = export.done.iter().map(|done| done.rule.as_str()).collect();
        assert!(rules.contains(&"order@1") && rules.contains(&"secret"), "{rules:?}");
    }
}
