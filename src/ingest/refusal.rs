//! Every way to say no to a sender, with its status in both transports and when to try again.
use std::time::Duration;

use axum::http::StatusCode;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::access::{BearerError, Denied, Role};
use crate::domain::counting::grouped;
use crate::ingest::keep::NotKept;
use crate::ingest::signal::message;
use crate::otlp::DecodeError;

/// Why a whole request was not taken. The text never contains payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not a path of OTLP.
    #[error("{0}")]
    WrongPath(String),
    /// Not a POST.
    #[error("only POST is answered here")]
    WrongMethod,
    /// Addressed to a name that is not this server's.
    #[error("this server does not answer under that host name; an operator can add it to `hosts`")]
    WrongHost,
    /// From a web page of an origin that is not allowed.
    #[error("web pages of that origin may not send here; an operator can add it to `cors_origins`")]
    WrongOrigin,
    /// No key, or none that can be read.
    #[error("{0}")]
    NoKey(#[from] BearerError),
    /// A key in the address, where every proxy logs it.
    #[error(
        "a key does not belong in the address, where it is logged: send it as the header \
         `Authorization: Bearer rcn_…`, and revoke this one"
    )]
    KeyInAddress,
    /// A key that lets nobody in.
    #[error("{0}")]
    Denied(#[from] Denied),
    /// A key that does not send.
    #[error("this key may not send: its role is {0}, and only a key with the role sender sends")]
    MayNotSend(Role),
    /// Nobody can tell yet who may come in.
    #[error("keys can't be checked until the store answers; send again")]
    AccessUnknown,
    /// A body that is neither protobuf nor JSON.
    #[error("the Content-Type is not one of application/x-protobuf and application/json")]
    WrongType,
    /// Compressed with something else than gzip.
    #[error("the content encoding is not one of gzip and identity")]
    WrongEncoding,
    /// Larger than a request may be, as sent or decompressed.
    #[error(
        "the request is larger than {limit} bytes ({how}), the limit `request_bytes_max`; send smaller ones"
    )]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
        /// `as sent` or `decompressed`.
        how: &'static str,
    },
    /// The rows of the request are larger than the log takes at once.
    #[error("the request is larger than the log takes at once; send smaller ones")]
    TooLargeToKeep,
    /// Compressed data that cannot be read.
    #[error("the body is not readable gzip: it ends early, is damaged, or goes on after its end")]
    BadGzip,
    /// A gRPC message frame that cannot be read.
    #[error("the body is not one gRPC message: {0}")]
    BadFrame(&'static str),
    /// Nothing could be read.
    #[error("{0}")]
    Unreadable(#[from] DecodeError),
    /// Everything in it was refused.
    #[error("{} because {reason}", all_refused(*count))]
    NothingKept {
        /// How many.
        count: u64,
        /// Why the first one was.
        reason: String,
    },
    /// The sender went away before the end of the body.
    #[error("the body ended before its announced end")]
    CutOff,
    /// The body came too slowly.
    #[error("the body did not arrive in time")]
    TooSlow,
    /// Too many requests at once.
    #[error("the server is busy; send again")]
    Busy,
    /// The key has sent what it may.
    #[error("this key has sent what its quota allows; send again in {} s", wait.as_secs())]
    OverQuota {
        /// Until when nothing more is taken.
        wait: Duration,
    },
    /// The log has no room: the store does not take rows fast enough, or at all.
    #[error("there is no room to keep this now; send again")]
    Full,
    /// The log cannot be written.
    #[error("this could not be written to disk and is not kept; send again")]
    NotWritten,
    /// The store has to confirm and does not.
    #[error("the store does not take rows now; send again")]
    StoreDown,
    /// The server is stopping.
    #[error("the server is stopping; send again")]
    Stopping,
    /// A fault of ours.
    #[error("the request could not be processed because of a fault in the server; it is not kept")]
    Fault,
}

impl Refusal {
    /// The gRPC code. Those that OTLP calls retryable are used only where trying again can help.
    pub fn code(&self) -> Code {
        match self {
            Self::WrongPath(_) | Self::WrongMethod | Self::WrongType | Self::WrongEncoding => {
                Code::Unimplemented
            }
            Self::WrongHost | Self::WrongOrigin | Self::MayNotSend(_) => Code::PermissionDenied,
            Self::NoKey(_) | Self::KeyInAddress | Self::Denied(_) => Code::Unauthenticated,
            Self::TooLarge { .. } | Self::TooLargeToKeep => Code::ResourceExhausted,
            Self::BadGzip
            | Self::BadFrame(_)
            | Self::Unreadable(_)
            | Self::NothingKept { .. }
            | Self::CutOff => Code::InvalidArgument,
            Self::TooSlow => Code::DeadlineExceeded,
            Self::Busy
            | Self::OverQuota { .. }
            | Self::Full
            | Self::NotWritten
            | Self::StoreDown
            | Self::Stopping
            | Self::AccessUnknown => Code::Unavailable,
            Self::Fault => Code::Internal,
        }
    }

    /// The HTTP status. To push back it is 503, never 429: released SDKs drop a batch on 429.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::WrongPath(_) => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::WrongOrigin | Self::MayNotSend(_) => StatusCode::FORBIDDEN,
            Self::NoKey(_) | Self::KeyInAddress | Self::Denied(_) => StatusCode::UNAUTHORIZED,
            Self::WrongType | Self::WrongEncoding => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } | Self::TooLargeToKeep => StatusCode::PAYLOAD_TOO_LARGE,
            Self::BadGzip
            | Self::BadFrame(_)
            | Self::Unreadable(_)
            | Self::NothingKept { .. }
            | Self::CutOff => StatusCode::BAD_REQUEST,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Busy
            | Self::OverQuota { .. }
            | Self::Full
            | Self::NotWritten
            | Self::StoreDown
            | Self::Stopping
            | Self::AccessUnknown => StatusCode::SERVICE_UNAVAILABLE,
            Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// When to send it again; `None` when it would be refused again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy => Some(Duration::from_secs(1)),
            Self::OverQuota { wait } => Some(*wait),
            Self::Full | Self::NotWritten | Self::StoreDown | Self::Stopping | Self::AccessUnknown => {
                Some(Duration::from_secs(5))
            }
            Self::WrongPath(_)
            | Self::WrongMethod
            | Self::WrongHost
            | Self::WrongOrigin
            | Self::NoKey(_)
            | Self::KeyInAddress
            | Self::Denied(_)
            | Self::MayNotSend(_)
            | Self::WrongType
            | Self::WrongEncoding
            | Self::TooLarge { .. }
            | Self::TooLargeToKeep
            | Self::BadGzip
            | Self::BadFrame(_)
            | Self::Unreadable(_)
            | Self::NothingKept { .. }
            | Self::CutOff
            | Self::TooSlow
            | Self::Fault => None,
        }
    }

    /// One word, for counters.
    pub fn class(&self) -> &'static str {
        match self {
            Self::WrongPath(_) => "wrong-path",
            Self::WrongMethod => "wrong-method",
            Self::WrongHost => "wrong-host",
            Self::WrongOrigin => "wrong-origin",
            Self::NoKey(_) => "no-key",
            Self::KeyInAddress => "key-in-address",
            Self::Denied(_) => "denied",
            Self::MayNotSend(_) => "may-not-send",
            Self::AccessUnknown => "access-unknown",
            Self::WrongType => "wrong-type",
            Self::WrongEncoding => "wrong-encoding",
            Self::TooLarge { .. } | Self::TooLargeToKeep => "too-large",
            Self::BadGzip => "bad-gzip",
            Self::BadFrame(_) => "bad-frame",
            Self::Unreadable(_) => "unreadable",
            Self::NothingKept { .. } => "nothing-kept",
            Self::CutOff => "cut-off",
            Self::TooSlow => "too-slow",
            Self::Busy => "busy",
            Self::OverQuota { .. } => "over-quota",
            Self::Full => "full",
            Self::NotWritten => "not-written",
            Self::StoreDown => "store-down",
            Self::Stopping => "stopping",
            Self::Fault => "fault",
        }
    }

    /// What the sender is told, within the limit of a message.
    pub fn text(&self) -> String {
        message(&self.to_string()).into_owned()
    }

    /// The gRPC status, with `RetryInfo` where trying again can help.
    pub fn grpc(&self) -> Status {
        match self.retry_after() {
            Some(after) => {
                let details = ErrorDetails::with_retry_info(Some(after));
                Status::with_error_details(self.code(), self.text(), details)
            }
            None => Status::new(self.code(), self.text()),
        }
    }
}

