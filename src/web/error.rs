//! What can go wrong with a page or an answer. What the reader sees of it is made in `refusal.rs`.
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::domain::case::{CaseEvent, CaseState, Resolution};
use crate::domain::outcome::Outcome;
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
    /// One field or parameter can't be used: its name, and what is wrong with the remedy.
    #[error("`{0}` {1}")]
    Field(&'static str, String),
    /// The body is longer than this.
    #[error("the body is longer than {0} bytes")]
    TooLarge(usize),
    /// The body is no JSON.
    #[error("the body must be JSON; send it with Content-Type: application/json")]
    MediaType,
    /// What is asked for does not fit how things stand.
    #[error("{}", .0.said)]
    Conflict(Box<Conflict>),
    /// Only people may close this case.
    #[error(
        "this case is for people only: its value is over the limit of its tool, or its unknowns are escalated"
    )]
    PeopleOnly,
    /// A second person has to agree.
    #[error("a second person has to agree: not the one who closed it, and no job")]
    SecondPerson,
    /// It was erased on request: when, and under which erasure.
    #[error("{0}")]
    Gone(String),
    /// Something else does not let it be done: what, and the way out.
    #[error("{0}")]
    InTheWay(String),
    /// The viewer may not see it.
    #[error("you can't see this")]
    Forbidden,
    /// Who asks has shown nothing that lets them in: what is missing or wrong.
    #[error("{0}")]
    SignIn(String),
    /// Who asks may not do this: the roles that may.
    #[error("this takes the role {0} in this project; an admin can give it")]
    Role(String),
    /// It is about an entity of this type that the viewer was not given.
    #[error("you can't see this {0}; an admin can give you a role for it. This try is recorded")]
    OutOfReach(String),
    /// The provider vouches for somebody whose groups are given nothing.
    #[error("none of your groups is given a role here; an admin can add one to the setting `oidc.roles`")]
    NoGroup,
    /// A page of another site sent it, or a form without the token of its session.
    #[error("this did not come from a page of this site; open the page again and send it from there")]
    Forgery,
    /// It can't be recorded who looks, so nothing is shown.
    #[error("who looks can't be recorded now, so nothing is shown; try again later")]
    Unrecorded,
    /// Too many wrong tries: seconds to wait.
    #[error("too many wrong tries; wait {0} s")]
    Wait(u64),
    /// So many pages follow that there is no room for one more.
    #[error("too many pages follow live now, so this one does not; reload it to see what is new")]
    Full,
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

/// Why a case does not take what somebody wants, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Conflict {
    /// In a sentence.
    pub(in crate::web) said: String,
    /// The resolution that is in the way.
    pub(in crate::web) resolution: Option<(CaseEvent, Resolution)>,
    /// Where the case stands.
    pub(in crate::web) state: CaseState,
    /// The act's state.
    pub(in crate::web) outcome: Outcome,
}

impl WebError {
    /// The status of the response.
    pub(in crate::web) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Invalid(_) | Self::Field(..) => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Gone(_) => StatusCode::GONE,
            Self::Conflict(_) | Self::InTheWay(_) => StatusCode::CONFLICT,
            Self::PeopleOnly | Self::SecondPerson => StatusCode::FORBIDDEN,
            Self::Forbidden | Self::Role(_) | Self::OutOfReach(_) | Self::NoGroup | Self::Forgery => {
                StatusCode::FORBIDDEN
            }
            Self::SignIn(_) => StatusCode::UNAUTHORIZED,
            Self::Unrecorded | Self::Full => StatusCode::SERVICE_UNAVAILABLE,
            Self::Wait(_) => StatusCode::TOO_MANY_REQUESTS,
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
            Self::Invalid(_) | Self::Field(..) => "This can't be read",
            Self::TooLarge(_) => "That is too long",
            Self::MediaType => "That is no JSON",
            Self::Gone(_) => "Erased",
            Self::InTheWay(_) => "Something is in the way",
            Self::Conflict(_) => "That does not fit any more",
            Self::PeopleOnly => "A person has to decide",
            Self::SecondPerson => "Somebody else has to agree",
            Self::Forbidden | Self::Role(_) | Self::OutOfReach(_) | Self::NoGroup => "You can't see this",
            Self::SignIn(_) => "Sign in",
            Self::Forgery => "Not from here",
            Self::Unrecorded => "Nothing is shown",
            Self::Wait(_) => "Wait a little",
            Self::Full => "No room",
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
    /// Only the status: `refusal::show` writes the answer, since it knows who asks and under which
    /// address.
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
