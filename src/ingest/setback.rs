//! What an error of the store means for rows on their way in: again, in smaller pieces, or never.
use crate::ingest::sink::Setback;
use crate::store::{Answer, StoreError};

/// Answers about the table or the rights, not about rows: a person changes something, and the same rows are
/// taken.
const NOT_ABOUT_ROWS: &[u32] = &[
    // Columns, types, functions, formats, settings.
    8, 10, 16, 44, 46, 47, 48, 50, 53, 62, 73, 115, 344, 392, 452, 471, //
    // Tables, engines, rights, quotas.
    56, 57, 60, 164, 201, 218, 279, 291, 359, 497, 516, 731,
];
/// The insert needs more memory than the store has for one.
const MEMORY_LIMIT_EXCEEDED: u32 = 241;
/// Too many parts in the table, or rows of too many partitions in one insert.
const TOO_MANY_PARTS: u32 = 252;
/// More bytes or rows than one insert may have.
const TOO_MUCH: &[u32] = &[158, 307, 396];

impl Setback {
    /// What to do next.
    pub fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Unreachable { .. } => Self::Again("unreachable"),
            StoreError::Unknown { .. } | StoreError::TooSlow { .. } => Self::Again("unknown"),
            StoreError::Busy(answer) if is_too_much(answer) => Self::Crowded("busy"),
            StoreError::Busy(_) => Self::Again("busy"),
            StoreError::Denied(_) | StoreError::Settings(_) | StoreError::Engine(_) => Self::Again("denied"),
            StoreError::Missing | StoreError::Unreadable { .. } => Self::Again("unreadable"),
            StoreError::Refused(answer) if NOT_ABOUT_ROWS.contains(&answer.code) => Self::Again("schema"),
            StoreError::Refused(answer) if TOO_MUCH.contains(&answer.code) => Self::Crowded("busy"),
            // Shown with code and name only: the message may quote values.
            StoreError::Refused(answer) => Self::Refused(answer.to_string()),
        }
    }
}

fn is_too_much(answer: &Answer) -> bool {
    answer.code == MEMORY_LIMIT_EXCEEDED
        || (answer.code == TOO_MANY_PARTS && answer.message.contains("partitions for single INSERT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: u32, message: &str) -> Answer {
        Answer { code, name: "NAME".to_owned(), message: message.to_owned() }
    }

    #[test]
    fn the_error_says_what_to_do_next() {
        let refused = |code| Setback::of(&StoreError::Refused(answer(code, "row 4 holds secret")));
        assert_eq!(refused(27), Setback::Refused("code 27 (NAME)".to_owned()));
        assert_eq!(refused(33), Setback::Refused("code 33 (NAME)".to_owned()));
        assert_eq!(refused(60), Setback::Again("schema"));
        assert_eq!(refused(16), Setback::Again("schema"));
        let busy = |code, message| Setback::of(&StoreError::Busy(answer(code, message)));
        assert_eq!(busy(241, ""), Setback::Crowded("busy"));
        assert_eq!(busy(252, "Too many parts (3000)"), Setback::Again("busy"));
        assert_eq!(
            busy(252, "Too many partitions for single INSERT block (more than 100)"),
            Setback::Crowded("busy")
        );
        let unknown = StoreError::Unknown { reason: "no answer".to_owned() };
        assert_eq!(Setback::of(&unknown), Setback::Again("unknown"));
    }
}
