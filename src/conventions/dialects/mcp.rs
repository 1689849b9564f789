//! MCP client and server spans: three spans for one call; below a tool span they are its transport.
use crate::conventions::claim::{KindRule, Work};
use crate::conventions::convention::{Dialect, DialectInfo};
use crate::conventions::draft::Draft;
use crate::conventions::field::{Read, code};
use crate::conventions::identity;
use crate::domain::kind::Kind;

/// The dialect.
pub(in crate::conventions) const DIALECT: Dialect = Dialect {
    info: DialectInfo {
        name: "mcp",
        title: "Model Context Protocol",
        about: "Client and server spans of one call carry one JSON-RPC id. Arguments and results \
                are not sent, and `mcp.session.id` is a session of the transport, not of the \
                conversation, so it is not read.",
        reads: READS,
    },
    scopes: &[],
    events: &[],
    code: read_method,
};

const METHOD: &str = "mcp.method.name";
const REQUEST: &str = "jsonrpc.request.id";
/// What mcp-python calls the span around the sending of a request.
const SENDING: &str = "MCP send ";

const READS: &[Read] = &[
    code(METHOD, "tools/call is a tool call (below a tool span: its transport); other methods are transport"),
    code(REQUEST, "joins the client's and the server's span of one call"),
];

fn read_method(draft: &mut Draft<'_>) -> Option<()> {
    let request = draft.get(REQUEST).and_then(crate::conventions::fill::text);
    if let Some(request) = request {
        identity::link(draft, "mcp", &request);
    }
    let name = draft.source.name;
    let method = draft.text(METHOD).or_else(|| name.strip_prefix(SENDING)?.split(' ').next())?;
    if method != "tools/call" || name.starts_with(SENDING) {
        draft.claim(KindRule::Mcp, Work::Kind(Kind::Transport));
        return Some(());
    }
    draft.claim(KindRule::Mcp, Work::Tool);
    if draft.step.facts.tool.is_none() {
        draft.facts().tool = name.strip_prefix("tools/call ").map(str::to_owned);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::trial::{read, span};

    #[test]
    fn three_spans_of_one_call() {
        let list = || {
            vec![
                ("mcp.method.name", "tools/call".into()),
                ("jsonrpc.request.id", "7".into()),
                ("gen_ai.operation.name", "execute_tool".into()),
                ("gen_ai.tool.name", "issue_refund".into()),
                ("mcp.session.id", "s-transport".into()),
            ]
        };
        let facts = read(&span("tools/call issue_refund", list())).facts;
        assert_eq!(
            (facts.kind, facts.tool.as_deref(), facts.session_id),
            (Kind::Act, Some("issue_refund"), None)
        );
        assert_eq!(
            (facts.dialect.as_str(), facts.link_keys.as_slice()),
            ("gen_ai+mcp", &["mcp=7".to_owned()][..])
        );
        let sending = read(&span("MCP send tools/call issue_refund", vec![("jsonrpc.request.id", 7.into())]));
        assert_eq!(sending.facts.kind, Kind::Transport);
        let listing = read(&span("tools/list", vec![("mcp.method.name", "tools/list".into())]));
        assert_eq!(listing.facts.kind, Kind::Transport);
    }
}
