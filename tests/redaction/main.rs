//! What redaction leaves of real and of hostile exports, read as the server reads them.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]
mod corpus;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use recount::conventions::{Conventions, ToolRules};
use recount::domain::secret::SecretKey;
use recount::domain::step::Step;
use recount::otlp::{decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf};
use recount::redaction::{Clean, Redactor, RuleSpec, Settings};
use serde_json::{Value as Json, json};

#[test]
fn real_runs_hold_nothing_that_a_rule_hits() {
    let redactor = Redactor::new(&Settings::default()).unwrap();
    let key = SecretKey::new(1, [1; 32]);
    let steps = captured();
    assert!(steps.len() > 500);
    for step in steps {
        let clean = redactor.clean(step.clone(), &key);
        assert_eq!((clean.redactions(), clean.get()), (&[][..], &step));
    }
}

/// Secrets in every holder that an export has, some only to be told by their key.
const B39: &str = r#"{"resourceSpans":[{
 "resource":{"attributes":[
  {"key":"service.name","value":{"stringValue":"agent-x"}},
  {"key":"process.command_args","value":{"stringValue":"--token SECRET-1001"}},
  {"key":"SECRET-1021","value":{"intValue":"1"}}]},
 "scopeSpans":[{"scope":{"name":"x SECRET-1022","version":"SECRET-1023","attributes":[
   {"key":"pin","value":{"stringValue":"SECRET-1024"}}]},"spans":[
 {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"call SECRET-1002",
  "startTimeUnixNano":"1","endTimeUnixNano":"2","traceState":"a=SECRET-1025",
  "status":{"code":2,"message":"failed with SECRET-1003 and plain-value-6"},
  "attributes":[
   {"key":"api_key","value":{"stringValue":"SECRET-1004"}},
   {"key":"API-KEY","value":{"stringValue":"plain-value-5"}},
   {"key":"http.request.header.authorization","value":{"stringValue":"Bearer plain-value-6"}},
   {"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},
   {"key":"gen_ai.tool.name","value":{"stringValue":"pay"}},
   {"key":"gen_ai.tool.call.arguments","value":{"stringValue":
    "{\"user\":{\"password\":\"plain-value-7\",\"note\":\"pay SECRET-1008\"},\"list\":[{\"iban\":\"plain-value-9\"}]}"}},
   {"key":"twice","value":{"stringValue":"\"{\\\"password\\\":\\\"plain-value-10\\\"}\""}},
   {"key":"recount.action.target","value":{"stringValue":"account:acct-42"}},
   {"key":"recount.run.id","value":{"stringValue":"run SECRET-1026"}}],
  "events":[{"name":"log SECRET-1011","timeUnixNano":"1","attributes":[
   {"key":"exception.stacktrace","value":{"stringValue":"at x(SECRET-1012)"}}]}],
  "links":[{"traceId":"5b8efff798038103d269b633813fc60d","spanId":"eee19b7ec3c1b175","attributes":[
   {"key":"note","value":{"stringValue":"SECRET-1013"}}]}]},
 {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b176","name":"bytes",
  "startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[
   {"key":"password","value":{"bytesValue":"U0VDUkVULTEwMTQ="}},
   {"key":"raw","value":{"bytesValue":"U0VDUkVULTEwMTQ="}},
   {"key":"m","value":{"kvlistValue":{"values":[
    {"key":"password","value":{"stringValue":"plain-value-15"}}]}}}]},
 {"traceId":"","spanId":"eee19b7ec3c1b177","name":"bad id with SECRET-1016"}]}]}]}"#;

#[test]
fn b39_no_corner_is_missed() {
    let pattern = RuleSpec::pattern("secret-no", "SECRET-[0-9]{4}");
    let settings = Settings::with_rules(vec![RuleSpec::keys("account", &["iban"]), pattern]);
    let redactor = Redactor::new(&settings).unwrap();
    let key = SecretKey::new(1, [1; 32]);
    let decoded = decode_traces_json(B39.as_bytes()).unwrap();
    assert_eq!((decoded.items.len(), decoded.refused.len()), (2, 1));
    let conventions = Conventions::new(ToolRules::default());
    let kept: Vec<Clean<Step>> =
        decoded.items.iter().map(|span| redactor.clean(conventions.step(span), &key)).collect();
    let shown = format!("{kept:?} {:?}", decoded.refused);
    // As text, as bytes shown by number, and as base64.
    for secret in ["SECRET-", "plain-value", "[83, 69, 67, 82, 69, 84", "U0VDUkVU"] {
        let at = shown.find(secret).map(|at| &shown[at.saturating_sub(60)..at + 20]);
        assert_eq!(at, None, "{secret} is left");
    }
    let step = kept[0].get();
    assert_eq!(step.facts.target.as_deref(), Some("account:acct-42"), "what is no secret stays searchable");
    let arguments = &step.bodies[step.arguments.unwrap()].body;
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(arguments["user"]["note"], "pay [redacted:secret-no]");
    assert_eq!(arguments["list"][0]["iban"], "[redacted:account]");
    assert!(step.facts.run_id.as_ref().unwrap().starts_with("secret-no(15):v1."));
    let rules: Vec<&str> = kept[0].redactions().iter().map(|done| done.rule.as_str()).collect();
    assert!(rules.contains(&"secret") && rules.contains(&"secret-no@1"), "each mask says which rule hit");
}

