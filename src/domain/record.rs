//! A step as it is kept: facts after redaction, and digests where the bodies were.
use crate::domain::content::ContentRef;
use crate::domain::ids::{Digest, RecordId};
use crate::domain::step::{Facts, Proposal};

/// What the store gives back for one kept record: all that the fold needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Equal for re-sent bytes, different for different content under one span id.
    pub record_id: RecordId,
    /// When the server received it first, nanoseconds since 1970.
    pub received_ns: u64,
    /// Everything but bodies.
    pub facts: Facts,
    /// What the model saw, in order.
    pub context: Vec<Digest>,
    /// What the model answered, in order.
    pub output: Vec<ContentRef>,
    /// The executed arguments.
    pub arguments: Option<ContentRef>,
    /// The digest of the executed arguments in canonical JSON (RFC 8785): equal for equal JSON values.
    pub arguments_canonical: Option<Digest>,
    /// What the tool gave back.
    pub result: Option<ContentRef>,
    /// The proposed calls.
    pub proposed: Vec<KeptProposal>,
    /// What redaction did to it.
    pub redactions: Vec<Redaction>,
    /// The version of the redaction rules it went through.
    pub rules_version: String,
}

/// A proposed call, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptProposal {
    /// The call as proposed; its arguments by reference.
    pub call: Proposal<ContentRef>,
    /// As [`Record::arguments_canonical`].
    pub arguments_canonical: Option<Digest>,
}

/// What one rule did at one place. Never the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// Where: a path such as `attributes.http.url` or `bodies[3]`.
    pub path: String,
    /// Which rule.
    pub rule: String,
    /// How: `remove`, `mask`, `replace`, `pseudonym`, `withhold`.
    pub method: String,
    /// How many hits.
    pub count: u32,
    /// The length in bytes before.
    pub bytes: u64,
}
