//! What a model saw or said and what a tool got or gave: bodies, kept once per trace under their digest.
use crate::domain::ids::Digest;

/// What part a body plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContentKind {
    /// System instructions.
    System,
    /// A message of the conversation, as the model saw it.
    Message,
    /// The definition of a tool that was offered.
    ToolDefinition,
    /// What the model answered.
    Output,
    /// The arguments of a tool call, proposed or executed.
    Arguments,
    /// What a tool gave back.
    Result,
    /// A long attribute value that no convention reads.
    Attribute,
}

impl ContentKind {
    /// Every kind, in the order of its stored code.
    pub const ALL: [Self; 7] = [
        Self::System,
        Self::Message,
        Self::ToolDefinition,
        Self::Output,
        Self::Arguments,
        Self::Result,
        Self::Attribute,
    ];

    /// The word used in tables, the API and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Message => "message",
            Self::ToolDefinition => "tool_definition",
            Self::Output => "output",
            Self::Arguments => "arguments",
            Self::Result => "result",
            Self::Attribute => "attribute",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// One body as received (or as redacted): text or JSON text, exactly as the sender wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// What part it plays.
    pub kind: ContentKind,
    /// `system`, `user`, `assistant`, `tool` or what the sender said; empty when there is none.
    pub role: String,
    /// Whether the body is one whole JSON value.
    pub is_json: bool,
    /// The text. For messages: the JSON of the whole message (`{"role":…,"parts"|"content":…}`).
    pub body: String,
    /// The length in bytes before it was cut to the limit; `None` when whole.
    pub cut_from: Option<u64>,
}

/// A body that is kept, without the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentRef {
    /// Under which it is kept in its trace.
    pub digest: Digest,
    /// What part it plays.
    pub kind: ContentKind,
    /// As [`Content::role`].
    pub role: String,
    /// Length of the kept body in bytes.
    pub bytes: u64,
    /// The first characters of the body, for lists.
    pub preview: String,
}