/// Any JSON, with secret keys, secrets, escapes and JSON inside strings among it.
fn json() -> impl Strategy<Value = Json> {
    let text = prop_oneof![
        "\\PC{0,12}".prop_map(Json::from),
        "[\"\\\\\\n{}\\[\\]:,\u{200b}é]{0,8}".prop_map(Json::from),
        Just(Json::from("sk-ant-api03-0123456789abcdefghij")),
        Just(Json::from("pay 4111 1111 1111 1111 now")),
        Just(json!({ "password": "hunter\"two", "n": [1.5] }).to_string().into()),
    ];
    let leaf = prop_oneof![
        3 => text,
        1 => any::<i64>().prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => Just(Json::Null),
        1 => Just(json!(4_111_111_111_111_111_u64)),
    ];
    let key = prop_oneof!["[a-z\\\\\"]{0,6}", Just("api_key".to_owned()), Just("properties".to_owned())];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
            proptest::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

/// Objects, lists, truth values and keys stay; texts and numbers may become marks.
fn same_shape(before: &Json, after: &Json) -> bool {
    match (before, after) {
        (Json::Object(before), Json::Object(after)) => {
            before.len() == after.len() && before.values().zip(after.values()).all(|(a, b)| same_shape(a, b))
        }
        (Json::Array(before), Json::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(a, b)| same_shape(a, b))
        }
        (Json::String(_) | Json::Number(_), Json::String(_)) => true,
        (before, after) => before == after,
    }
}

/// Compiling the rules takes longer than using them.
static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&Settings::default()).unwrap());

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn json_stays_json_of_the_same_shape(before in json(), pretty in any::<bool>()) {
        // A bare number could be text as well.
        let before = json!([before]);
        let (redactor, key) = (&*REDACTOR, SecretKey::new(1, [1; 32]));
        let text = if pretty { serde_json::to_string_pretty(&before).unwrap() } else { before.to_string() };
        let clean = redactor.clean_text(&text, &key);
        let after: Json = serde_json::from_str(clean.get()).unwrap();
        prop_assert!(same_shape(&before, &after), "{text} became {}", clean.get());
        for secret in ["hunter", "sk-ant-api03", "4111 1111", "4111111111111111"] {
            prop_assert!(!clean.get().contains(secret), "{text} became {}", clean.get());
        }
        // What is clean stays so: marks hit no rule.
        let again = redactor.clean_text(clean.get(), &key);
        prop_assert_eq!(again.get(), clean.get());
    }
}

fn captured() -> Vec<Step> {
    let conventions = Conventions::new(ToolRules::default());
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    let mut steps = Vec::new();
    for path in files(&captures) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.contains("decoded") || name.contains("metrics") {
            continue;
        }
        let (bytes, is_json) = (bytes(&path), name.contains(".json"));
        if name.contains("-traces.") {
            let decode = if is_json { decode_traces_json } else { decode_traces_protobuf };
            steps.extend(decode(&bytes).unwrap().items.iter().map(|span| conventions.step(span)));
        } else {
            let decode = if is_json { decode_logs_json } else { decode_logs_protobuf };
            steps.extend(decode(&bytes).unwrap().items.iter().map(|log| conventions.step_of_log(log)));
        }
    }
    steps
}

fn bytes(path: &Path) -> Vec<u8> {
    let stored = fs::read(path).unwrap();
    if path.extension().is_some_and(|ext| ext == "gz") {
        let mut plain = Vec::new();
        GzDecoder::new(stored.as_slice()).read_to_end(&mut plain).unwrap();
        return plain;
    }
    stored
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
