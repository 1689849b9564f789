//! What an evidence bundle holds, file by file, as it is written and read.
//!
//! `manifest.json` names every other file with its SHA-256, and `manifest.note` is that file signed.
//! `records.jsonl` has one record a line: its member `leaf` is, byte for byte, what the record's leaf in the
//! signed log is the hash of.
//! `proofs.json` has the subtrees that complete these leaves to the signed root, `checkpoint.note` that root.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The form of bundles that this version writes and reads.
pub(crate) const VERSION: u32 = 1;

/// Every file but the manifest and its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form.
    pub v: u32,
    /// Names and SHA-256.
    pub files: BTreeMap<String, String>,
}

/// The text that is signed for a manifest with this SHA-256.
pub fn manifest_text(sha256: &str) -> String {
    format!("recount/bundle/{VERSION}\nmanifest.json {sha256}\n")
}

/// What proves the records of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proofs {
    /// One for each signed log.
    pub logs: Vec<LogProof>,
}

/// The proof for the records that stand in one log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogProof {
    /// The log.
    pub log: String,
    /// The signed checkpoint.
    pub checkpoint: String,
    /// Earlier sizes whose roots follow from the same subtrees.
    pub sizes: Vec<u64>,
    /// The subtrees that hold none of the records.
    pub nodes: Vec<NodeHash>,
}

/// The hash over `2^level` leaves from `index * 2^level` on, hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeHash {
    /// Its height.
    pub level: u8,
    /// Its place among those of its height.
    pub index: u64,
    /// Its hash.
    pub hash: String,
}

/// One line of `records.jsonl`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecordLine {
    /// What the leaf is the hash of; absent where the record was erased or is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf: Option<Box<RawValue>>,
    /// The leaf's hash, as it was written when the record arrived.
    pub leaf_hash: String,
    /// The signed log it stands in.
    pub log: String,
    /// Its place there; absent while it waits for one.
    #[serde(default)]
    pub place: Option<u64>,
    /// The record's id.
    pub record_id: String,
    /// `kept`, `again` (the same record, received once more), `erased` or `missing`.
    pub state: String,
    /// When the server received it, RFC 3339; not part of the leaf.
    #[serde(default)]
    pub received_at: Option<String>,
}
