//! Every capture of a real runtime is read and folded, and compared whole with its committed reading.
//!
//! `UPDATE=1 cargo test --test readings` writes the readings anew; what changed is then seen in the diff.
//! Beside the comparison every record must come together again from its frames and bodies.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use recount::conventions::{Conventions, LOG_BODY, ToolRules, rebuild};
use recount::domain::content::{Content, ContentRef};
use recount::domain::fold::runs_of;
use recount::domain::ids::{Digest, RecordId};
use recount::domain::record::{KeptProposal, Record};
use recount::domain::run::{Attempt, Run, RunStep, Slot};
use recount::domain::secret::SecretKey;
use recount::domain::step::{Proposal, Step, Tokens};
use recount::domain::value::Value;
use recount::evidence::{canonical_digest, content_digest, log_record_id, span_record_id};
use recount::otlp::{decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf};
use serde_json::{Map, Value as Json, json};

/// Long texts are compared by their beginning.
const TEXT_CHARS_MAX: usize = 240;

#[test]
fn captures_are_read_as_committed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for capture in sorted(&fixtures.join("captures")) {
        let name = capture.file_name().unwrap().to_str().unwrap().to_owned();
        let reading = serde_json::to_string_pretty(&Reading::of(&capture).json()).unwrap() + "\n";
        let path = fixtures.join("readings").join(format!("{name}.json"));
        if update {
            fs::write(&path, reading).unwrap();
        } else if let Some(difference) =
            first_difference(&fs::read_to_string(&path).unwrap_or_default(), &reading)
        {
            wrong.push(format!("{name}: {difference}"));
        }
    }
    assert!(wrong.is_empty(), "UPDATE=1 writes them anew:\n{}", wrong.join("\n"));
}

/// Every finding in a real runtime's run was looked at, and a note says why it is right: a rule that cries wolf
/// shows here. `UPDATE=1` keeps the notes of findings that stay; new ones wait for theirs.
#[test]
fn findings_of_captures_are_reviewed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let path = fixtures.join("findings.json");
    let reviewed: BTreeMap<String, Vec<Reviewed>> =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let mut found: BTreeMap<String, Vec<Reviewed>> = BTreeMap::new();
    for capture in sorted(&fixtures.join("captures")) {
        let name = capture.file_name().unwrap().to_str().unwrap().to_owned();
        let known = reviewed.get(&name).map(Vec::as_slice).unwrap_or_default();
        let reading = Reading::of(&capture).json();
        let runs = reading["runs"].as_array().unwrap().iter();
        let findings = runs.filter_map(|run| run["findings"].as_array()).flatten();
        let with_note = |finding: &Json| {
            let finding = finding.as_str().unwrap().to_owned();
            let why = known.iter().find(|one| one.finding == finding).map(|one| one.why.clone());
            Reviewed { why: why.unwrap_or_default(), finding }
        };
        found.insert(name, findings.map(with_note).collect());
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        return;
    }
    assert_eq!(found, reviewed, "UPDATE=1 writes what is found; then say why each is right");
    for (capture, findings) in &found {
        for Reviewed { finding, why } in findings {
            assert!(
                why.ends_with('.') && why.len() > 30,
                "{capture}: nobody says why this is right: {finding}"
            );
        }
    }
}

/// A finding and why it is right.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Reviewed {
    finding: String,
    why: String,
}

/// What was read of one capture.
struct Reading {
    records: Vec<Record>,
    texts: BTreeMap<Digest, String>,
    key: SecretKey,
}