impl From<NotKept> for Refusal {
    fn from(why: NotKept) -> Self {
        match why {
            NotKept::Full => Self::Full,
            NotKept::Broken => Self::NotWritten,
            NotKept::Unconfirmed => Self::StoreDown,
            NotKept::TooLarge { .. } => Self::TooLargeToKeep,
            NotKept::Stopping => Self::Stopping,
        }
    }
}

/// What is said of a request of which nothing was kept; the reason follows.
fn all_refused(count: u64) -> String {
    match count {
        1 => "the record was refused".to_owned(),
        _ => format!("all {} records were refused; the first one", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_succeed_later_is_retryable() {
        let refusals = [
            Refusal::WrongPath("/v1/trace".to_owned()),
            Refusal::WrongMethod,
            Refusal::WrongHost,
            Refusal::WrongOrigin,
            Refusal::NoKey(BearerError::Missing),
            Refusal::KeyInAddress,
            Refusal::Denied(Denied::Expired),
            Refusal::MayNotSend(Role::Viewer),
            Refusal::AccessUnknown,
            Refusal::WrongType,
            Refusal::WrongEncoding,
            Refusal::TooLarge { limit: 1, how: "as sent" },
            Refusal::TooLargeToKeep,
            Refusal::BadGzip,
            Refusal::BadFrame("x"),
            Refusal::Unreadable(DecodeError::NotProtobuf),
            Refusal::NothingKept { count: 1, reason: "x".to_owned() },
            Refusal::CutOff,
            Refusal::Busy,
            Refusal::OverQuota { wait: Duration::from_secs(2) },
            Refusal::Full,
            Refusal::NotWritten,
            Refusal::StoreDown,
            Refusal::Stopping,
            Refusal::Fault,
        ];
        for refusal in refusals {
            let retry = refusal.retry_after().is_some();
            assert_eq!(refusal.status() == StatusCode::SERVICE_UNAVAILABLE, retry, "{refusal:?}");
            assert_eq!(refusal.code() == Code::Unavailable, retry, "{refusal:?}");
            assert_eq!(refusal.grpc().get_details_retry_info().is_some(), retry, "{refusal:?}");
        }
    }

    #[test]
    fn a_long_reason_is_cut() {
        let refusal = Refusal::NothingKept { count: 1, reason: "x".repeat(5_000) };
        assert!(refusal.text().len() <= 1_024);
    }
}
