//! Why a whole request could not be read.

/// A request of which nothing could be read. Sending it again cannot help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Not protobuf, or cut off before the first whole record.
    #[error("the body is not a readable OTLP protobuf message")]
    NotProtobuf,
    /// Not JSON, or cut off before the first whole record.
    #[error("the body is not readable OTLP/JSON; an object with `{expected}` is expected")]
    NotJson {
        /// The key that should stand at the top.
        expected: &'static str,
    },
    /// The other encoding than the one announced.
    #[error("the body looks like JSON but is announced as protobuf; send Content-Type: application/json")]
    LooksLikeJson,
    /// The other encoding than the one announced.
    #[error(
        "the body looks like protobuf but is announced as JSON; send Content-Type: application/x-protobuf"
    )]
    LooksLikeProtobuf,
    /// Compressed without saying so.
    #[error("the body looks like gzip; send Content-Encoding: gzip")]
    LooksLikeGzip,
    /// Another signal's records.
    #[error("no `{expected}` in this request, but `{found}`; send these to {path}")]
    OtherSignal {
        /// The key that should stand at the top.
        expected: &'static str,
        /// The key that stands there.
        found: &'static str,
        /// Where such records go.
        path: &'static str,
    },
}

/// What the first bytes of a body look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// `{` after white space.
    Json,
    /// The two magic bytes.
    Gzip,
    /// Anything else.
    Other,
}

impl Look {
    /// Looks at the first bytes.
    pub(crate) fn of(body: &[u8]) -> Self {
        if body.starts_with(&[0x1f, 0x8b]) {
            return Self::Gzip;
        }
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        if body.trim_ascii_start().starts_with(b"{") { Self::Json } else { Self::Other }
    }
}
