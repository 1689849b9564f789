//! Why one span or log record could not be taken.
use crate::otlp::limits::{ITEMS_MAX, NESTING_MAX};

/// Every class of reasons, for counters.
pub const CLASSES: [&str; 7] =
    ["bad-id", "bad-value", "bad-utf8", "broken", "too-deep", "too-large", "too-many"];

/// What is wrong with one record. Each message names the field and the remedy, never what stood there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// An id of another length, in protobuf.
    #[error("`{field}` has {found} bytes; {expected} are expected")]
    IdLength { field: &'static str, expected: usize, found: usize },
    /// An id that is not hex, in JSON.
    #[error("`{field}` is not {digits} hex digits; hex expected, as OTLP/JSON writes ids")]
    IdNotHex { field: &'static str, digits: usize },
    /// An id of zeros only, or none.
    #[error("`{field}` is missing or all zero; OTLP asks for a random id")]
    IdZero { field: &'static str },
    /// A number, text or enum that does not fit its field.
    #[error("`{field}` is not {expected}")]
    BadValue { field: &'static str, expected: &'static str },
    /// Text that is not UTF-8.
    #[error("`{field}` holds text that is not valid UTF-8; encode it before sending")]
    BadUtf8 { field: &'static str },
    /// Bytes that are no protobuf, or text that is no JSON.
    #[error("{what} is broken: {how}")]
    Broken { what: &'static str, how: &'static str },
    /// Lists or maps in one another beyond the limit.
    #[error("a value is nested too deep: more than {NESTING_MAX} levels; send it as a JSON string instead")]
    TooDeep,
    /// The request unfolds to more than the memory set aside for it.
    #[error(
        "the request is too large once decoded; send fewer records in one request, or a smaller resource"
    )]
    TooLarge,
    /// More records than a request may have.
    #[error("the request has more than {ITEMS_MAX} records; send the rest in another request")]
    TooMany,
}

impl Fault {
    /// The class, for counters.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Self::IdLength { .. } | Self::IdNotHex { .. } | Self::IdZero { .. } => "bad-id",
            Self::BadValue { .. } => "bad-value",
            Self::BadUtf8 { .. } => "bad-utf8",
            Self::Broken { .. } => "broken",
            Self::TooDeep => "too-deep",
            Self::TooLarge => "too-large",
            Self::TooMany => "too-many",
        }
    }
}
