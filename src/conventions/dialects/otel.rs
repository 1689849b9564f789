//! Plain OpenTelemetry: what every dialect takes from the general conventions.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Field, Read, Text, code, read, text};
use crate::domain::kind::Carrier;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "",
        title: "OpenTelemetry",
        about: "Session, user, service and errors of the general conventions, on spans, logs and \
                resources.",
        reads: READS,
    },
    scopes: &["*"],
    events: &[],
    code: read_exception,
};

const READS: &[Read] = &[
    text("session.id", Text::Session),
    text("user.id", Text::User),
    text("enduser.id", Text::User),
    read("account.id", Field::Account),
    text("service.name", Text::Service),
    text("service.version", Text::AgentVersion),
    text("deployment.environment.name", Text::Environment),
    text("deployment.environment", Text::Environment),
    read("error.type", Field::ErrorType),
    read("error.message", Field::ErrorMessage),
    code("exception.type", "type of an error that arrives as a log record"),
    code("exception.message", "text of an error that arrives as a log record"),
];

fn read_exception(draft: &mut Draft<'_>) -> Option<()> {
    let (kind, message) = (draft.text("exception.type"), draft.text("exception.message"));
    draft.error.message = draft.error.message.take().or(message.map(str::to_owned));
    let kind = kind?.to_owned();
    draft.error.failed |= draft.source.carrier == Carrier::Log;
    draft.error.kind.get_or_insert(kind);
    Some(())
}