impl Reading {
    fn of(capture: &Path) -> Self {
        let mut reading =
            Self { records: Vec::new(), texts: BTreeMap::new(), key: SecretKey::new(1, [7; 32]) };
        let conventions = Conventions::new(ToolRules::default());
        for path in sorted(capture) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.contains("decoded") || name.contains("metrics") {
                continue;
            }
            let bytes = bytes(&path);
            let is_json = name.contains(".json");
            if name.contains("-traces.") {
                let decode = if is_json { decode_traces_json } else { decode_traces_protobuf };
                for span in decode(&bytes).unwrap().items {
                    let step = conventions.step(&span);
                    assert_whole(&step, &span.attributes, &name);
                    let id = span_record_id(&reading.key, &span);
                    reading.keep(id, step);
                }
            } else {
                let decode = if is_json { decode_logs_json } else { decode_logs_protobuf };
                for log in decode(&bytes).unwrap().items {
                    let step = conventions.step_of_log(&log);
                    let mut sent = log.attributes.clone();
                    sent.push((LOG_BODY.to_owned(), log.body.clone()));
                    assert_whole(&step, &sent, &name);
                    let id = log_record_id(&reading.key, &log);
                    reading.keep(id, step);
                }
            }
        }
        reading
    }

    fn keep(&mut self, record_id: RecordId, step: Step) {
        let refs: Vec<ContentRef> = step.bodies.iter().map(|content| self.content(content)).collect();
        let canonical = |at: Option<usize>| {
            let content: &Content = step.bodies.get(at?)?;
            canonical_digest(&self.key, &content.body)
        };
        let proposed = step.proposed.iter().map(|call| KeptProposal {
            call: Proposal {
                call_id: call.call_id.clone(),
                tool: call.tool.clone(),
                arguments: call.arguments.map(|at| refs[at].clone()),
                complete: call.complete,
            },
            arguments_canonical: canonical(call.arguments),
        });
        self.records.push(Record {
            record_id,
            received_ns: 1_795_980_000_000_000_000,
            context: step.context.iter().map(|at| refs[*at].digest).collect(),
            output: step.output.iter().map(|at| refs[*at].clone()).collect(),
            arguments: step.arguments.map(|at| refs[at].clone()),
            arguments_canonical: canonical(step.arguments),
            result: step.result.map(|at| refs[at].clone()),
            proposed: proposed.collect(),
            redactions: Vec::new(),
            rules_version: String::new(),
            facts: step.facts,
        });
    }

    fn content(&mut self, content: &Content) -> ContentRef {
        let digest = content_digest(&self.key, content.kind, &content.role, &content.body);
        let role = if content.role.is_empty() { content.kind.word() } else { &content.role };
        self.texts.insert(digest, format!("{role}: {}", short(&content.body)));
        ContentRef {
            digest,
            kind: content.kind,
            role: content.role.clone(),
            bytes: content.body.len() as u64,
            preview: short(&content.body),
        }
    }

    fn json(&self) -> Json {
        let now_ns = 1_795_980_000_000_000_000;
        let parts = runs_of(self.records.clone());
        let mut runs: Vec<Run> = parts.values().map(|part| Run::of_part(part, &[], now_ns)).collect();
        runs.sort_by_key(|run| (run.started_ns, run.run_id.clone()));
        json!({ "runs": runs.iter().map(|run| self.run(run)).collect::<Vec<_>>() })
    }

    fn run(&self, run: &Run) -> Json {
        let number = |id: &String| run.steps.iter().find(|step| step.step_id == *id).map(|step| step.number);
        let findings = run.findings.iter().map(|finding| {
            let steps: Vec<u32> = finding.step_ids.iter().filter_map(number).collect();
            json!(format!("{} {steps:?} {}", finding.code, finding.message))
        });
        let steps = run.steps.iter().map(|step| self.step(step, &number));
        filled(json!({
            "run_id": run.run_id,
            "given": run.run_id_given,
            "name": run.name,
            "state": run.state.word(),
            "session": run.session_id,
            "user": run.user_id,
            "agent": run.agent,
            "agent_version": run.agent_version,
            "service": run.service,
            "environment": run.environment,
            "entities": run.entities.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "traces": run.traces.len(),
            "verdict": format!("{} | {}", run.verdict.line, run.verdict.detail),
            "findings": findings.collect::<Vec<_>>(),
            "steps": steps.collect::<Vec<_>>(),
        }))
    }

    fn step(&self, step: &RunStep, number: &impl Fn(&String) -> Option<u32>) -> Json {
        let attempts = step.attempts.iter().map(|slot| match slot {
            Slot::Attempt(attempt) => self.attempt(attempt),
            Slot::Missing(number) => json!({ "missing": number }),
        });
        filled(json!({
            "number": step.number,
            "kind": step.kind.word(),
            "name": step.name,
            "tool": step.tool,
            "target": step.target,
            "key": step.key,
            "outcome": step.outcome.map(|outcome| outcome.word()),
            "evidence": step.evidence.map(|evidence| evidence.word()),
            "parent": step.parent_step_id.as_ref().and_then(number),
            "proposed_by": step.proposed_by.as_ref().and_then(number),
            "attempts": attempts.collect::<Vec<_>>(),
        }))
    }

    fn attempt(&self, attempt: &Attempt) -> Json {
        let record = &attempt.record;
        let text = |content: &ContentRef| self.texts.get(&content.digest).cloned();
        let proposed = record.proposed.iter().map(|proposal| {
            let call = &proposal.call;
            let arguments = call.arguments.as_ref().map(|content| content.preview.clone());
            filled(json!({
                "id": call.call_id, "tool": call.tool, "arguments": arguments,
                "incomplete": !call.complete,
            }))
        });
        let transports = attempt.transports.iter().map(|transport| filled(line(transport)));
        let mut shown = line(record);
        merge(
            &mut shown,
            json!({
                "number": attempt.number,
                "link": attempt.link,
                "outcome": attempt.outcome.map(|outcome| outcome.word()),
                "evidence": attempt.evidence.map(|evidence| evidence.word()),
                "reason": attempt.reason,
                "context": record.context.iter().map(|digest| self.texts.get(digest)).collect::<Vec<_>>(),
                "new_in_context": attempt.new_in_context.len(),
                "output": record.output.iter().map(text).collect::<Vec<_>>(),
                "proposed": proposed.collect::<Vec<_>>(),
                "arguments": attempt.arguments.as_ref().map(|content| content.preview.clone()),
                "result": attempt.result.as_ref().map(|content| content.preview.clone()),
                "transports": transports.collect::<Vec<_>>(),
                "logs": attempt.logs.len(),
                "versions": attempt.versions.len(),
            }),
        );
        filled(shown)
    }
}

