//! Plain OpenTelemetry: what every dialect takes from the general conventions.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Field, Read, Text, code, read, text};
use crate::conventions::retries;
use crate::domain::kind::Carrier;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "",
        title: "OpenTelemetry",
        about: "Session, user, service and errors of the general conventions, on spans, logs and \
                resources; span events such as `gen_ai.retry` count the tries inside one span.",
        reads: READS,
    },
    scopes: &["*"],
    events: &[],
    code: read_record,
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

fn read_record(draft: &mut Draft<'_>) -> Option<()> {
    if let Some(tries) = retries::tries(draft.source.events) {
        draft.facts().tries.get_or_insert(tries);
    }
    read_exception(draft)
}

fn read_exception(draft: &mut Draft<'_>) -> Option<()> {
    let (kind, message) = (draft.text("exception.type"), draft.text("exception.message"));
    draft.error.message = draft.error.message.take().or(message.map(str::to_owned));
    let kind = kind?.to_owned();
    draft.error.failed |= draft.source.carrier == Carrier::Log;
    draft.error.kind.get_or_insert(kind);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{log, read, read_log, span};
    use crate::domain::kind::Status;
    use crate::domain::value::Value;
    use crate::otlp::WireSpan;

    #[test]
    fn an_error_type_is_an_error() {
        let list = vec![("error.type", "timeout".into()), ("error.message", "slow".into())];
        let error = read(&span("x", list)).facts.error.unwrap();
        assert_eq!((error.kind.as_str(), error.message.as_str()), ("timeout", "slow"));
        let vague = WireSpan {
            status: Status::Error,
            status_message: "TimeoutError(\"read\")".to_owned(),
            ..span("x", vec![("error.type", "_OTHER".into())])
        };
        assert_eq!(read(&vague).facts.error.unwrap().kind, "TimeoutError");
    }

    #[test]
    fn errors_may_come_as_logs_only() {
        let list = vec![("exception.type", "ReadTimeout".into()), ("exception.message", "timed out".into())];
        let error =
            read_log(&log("gen_ai.client.operation.exception", Value::Empty, list)).facts.error.unwrap();
        assert_eq!((error.kind.as_str(), error.message.as_str()), ("ReadTimeout", "timed out"));
    }

    #[test]
    fn records_on_no_trace_get_stable_ids() {
        let mut record = log("", "hello".into(), vec![("session.id", "s1".into())]);
        (record.trace_id, record.span_id) = Default::default();
        let (first, again) = (read_log(&record), read_log(&record));
        assert_eq!((first.facts.trace_id, first.facts.span_id), (again.facts.trace_id, again.facts.span_id));
        record.at_ns += 1;
        let later = read_log(&record);
        assert_eq!(later.facts.trace_id, first.facts.trace_id);
        assert_ne!(later.facts.span_id, first.facts.span_id);
    }
}
