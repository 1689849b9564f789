//! What a run did, added up by tool and model: what the overview counts. Can be made again from records.
use crate::domain::kind::Kind;

/// The work of one run with one tool, or with one model under one set of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Of what kind: `think`, `read`, `act` or `reconcile`. `other` holds the tokens that only a container
    /// tells of, in a run whose model calls tell of none.
    pub kind: Kind,
    /// The tool, or the model that answered, else the one that was asked; empty where neither is told.
    pub name: String,
    /// The parameters of the model calls, each `name=value`, in the order of their names.
    pub parameters: Vec<String>,
    /// Steps. A step of several model calls counts where its first attempt does.
    pub steps: u32,
    /// Of these, with more than one attempt.
    pub retried: u32,
    /// Of these, such as went well in the end: confirmed where it is an act, without an error elsewhere.
    pub recovered: u32,
    /// Attempts, those that the gate held too.
    pub attempts: u32,
    /// Attempts that met a 429, themselves or in a call below them.
    pub throttled: u32,
    /// Acts that are confirmed now.
    pub confirmed: u32,
    /// Acts that failed.
    pub failed: u32,
    /// Acts that are unknown, when it was folded.
    pub unknown: u32,
    /// Acts that are submitted: when each becomes unknown, nanoseconds since 1970; 0 where it never does.
    pub waiting: Vec<u64>,
    /// Input tokens; `None` when none were told.
    pub tokens_in: Option<u64>,
    /// Output tokens.
    pub tokens_out: Option<u64>,
    /// Cost as given, in US dollars.
    pub cost_usd: Option<f64>,
    /// How long each attempt took that was sent and ended, in microseconds, ascending. Attempts whose clock
    /// can't be right are left out.
    pub took_us: Vec<u64>,
}

impl Work {
    /// Nothing done yet.
    pub fn none(kind: Kind, name: &str, parameters: &[String]) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            parameters: parameters.to_vec(),
            steps: 0,
            retried: 0,
            recovered: 0,
            attempts: 0,
            throttled: 0,
            confirmed: 0,
            failed: 0,
            unknown: 0,
            waiting: Vec::new(),
            tokens_in: None,
            tokens_out: None,
            cost_usd: None,
            took_us: Vec::new(),
        }
    }
}
