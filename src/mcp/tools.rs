//! The tools: what each is for, the address of the API behind it, and what of its answer is told.
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::domain::address::encoded;
use crate::mcp::arguments::{Address, ExplainKey, FindRuns, ListUnknowns, ReadRun, Search, WhatHappened};
use crate::mcp::compact::{each, pick};

/// A question to the API, and how its answer is made smaller.
pub(in crate::mcp) struct Question {
    /// The path with its query.
    pub(in crate::mcp) address: String,
    /// What of the answer is told.
    pub(in crate::mcp) told: Box<dyn Fn(&Value) -> Value + Send + Sync>,
}

/// A tool.
pub(in crate::mcp) struct Tool {
    pub(in crate::mcp) name: &'static str,
    pub(in crate::mcp) title: &'static str,
    pub(in crate::mcp) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(in crate::mcp) schema: fn() -> Map<String, Value>,
    /// Reads arguments; the error names the field.
    pub(in crate::mcp) question: fn(Map<String, Value>) -> Result<Question, String>,
}

/// Every tool there is.
pub(in crate::mcp) const TOOLS: &[Tool] = &[
    Tool {
        name: "find_runs",
        title: "Find runs",
        description: "Lists runs of AI agents, newest first: who ran, how it ended, how many retries and \
                      unknown acts, which findings. Use it first to find a run_id.",
        schema: schema::<FindRuns>,
        question: |arguments| {
            let asked: FindRuns = read(arguments)?;
            Ok(question(&asked, runs))
        },
    },
    Tool {
        name: "read_run",
        title: "Read a run",
        description: "One run in compact form: its verdict, each step with every attempt and what became of \
                      it, and what was noticed. `unknown` means that nobody knows whether the act happened: \
                      it is neither failed nor done.",
        schema: schema::<ReadRun>,
        question: |arguments| {
            let asked: ReadRun = read(arguments)?;
            let from = asked.from_step.unwrap_or(1);
            Ok(question(&asked, move |answer| run(answer, from)))
        },
    },
    Tool {
        name: "search",
        title: "Search texts",
        description: "Finds words, phrases and ids in messages, arguments, results, errors, names and \
                      attributes of every attempt: each hit names its run, step and attempt, with the text \
                      around it. Use it when you know what was said but not where.",
        schema: schema::<Search>,
        question: |arguments| {
            let asked: Search = read(arguments)?;
            Ok(question(&asked, hits))
        },
    },
    Tool {
        name: "explain_key",
        title: "Explain an idempotency key",
        description: "Everything that happened under one idempotency key: its state and who moved it on \
                      which \
                      evidence, all attempts over all runs, whether arguments changed under it, and whether \
                      it is safe to send the act again with it (`replay_safe`).",
        schema: schema::<ExplainKey>,
        question: |arguments| {
            let asked: ExplainKey = read(arguments)?;
            Ok(question(&asked, key))
        },
    },
    Tool {
        name: "list_unknowns",
        title: "List unknown acts",
        description: "The queue of acts of which nobody knows what became of them, the most urgent first, \
                      with the end of each key's window and who works on it.",
        schema: schema::<ListUnknowns>,
        question: |arguments| {
            let asked: ListUnknowns = read(arguments)?;
            Ok(question(&asked, cases))
        },
    },
    Tool {
        name: "what_happened_on_account",
        title: "What happened on an account",
        description: "Everything agents did on one account (or another entity), in order of time: each act \
                      with its outcome and evidence, and how complete the answer is.",
        schema: schema::<WhatHappened>,
        question: |arguments| {
            let asked: WhatHappened = read(arguments)?;
            Ok(question(&asked, entity))
        },
    },
];

