//! An alert's beginning or end.

/// A rule began to hold, or holds no more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlertEvent {
    /// The rule's name.
    pub rule: String,
    /// The how-manieth time that it holds, from 1: its beginning and its end have the same number.
    pub episode: u32,
    /// Whether it began; else it ended.
    pub fired: bool,
    /// When that was seen, nanoseconds since 1970.
    pub at_ns: u64,
    /// How many there were of what the rule counts.
    pub count: u64,
    /// What was seen, in a sentence.
    pub said: String,
    /// Addresses of examples: cases, runs, refusals.
    pub paths: Vec<String>,
}
