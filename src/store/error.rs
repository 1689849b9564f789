//! What went wrong with the store, named by what the caller may do next.
use std::fmt;
use std::time::Duration;

use crate::store::engine::EngineError;

/// Why the store did not do what was asked.
///
/// Shown, an error names codes and kinds only: the store's own message may quote values of rows or
/// parameters, so it stays in [`Answer::message`] for those who may see them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing was sent. Try again later; until then nothing can be read or kept.
    #[error("the store cannot be reached: {reason}")]
    Unreachable {
        /// What stood in the way, without credentials.
        reason: String,
    },
    /// The store is there and says not now: too many parts, no memory, no space. Try again later.
    #[error("the store says not now: {0}")]
    Busy(Answer),
    /// A write was sent and not answered: it may have been done. Repeat it with the same bytes under the same
    /// token.
    #[error("the store did not confirm the write, so whether it is kept is unknown: {reason}")]
    Unknown {
        /// What happened instead of an answer.
        reason: String,
    },
    /// Understood and rejected. Repeating it as it is never helps.
    #[error("the store refused the statement: {0}")]
    Refused(Answer),
    /// The user, the password or the database is wrong. A person has to act.
    #[error("the store refuses the user, password or database: {0}")]
    Denied(Answer),
    /// A read was stopped by its time limit. Ask for less.
    #[error("the read was stopped after {limit:?}")]
    TooSlow {
        /// The limit it ran into.
        limit: Duration,
    },
    /// A read that must find a row found none.
    #[error("no such row")]
    Missing,
    /// The answer does not fit what was asked for: another schema, or another program on that port.
    #[error("the answer of the store cannot be read: {reason}")]
    Unreadable {
        /// What did not fit.
        reason: String,
    },
    /// The settings cannot be used.
    #[error("{0}")]
    Settings(String),
    /// The embedded engine did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl StoreError {
    /// Whether the same call may succeed later without anybody changing anything.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Busy(_) | Self::Unknown { .. } | Self::TooSlow { .. } => true,
            Self::Refused(_)
            | Self::Denied(_)
            | Self::Missing
            | Self::Unreadable { .. }
            | Self::Settings(_)
            | Self::Engine(_) => false,
        }
    }

    /// What ClickHouse itself answered, where it did.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Busy(answer) | Self::Refused(answer) | Self::Denied(answer) => Some(answer),
            Self::Unreachable { .. }
            | Self::Unknown { .. }
            | Self::TooSlow { .. }
            | Self::Missing
            | Self::Unreadable { .. }
            | Self::Settings(_)
            | Self::Engine(_) => None,
        }
    }

    /// What an error of a read or of a definition means.
    pub(in crate::store) fn of_read(error: clickhouse::error::Error, limit: Duration) -> Self {
        match Failure::of(error) {
            Failure::Answered(answer) => Self::of_answer(answer, limit),
            Failure::NotSent(reason) | Failure::Lost(reason) => Self::Unreachable { reason },
            Failure::TimedOut => Self::TooSlow { limit },
            Failure::NoRow => Self::Missing,
            Failure::Unfit(reason) => Self::Unreadable { reason },
        }
    }

    /// What an error of a write means.
    pub(in crate::store) fn of_write(error: clickhouse::error::Error, limit: Duration) -> Self {
        match Failure::of(error) {
            Failure::Answered(answer) if answer.leaves_writes_open() => {
                Self::Unknown { reason: answer.to_string() }
            }
            Failure::Answered(answer) => Self::of_answer(answer, limit),
            Failure::NotSent(reason) => Self::Unreachable { reason },
            Failure::Lost(reason) => Self::Unknown { reason },
            Failure::TimedOut => Self::Unknown { reason: format!("no answer within {limit:?}") },
            Failure::NoRow => Self::Missing,
            // A proxy that lost its server answers in words of its own.
            Failure::Unfit(reason) => Self::Unknown { reason },
        }
    }

    fn of_answer(answer: Answer, limit: Duration) -> Self {
        match answer.code {
            159 => Self::TooSlow { limit },
            81 | 192..=194 | 291 | 497 | 516 => Self::Denied(answer),
            _ if answer.may_pass() => Self::Busy(answer),
            _ => Self::Refused(answer),
        }
    }
}

/// An exception of ClickHouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its number, 0 if it gave none.
    pub code: u32,
    /// Its name, such as `UNKNOWN_TABLE`; empty if it gave none.
    pub name: String,
    /// Its text, which may quote values.
    pub message: String,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            write!(f, "code {}", self.code)
        } else {
            write!(f, "code {} ({})", self.code, self.name)
        }
    }
}