/// The facts of one record that a reading shows.
fn line(record: &Record) -> Json {
    let facts = &record.facts;
    let parameters: Map<String, Json> =
        facts.parameters.iter().map(|(name, value)| (name.clone(), plain(value))).collect();
    let error = facts.error.as_ref().map(|error| format!("{} | {}", error.kind, short(&error.message)));
    let http = facts.http.as_ref().map(|http| format!("{:?} {:?}", http.method, http.status_code));
    json!({
        "span": facts.name,
        "carrier": facts.carrier.word(),
        "dialect": facts.dialect,
        "kind": format!("{} ({})", facts.kind, facts.kind_source),
        "session": facts.session_id,
        "user": facts.user_id,
        "agent": facts.agent,
        "given_attempt": facts.attempt,
        "tries": facts.tries,
        "link_keys": facts.link_keys,
        "errors_shown": facts.errors_shown,
        "model": facts.model,
        "model_requested": facts.model_requested,
        "provider": facts.provider,
        "parameters": parameters,
        "finish_reasons": facts.finish_reasons,
        "tokens": tokens(&facts.tokens),
        "cost_usd": facts.cost_usd,
        "tool": facts.tool,
        "tool_call_id": facts.tool_call_id,
        "key": facts.key,
        "gate": Some(facts.gate.word()).filter(|gate| *gate != "none"),
        "approver": facts.approver,
        "status": facts.status.word(),
        "error": error,
        "http": http,
        "entities": facts.entities.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "noticed": facts.findings.iter().map(|found| format!("{} {}", found.code, found.message)).collect::<Vec<_>>(),
    })
}

fn tokens(tokens: &Tokens) -> Json {
    filled(json!({
        "in": tokens.input, "out": tokens.output, "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write, "reasoning": tokens.reasoning, "cache_apart": tokens.cache_apart,
    }))
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Int(int) => json!(int),
        Value::Double(double) => json!(double),
        Value::Bool(truth) => json!(truth),
        Value::String(text) => json!(text),
        Value::Empty | Value::Bytes(_) | Value::Array(_) | Value::Map(_) | Value::Framed(_) => {
            panic!("a parameter is a scalar: {value:?}")
        }
    }
}

/// Every attribute as sent comes together again from what stayed and the bodies.
fn assert_whole(step: &Step, sent: &[(String, Value)], name: &str) {
    let body = |at: usize| step.bodies.get(at).map(|content| content.body.as_str());
    for (key, value) in sent.iter().filter(|(_, value)| *value != Value::Empty) {
        let kept = step.attributes.iter().find(|(kept, _)| kept == key).unwrap();
        assert_eq!(rebuild(&kept.1, &body), *value, "{name}: {key}");
    }
}

/// Without what is null, false, zero or empty: a reading says what is there.
fn filled(json: Json) -> Json {
    let Json::Object(fields) = json else { return json };
    let empty = |value: &Json| match value {
        Json::Null | Json::Bool(false) => true,
        Json::Bool(true) => false,
        Json::Number(number) => number.as_u64() == Some(0),
        Json::String(text) => text.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Object(fields) => fields.is_empty(),
    };
    let zero_counts = ["in", "out", "cache_read", "cache_write", "reasoning", "temperature"];
    Json::Object(
        fields
            .into_iter()
            .filter(|(key, value)| {
                !empty(value) || (value.is_number() && zero_counts.contains(&key.as_str()))
            })
            .collect(),
    )
}

fn merge(into: &mut Json, from: Json) {
    if let (Json::Object(into), Json::Object(from)) = (into, from) {
        into.extend(from);
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

fn first_difference(expected: &str, found: &str) -> Option<String> {
    let mut expected_lines = expected.lines();
    let mut found_lines = found.lines();
    for number in 1.. {
        match (expected_lines.next(), found_lines.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or("nothing"), b.unwrap_or("nothing"));
                return Some(format!("line {number}: committed `{}`, now `{}`", a.trim(), b.trim()));
            }
        }
    }
    None
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

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}
