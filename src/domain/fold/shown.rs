//! What a tool call that went wrong handed back, and so what the model was shown of it.
use crate::domain::content::ContentRef;
use crate::domain::step::Failure;

/// How a result tells of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// No result was recorded.
    Nothing,
    /// A status that leaves nothing to make up: JSON with a status, or a sentence that says where it stands.
    Status,
    /// The error as it came.
    Raw,
    /// Something else.
    Other,
}

/// Words by which a result says where the act stands.
const STATUS: &[&str] =
    &["\"status\"", "\"outcome\"", "\"state\"", "outcome unknown", "outcome_unknown", "pending", "reconcil"];
/// How raw errors begin, lower-case.
const RAW: &[&str] = &["error", "exception", "traceback", "fatal", "unhandled", "failed:", "http "];

/// Characters of an answer that are looked at: a raw error says so at once.
const READ_MAX: usize = 512;

/// Reads the result of a call that went wrong.
pub fn shown(result: Option<&ContentRef>, error: Option<&Failure>) -> Shown {
    result.map_or(Shown::Nothing, |result| read(&result.preview, error))
}

/// Whether an answer that a model was shown is an error as it came.
pub fn is_raw(answer: &str) -> bool {
    read(
        answer.char_indices().nth(READ_MAX).map_or(answer, |(at, _)| answer.get(..at).unwrap_or(answer)),
        None,
    ) == Shown::Raw
}

fn read(shown: &str, error: Option<&Failure>) -> Shown {
    let shown = shown.trim().to_ascii_lowercase();
    let error = error.map(|error| error.message.trim().to_ascii_lowercase());
    let told = error.is_some_and(|error| !error.is_empty() && shown.contains(first_words(&error)));
    if STATUS.iter().any(|word| shown.contains(word)) {
        Shown::Status
    } else if told || RAW.iter().any(|word| shown.starts_with(word)) {
        Shown::Raw
    } else if shown.starts_with('{') {
        Shown::Status
    } else {
        Shown::Other
    }
}

/// Enough of an error's text to recognise it, cut at a character.
fn first_words(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}
