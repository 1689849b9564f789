//! What can go wrong with a page or an answer. What the reader sees of it is made in `refusal.rs`.
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::store::StoreError;

/// Why a request is not answered as asked. Never carries content of records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::web) enum WebError {
    /// There is nothing there: what was looked for.
    #[error("{0}")]
    NotFound(String),
    /// The request can't be read: what is wrong and the remedy.
    #[error("{0}")]
    Invalid(String),
    /// The viewer may not see it.
    #[error("you can't see this")]
    Forbidden,
    /// The method is not one that the address takes.
    #[error("this address takes no such method")]
    Method,
    /// The request was addressed to a host that is not ours.
    #[error("this server does not answer to that host name; add it to the setting `hosts`")]
    Host,
    /// A page of another site sent the request.
    #[error(
        "this came from a page of another site, so nothing was done; open the page here and send it again"
    )]
    CrossSite,
    /// The store does not answer now.
    #[error("the store does not answer")]
    Unreachable,
    /// The store took too long.
    #[error("the question took longer than {0} s and was stopped; ask for less")]
    TooSlow(u64),
    /// Something of ours went wrong. The cause is in the server's log.
    #[error("something went wrong here; the server's log says what")]
    Broken,
}

impl WebError {
    /// The status of the response.
    pub(in crate::web) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::CrossSite => StatusCode::FORBIDDEN,
            Self::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooSlow(_) => StatusCode::GATEWAY_TIMEOUT,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The heading of the page, and the title of the problem.
    pub(in crate::web) fn title(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "Not found",
            Self::Invalid(_) => "This can't be read",
            Self::Forbidden => "You can't see this",
            Self::Method => "Not that way",
            Self::Host => "Wrong host name",
            Self::CrossSite => "From another site",
            Self::Unreachable => "The store does not answer",
            Self::TooSlow(_) => "That took too long",
            Self::Broken => "Something went wrong",
        }
    }
}

impl From<StoreError> for WebError {
    fn from(error: StoreError) -> Self {
        // Shown, a store error names codes and kinds only, never values.
        match &error {
            StoreError::Unreachable { .. } | StoreError::Busy(_) | StoreError::Unknown { .. } => {
                tracing::warn!(%error, "the store could not be read");
                Self::Unreachable
            }
            StoreError::TooSlow { limit } => Self::TooSlow(limit.as_secs()),
            StoreError::Missing => Self::NotFound("No such record.".to_owned()),
            StoreError::Refused(_)
            | StoreError::Denied(_)
            | StoreError::Unreadable { .. }
            | StoreError::Settings(_)
            | StoreError::Engine(_) => {
                tracing::error!(%error, "the store could not be read");
                Self::Broken
            }
        }
    }
}

impl IntoResponse for WebError {
    /// Only the status: `refusal::show` writes the answer, since it knows who asks and under which address.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