fn schema<T: schemars::JsonSchema>() -> Map<String, Value> {
    match schemars::schema_for!(T).to_value() {
        Value::Object(schema) => schema,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn question(asked: &impl Address, told: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Question {
    let pairs = asked.pairs();
    let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let path = asked.path();
    let address = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
    Question { address, told: Box::new(told) }
}

const RUN: [&str; 22] = [
    "run_id",
    "name",
    "agent",
    "state",
    "outcome",
    "verdict",
    "started_at",
    "ended_at",
    "duration_ms",
    "step_count",
    "attempt_count",
    "retry_count",
    "act_count",
    "confirmed_count",
    "failed_count",
    "unknown_count",
    "submitted_count",
    "error_count",
    "finding_codes",
    "models",
    "entities",
    "complete",
];

fn runs(answer: &Value) -> Value {
    let mut told = pick(answer, &["runs", "next"]);
    each(&mut told, "runs", |run| pick(run, &RUN));
    told
}

/// A fragment is one text here: what was looked for is known to who asked.
fn hits(answer: &Value) -> Value {
    let mut told = pick(answer, &["hits", "runs", "next"]);
    each(&mut told, "hits", |hit| {
        let mut told = pick(hit, &["run_id", "step", "in", "label", "again"]);
        let pieces = hit.get("fragment").and_then(Value::as_array);
        let text: String =
            pieces.into_iter().flatten().filter_map(|piece| piece.get("text")?.as_str()).collect();
        if let Value::Object(members) = &mut told {
            members.insert("text".to_owned(), Value::String(text));
        }
        told
    });
    each(&mut told, "runs", |run| pick(run, &["run_id", "agent", "outcome", "started_at", "more"]));
    told
}

fn run(answer: &Value, from_step: u64) -> Value {
    let mut told = pick(answer, &[&RUN[..], &["steps", "findings", "completeness"]].concat());
    if let Some(Value::Array(steps)) = told.get_mut("steps") {
        steps.retain(|step| step.get("number").and_then(Value::as_u64).is_none_or(|n| n >= from_step));
    }
    each(&mut told, "steps", |step| {
        let names = [
            "number",
            "step_id",
            "kind",
            "name",
            "tool",
            "target",
            "key",
            "outcome",
            "evidence",
            "verifies",
            "missing_attempts",
            "findings",
            "attempts",
        ];
        let mut step = pick(step, &names);
        each(&mut step, "attempts", attempt);
        step
    });
    each(&mut told, "findings", |finding| pick(finding, &["code", "severity", "message", "since"]));
    told
}

fn attempt(attempt: &Value) -> Value {
    let names = [
        "attempt",
        "trace_id",
        "span_id",
        "started_at",
        "latency_ms",
        "worker",
        "gate",
        "outcome",
        "evidence",
        "outcome_now",
        "evidence_now",
        "reason",
        "error",
        "model",
        "http_status",
        "downstream_id",
        "proposed",
        "arguments",
        "result",
    ];
    let mut told = pick(attempt, &names);
    each(&mut told, "proposed", |call| pick(call, &["call_id", "tool"]));
    for name in ["arguments", "result"] {
        // What was sent and what came back: their beginnings; the rest is at /contents.
        if let Some(content) = told.get_mut(name) {
            *content = pick(content, &["digest", "bytes", "preview"]);
        }
    }
    told
}

fn key(answer: &Value) -> Value {
    let names = [
        "key",
        "tool",
        "target",
        "entities",
        "state",
        "evidence",
        "path",
        "attempts",
        "attempt_count",
        "held_count",
        "runs",
        "agent",
        "argument_drift",
        "key_expires_at",
        "replay_safe",
        "unknown_at",
        "value",
        "downstream_id",
        "compensates",
        "compensated_by",
        "others",
        "case",
    ];
    let mut told = pick(answer, &names);
    let found = answer.get("case").filter(|case| !case.is_null()).map(case);
    if let (Some(short), Some(place)) = (found, told.get_mut("case")) {
        *place = short;
    }
    told
}

fn case(case: &Value) -> Value {
    let names = [
        "case_id",
        "state",
        "outcome",
        "evidence",
        "key",
        "tool",
        "target",
        "entities",
        "run_id",
        "step_id",
        "agent",
        "opened_at",
        "settled_at",
        "key_expires_at",
        "replay_safe",
        "value",
        "owner",
        "policy",
        "people_only",
        "attempts",
        "resolutions",
    ];
    pick(case, &names)
}

fn cases(answer: &Value) -> Value {
    let mut told = pick(answer, &["cases", "next"]);
    each(&mut told, "cases", case);
    told
}

fn entity(answer: &Value) -> Value {
    let mut told = pick(answer, &["entity", "coverage", "steps", "next"]);
    if let Some(coverage) = told.get_mut("coverage") {
        let names = [
            "from",
            "to",
            "runs",
            "agents",
            "acts",
            "attempts",
            "confirmed",
            "failed",
            "unknown",
            "submitted",
            "held",
            "reads",
            "rejected_in_project",
            "runs_dropping",
            "runs_sampled",
            "acts_kept_from",
            "completeness",
            "integrity",
        ];
        *coverage = pick(coverage, &names);
    }
    each(&mut told, "steps", |step| {
        let names = [
            "at",
            "kind",
            "sentence",
            "tool",
            "target",
            "outcome",
            "evidence",
            "attempts",
            "gate",
            "key",
            "value",
            "downstream_id",
            "run_id",
            "step_number",
            "agent",
            "user",
            "approver",
            "findings",
        ];
        pick(step, &names)
    });
    told
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(name: &str, arguments: Value) -> Result<String, String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name).unwrap();
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        (tool.question)(arguments).map(|question| question.address)
    }

    #[test]
    fn arguments_become_addresses_and_cannot_leave_them() {
        for (name, arguments, address) in [
            ("find_runs", json!({}), "/api/v1/runs?limit=20"),
            (
                "find_runs",
                json!({"filter": "a&b=c #", "limit": 500}),
                "/api/v1/runs?q=a%26b%3Dc%20%23&limit=50",
            ),
            ("read_run", json!({"run_id": "../access?x"}), "/api/v1/runs/..%2Faccess%3Fx"),
            ("explain_key", json!({"key": "k/1", "tool": "t"}), "/api/v1/keys/k%2F1?tool=t"),
            ("list_unknowns", json!({"older_than": "15m"}), "/api/v1/cases?older_than=15m&limit=20"),
            (
                "what_happened_on_account",
                json!({"account": "22 91"}),
                "/api/v1/entities/account/22%2091?limit=20",
            ),
        ] {
            assert_eq!(asked(name, arguments.clone()).as_deref(), Ok(address), "{name} {arguments}");
        }
    }

    #[test]
    fn what_cannot_be_read_names_the_field() {
        for (name, arguments, named) in [
            ("find_runs", json!({"agnt": "x"}), "agnt"),
            ("read_run", json!({}), "run_id"),
            ("explain_key", json!({"key": 7}), "string"),
            ("list_unknowns", json!({"limit": -1}), "-1"),
        ] {
            let error = asked(name, arguments).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn every_tool_says_what_it_takes() {
        for tool in TOOLS {
            let schema = (tool.schema)();
            let properties = schema["properties"].as_object().unwrap();
            assert!(properties.values().all(|property| property["description"].is_string()), "{}", tool.name);
            assert_eq!(schema["additionalProperties"], json!(false), "{}", tool.name);
        }
    }
}
