//! What each tool takes: the words of the API, read strictly, with a description for the model.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::domain::address::segment;

/// How many when nobody says.
const LIMIT: u16 = 20;
/// At most so many.
const LIMIT_MAX: u16 = 50;

/// One parameter of an address.
pub(in crate::mcp) type Pair = (&'static str, String);

/// Arguments as an address of the API.
pub(in crate::mcp) trait Address {
    /// The path, its parts encoded.
    fn path(&self) -> String;

    /// The parameters.
    fn pairs(&self) -> Vec<Pair>;
}

fn pairs(all: &[(&'static str, &Option<String>)]) -> Vec<Pair> {
    all.iter().filter_map(|(name, value)| Some((*name, (*value).clone()?))).collect()
}

fn limited(mut pairs: Vec<Pair>, limit: Option<u16>) -> Vec<Pair> {
    pairs.push(("limit", limit.unwrap_or(LIMIT).min(LIMIT_MAX).to_string()));
    pairs
}

/// Of `find_runs`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::mcp) struct FindRuns {
    /// Words and conditions, all of which must hold: `outcome:unknown`, `retries:>1`, `has:gap`,
    /// `account:2291`, `tool:refund`, `-agent:bot`, `took:>30s`.
    filter: Option<String>,
    /// Name of the agent.
    agent: Option<String>,
    /// An entity the run is about, as `type:id`, such as `account:2291`.
    entity: Option<String>,
    /// confirmed, failed, unknown, submitted or none: the worst open one of the run's acts.
    outcome: Option<String>,
    /// Code of a finding, such as `double-effect`.
    finding: Option<String>,
    /// Started at or after this time, RFC 3339.
    from: Option<String>,
    /// Started before this time, RFC 3339.
    to: Option<String>,
    /// How many, 1 to 50; 20 when left out.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u16>,
    /// `next` of the answer before, to go on.
    cursor: Option<String>,
}

impl Address for FindRuns {
    fn path(&self) -> String {
        "/api/v1/runs".to_owned()
    }

    fn pairs(&self) -> Vec<Pair> {
        let all = pairs(&[
            ("q", &self.filter),
            ("agent", &self.agent),
            ("entity", &self.entity),
            ("outcome", &self.outcome),
            ("finding", &self.finding),
            ("from", &self.from),
            ("to", &self.to),
            ("cursor", &self.cursor),
        ]);
        limited(all, self.limit)
    }
}

/// Of `read_run`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct ReadRun {
    /// The run's id, as `find_runs` gives it; the id of its trace does as well.
    run_id: String,
    /// Number of the first step to show; 1 when left out. An answer that is cut says where to go on.
    #[serde(default)]
    pub(in crate::mcp) from_step: Option<u64>,
}

impl Address for ReadRun {
    fn path(&self) -> String {
        format!("/api/v1/runs/{}", segment(&self.run_id))
    }

    fn pairs(&self) -> Vec<Pair> {
        Vec::new()
    }
}

/// Of `search`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct Search {
    /// What to look for: words that must all stand in one text, "phrases in quotes", ids or their beginnings,
    /// `refun*`, `-without`; and conditions of the run such as `agent:bank`, `outcome:unknown`, `run:ID`.
    words: String,
    /// Where: messages, tools, arguments, results, errors, names, attributes; several with commas.
    /// Everywhere when left out.
    #[serde(default, rename = "in")]
    places: Option<String>,
    /// In runs started at or after this time, RFC 3339.
    #[serde(default)]
    from: Option<String>,
    /// In runs started before this time, RFC 3339.
    #[serde(default)]
    to: Option<String>,
    /// How many runs, 1 to 50; 20 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u16>,
    /// `next` of the answer before, to go on.
    #[serde(default)]
    cursor: Option<String>,
}

impl Address for Search {
    fn path(&self) -> String {
        "/api/v1/search".to_owned()
    }

    fn pairs(&self) -> Vec<Pair> {
        let mut all =
            pairs(&[("in", &self.places), ("from", &self.from), ("to", &self.to), ("cursor", &self.cursor)]);
        all.push(("q", self.words.clone()));
        limited(all, self.limit)
    }
}

/// Of `explain_key`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct ExplainKey {
    /// The idempotency key.
    key: String,
    /// Only what this tool did under it.
    #[serde(default)]
    tool: Option<String>,
}

impl Address for ExplainKey {
    fn path(&self) -> String {
        format!("/api/v1/keys/{}", segment(&self.key))
    }

    fn pairs(&self) -> Vec<Pair> {
        pairs(&[("tool", &self.tool)])
    }
}

/// Of `list_unknowns`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::mcp) struct ListUnknowns {
    /// Only acts on or for this account.
    account: Option<String>,
    /// Only acts on or for this entity, as `type:id`.
    entity: Option<String>,
    /// Only acts of this tool.
    tool: Option<String>,
    /// Only acts unknown for longer than this: 90s, 15m, 24h or 7d.
    older_than: Option<String>,
    /// How many, 1 to 50; 20 when left out.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u16>,
    /// `next` of the answer before, to go on.
    cursor: Option<String>,
}

impl Address for ListUnknowns {
    fn path(&self) -> String {
        "/api/v1/cases".to_owned()
    }

    fn pairs(&self) -> Vec<Pair> {
        let all = pairs(&[
            ("account", &self.account),
            ("entity", &self.entity),
            ("tool", &self.tool),
            ("older_than", &self.older_than),
            ("cursor", &self.cursor),
        ]);
        limited(all, self.limit)
    }
}

/// Of `what_happened_on_account`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct WhatHappened {
    /// The account's id, without a type in front: 2291.
    account: String,
    /// Another type of entity than account, such as order; then `account` is the order's id.
    #[serde(default)]
    entity_type: Option<String>,
    /// From this time on, RFC 3339.
    #[serde(default)]
    from: Option<String>,
    /// Until this time, RFC 3339.
    #[serde(default)]
    to: Option<String>,
    /// How many runs, 1 to 50; 20 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u16>,
    /// `next` of the answer before, to go on.
    #[serde(default)]
    cursor: Option<String>,
}

impl Address for WhatHappened {
    fn path(&self) -> String {
        let kind = self.entity_type.as_deref().unwrap_or("account");
        format!("/api/v1/entities/{}/{}", segment(kind), segment(&self.account))
    }

    fn pairs(&self) -> Vec<Pair> {
        let all = pairs(&[("from", &self.from), ("to", &self.to), ("cursor", &self.cursor)]);
        limited(all, self.limit)
    }
}