impl Answer {
    /// Reads `Code: 60. DB::Exception: … (UNKNOWN_TABLE) (version …)`; `None` if the text is no exception of
    /// ClickHouse.
    pub(in crate::store) fn parse(text: &str) -> Option<Self> {
        let rest = text.get(text.find("Code: ")?..)?.strip_prefix("Code: ")?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (code, rest) = rest.split_at_checked(digits)?;
        let message = rest.split_once("Exception: ").map_or(rest, |(_, message)| message).trim();
        let message = message.split(" (version ").next().unwrap_or(message).trim();
        let name =
            message.strip_suffix(')').and_then(|message| message.rsplit_once('(')).map(|(_, name)| name);
        let name = name
            .filter(|name| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'));
        let name = name.unwrap_or_default();
        Some(Self { code: code.parse().ok()?, name: name.to_owned(), message: message.to_owned() })
    }

    /// Codes that speak of the state of the server, not of the statement.
    fn may_pass(&self) -> bool {
        // Files, space, memory, load, network, keeper, replicas, shutdown, cancelled.
        const PASSING: &[u32] = &[
            74, 75, 76, 95, 198, 202, 203, 209, 210, 225, 236, 241, 242, 243, 252, 279, 285, 286, 289, 319,
            364, 373, 394, 415, 425, 439, 499, 999, 1001, 1002,
        ];
        PASSING.contains(&self.code)
    }

    /// Codes after which a write may have been done in part or whole.
    fn leaves_writes_open(&self) -> bool {
        const OPEN: &[u32] =
            &[75, 95, 159, 209, 210, 225, 236, 279, 286, 319, 394, 415, 425, 499, 999, 1001, 1002];
        OPEN.contains(&self.code)
    }
}

/// The client's errors, sorted by how far the statement got.
enum Failure {
    Answered(Answer),
    NotSent(String),
    Lost(String),
    TimedOut,
    NoRow,
    Unfit(String),
}

impl Failure {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the client may add kinds of error")]
    fn of(error: clickhouse::error::Error) -> Self {
        use clickhouse::error::Error;
        match error {
            Error::BadResponse(text) => match Answer::parse(&text) {
                Some(answer) => Self::Answered(answer),
                None => Self::Unfit(format!("no ClickHouse answers there, but: {}", first_line(&text))),
            },
            Error::Network(source) => {
                let connect = source
                    .downcast_ref::<hyper_util::client::legacy::Error>()
                    .is_some_and(hyper_util::client::legacy::Error::is_connect);
                let reason = root_cause(source.as_ref());
                if connect { Self::NotSent(reason) } else { Self::Lost(reason) }
            }
            Error::InvalidParams(source) | Error::Other(source) => Self::NotSent(root_cause(source.as_ref())),
            Error::TimedOut => Self::TimedOut,
            Error::RowNotFound => Self::NoRow,
            other => Self::Unfit(other.to_string()),
        }
    }
}

fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    first_line(&cause.to_string())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_code_name_and_message() {
        let text = "Code: 60. DB::Exception: Unknown table expression identifier 'nope' in scope. \
                    (UNKNOWN_TABLE) (version 26.7.2.1 (official build))\n";
        let answer = Answer::parse(text).unwrap();
        assert_eq!((answer.code, answer.name.as_str()), (60, "UNKNOWN_TABLE"));
        assert_eq!(answer.message, "Unknown table expression identifier 'nope' in scope. (UNKNOWN_TABLE)");
        assert_eq!(
            Answer::parse("Code: 516"),
            Some(Answer { code: 516, name: String::new(), message: String::new() })
        );
        assert_eq!(Answer::parse("502 Bad Gateway"), None);
    }

    #[test]
    fn shown_errors_quote_no_values() {
        let text = "Code: 457. DB::Exception: Value secret cannot be parsed as UInt8. (BAD_QUERY_PARAMETER)";
        let error = StoreError::of_read(bad(text), Duration::ZERO);
        assert_eq!(error.to_string(), "the store refused the statement: code 457 (BAD_QUERY_PARAMETER)");
        assert!(error.answer().unwrap().message.contains("secret"));
    }

    #[test]
    fn the_code_says_what_may_be_done_next() {
        let read =
            |code: u32| StoreError::of_read(bad(&format!("Code: {code}. DB::Exception: x")), Duration::ZERO);
        let write =
            |code: u32| StoreError::of_write(bad(&format!("Code: {code}. DB::Exception: x")), Duration::ZERO);
        assert!(matches!(read(62), StoreError::Refused(_)));
        assert!(matches!(read(516), StoreError::Denied(_)));
        assert!(matches!(read(81), StoreError::Denied(_)));
        assert!(matches!(read(159), StoreError::TooSlow { .. }));
        assert!(matches!(write(159), StoreError::Unknown { .. }));
        assert!(matches!(write(252), StoreError::Busy(_)));
        assert!(matches!(write(33), StoreError::Refused(_)));
        assert!(matches!(
            StoreError::of_read(bad("404 not found"), Duration::ZERO),
            StoreError::Unreadable { .. }
        ));
    }

    fn bad(text: &str) -> clickhouse::error::Error {
        clickhouse::error::Error::BadResponse(text.to_owned())
    }
}
