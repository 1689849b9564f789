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

/// Reads the result of a call that went wrong.
pub fn shown(result: Option<&ContentRef>, error: Option<&Failure>) -> Shown {
    let Some(result) = result else { return Shown::Nothing };
    let shown = result.preview.trim().to_ascii_lowercase();
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
