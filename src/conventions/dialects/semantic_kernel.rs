//! Semantic Kernel: OpenTelemetry GenAI spans, and messages as Python log records.
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Count, Read, count};

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "semantic_kernel",
        title: "Semantic Kernel",
        about: "Messages are log records whose body is a JSON string, in the order of \
                `CHAT_MESSAGE_INDEX`; they and arguments are sent only with its switch for \
                sensitive data. A span names a tool with its plugin (`P-lookup_order`), the \
                proposal without.",
        reads: READS,
    },
    scopes: &["semantic_kernel*"],
    events: &[],
    code: read_reason,
};

const READS: &[Read] = &[count("CHAT_MESSAGE_INDEX", Count::Seq)];

/// Finish reasons come with the name of their Python type.
fn read_reason(draft: &mut Draft<'_>) -> Option<()> {
    for reason in &mut draft.facts().finish_reasons {
        if let Some(short) = reason.strip_prefix("FinishReason.") {
            *reason = short.to_ascii_lowercase();
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::conventions::trial::{bodies, log, read_log};
    use crate::domain::step::ScopeInfo;
    use crate::otlp::WireLog;

    #[test]
    fn messages_are_json_in_log_bodies() {
        let body = r#"{"role": "user", "content": "hi"}"#;
        let record = log(
            "",
            body.into(),
            vec![("event.name", "gen_ai.user.message".into()), ("CHAT_MESSAGE_INDEX", 1.into())],
        );
        let scope = ScopeInfo { name: "semantic_kernel.connectors.ai.x".to_owned(), ..ScopeInfo::default() };
        let step = read_log(&WireLog { scope: scope.into(), ..record });
        assert_eq!(bodies(&step, &step.context), [("user".to_owned(), body.to_owned())]);
        assert_eq!(step.facts.seq, Some(1));
        let choice =
            r#"{"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop", "index": 0}"#;
        let step = read_log(&log("gen_ai.choice", choice.into(), vec![]));
        assert_eq!(bodies(&step, &step.output)[0].1, r#"{"role": "assistant", "content": "yes"}"#);
        assert_eq!(step.facts.finish_reasons, ["stop"]);
    }
}
