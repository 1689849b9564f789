//! What the engine says when it does not do what was asked.
use std::fmt;

/// An exception of ClickHouse, as text that starts with `Code: N.`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exception {
    text: String,
}

impl Exception {
    /// What the engine said. Text without a code gets that of an unknown exception.
    pub(super) fn of(text: &str) -> Self {
        let text = text.trim();
        if code_of(text).is_some() {
            Self { text: text.to_owned() }
        } else {
            Self::new(1002, "UNKNOWN_EXCEPTION", text)
        }
    }

    /// One of our own, in the words of ClickHouse, so that its clients understand it.
    pub(super) fn new(code: u32, name: &str, message: &str) -> Self {
        Self { text: format!("Code: {code}. DB::Exception: {message} ({name})") }
    }

    /// The statement was stopped because nobody waits for it any more.
    pub(super) fn cancelled() -> Self {
        Self::new(394, "QUERY_WAS_CANCELLED", "nobody waits for the answer any more.")
    }

    /// The engine is being stopped.
    pub(super) fn closed() -> Self {
        Self::new(236, "ABORTED", "the engine is being stopped.")
    }

    /// Its number.
    pub(super) fn code(&self) -> u32 {
        code_of(&self.text).unwrap_or_default()
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn code_of(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("Code: ")?;
    digits.get(..digits.find('.')?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_and_made_up_where_missing() {
        let given = Exception::of("Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)\n");
        assert_eq!((given.code(), given.to_string().ends_with("(UNKNOWN_TABLE)")), (60, true));
        let bare = Exception::of("No active streaming query");
        assert_eq!(bare.code(), 1002);
        assert_eq!(
            bare.to_string(),
            "Code: 1002. DB::Exception: No active streaming query (UNKNOWN_EXCEPTION)"
        );
    }
}
