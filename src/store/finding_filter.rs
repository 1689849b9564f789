//! Which findings a list or a count is about. All conditions stand in the SQL and are switched by parameters.
use crate::domain::finding::Code;
use crate::store::read::Read;

const SQL: &str = include_str!("finding_filter.sql");
/// How far ahead of the server a client's clock may be before its start no longer counts (see migration of
/// `runs`).
const AHEAD_NS: u64 = 3_600_000_000_000;

/// Which findings. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingFilter {
    /// One of these codes; any when empty.
    pub codes: Vec<Code>,
    /// Of this run.
    pub run_id: Option<String>,
    /// Of this agent's runs.
    pub agent: Option<String>,
    /// Shown by a step of this tool.
    pub tool: Option<String>,
    /// Of runs that started at this time or later, nanoseconds since 1970.
    pub from_ns: Option<u64>,
    /// Of runs that started before this time.
    pub to_ns: Option<u64>,
}

impl FindingFilter {
    /// The statement with its `$filter`.
    pub(in crate::store) fn sql(sql: &str) -> String {
        sql.replace("$filter", SQL.trim_end())
    }

    /// Binds what [`Self::sql`] names.
    pub(in crate::store) fn bind(&self, read: Read, now_ns: u64) -> Read {
        let from_ns = self.from_ns.unwrap_or_default();
        let codes: Vec<&str> = self.codes.iter().map(|code| code.word()).collect();
        read.bind("now_ns", now_ns)
            .bind("from_ns", from_ns)
            .bind("received_from_ns", from_ns.saturating_sub(AHEAD_NS))
            .bind("to_ns", self.to_ns.unwrap_or_default())
            .bind("run", self.run_id.as_deref().unwrap_or_default())
            .bind("agent", self.agent.as_deref().unwrap_or_default())
            .bind("codes", codes)
            .bind("tool", self.tool.as_deref().unwrap_or_default())
    }
}
