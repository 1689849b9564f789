//! What was said so far, and its form in the OpenTelemetry conventions for generative AI.
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool call that the model proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    /// Its id.
    pub(super) id: String,
    /// The tool.
    pub(super) tool: String,
    /// The arguments.
    pub(super) arguments: Value,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Reply {
    /// Words, when there are any.
    pub(super) text: String,
    /// Calls, in order.
    pub(super) calls: Vec<Call>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Said {
    /// By the customer.
    User(String),
    /// By the model.
    Model(Reply),
    /// By a tool.
    Tool {
        /// Of which call.
        call: String,
        /// By which tool.
        tool: String,
        /// What it gave back, as the model sees it.
        result: String,
    },
}

/// A conversation: what the model sees with its next call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Conversation {
    /// The instructions.
    pub(super) system: String,
    /// In order.
    pub(super) said: Vec<Said>,
}

impl Conversation {
    /// Begins with instructions and what the customer wrote.
    pub(super) fn new(system: &str, first: &str) -> Self {
        Self { system: system.to_owned(), said: vec![Said::User(first.to_owned())] }
    }

    /// The results that a tool has given so far, in order.
    pub(super) fn results<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a str> {
        self.said.iter().filter_map(move |said| match said {
            Said::Tool { tool, result, .. } if tool == wanted => Some(result.as_str()),
            Said::Tool { .. } | Said::User(_) | Said::Model(_) => None,
        })
    }

    /// The calls of the last reply that no tool has answered yet.
    pub(super) fn unanswered(&self) -> Vec<Call> {
        let last = self.said.iter().rev().find_map(|said| match said {
            Said::Model(reply) => Some(reply),
            Said::User(_) | Said::Tool { .. } => None,
        });
        let answered = |call: &Call| {
            self.said.iter().any(|said| matches!(said, Said::Tool { call: id, .. } if *id == call.id))
        };
        last.map(|reply| reply.calls.iter().filter(|call| !answered(call)).cloned().collect())
            .unwrap_or_default()
    }

    /// `gen_ai.system_instructions`.
    pub(super) fn system_json(&self) -> String {
        json!([{ "type": "text", "content": self.system }]).to_string()
    }

    /// `gen_ai.input.messages`.
    pub(super) fn input_json(&self) -> String {
        let messages: Vec<Value> = self
            .said
            .iter()
            .map(|said| match said {
                Said::User(text) => {
                    json!({ "role": "user", "parts": [{ "type": "text", "content": text }] })
                }
                Said::Model(reply) => json!({ "role": "assistant", "parts": reply.parts() }),
                Said::Tool { call, result, .. } => {
                    let response: Value =
                        serde_json::from_str(result).unwrap_or_else(|_| Value::from(result.as_str()));
                    let part = json!({ "type": "tool_call_response", "id": call, "response": response });
                    json!({ "role": "tool", "parts": [part] })
                }
            })
            .collect();
        Value::from(messages).to_string()
    }
}

impl Reply {
    /// Why the model stopped.
    pub(super) fn finish_reason(&self) -> &'static str {
        if self.calls.is_empty() { "stop" } else { "tool_call" }
    }

    /// `gen_ai.output.messages`.
    pub(super) fn output_json(&self) -> String {
        let reason = self.finish_reason();
        json!([{ "role": "assistant", "parts": self.parts(), "finish_reason": reason }]).to_string()
    }

    fn parts(&self) -> Vec<Value> {
        let text = Some(json!({ "type": "text", "content": self.text })).filter(|_| !self.text.is_empty());
        let calls = self.calls.iter().map(|call| {
            json!({ "type": "tool_call", "id": call.id, "name": call.tool, "arguments": call.arguments })
        });
        text.into_iter().chain(calls).collect()
    }
}
