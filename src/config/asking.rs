//! The flags of the commands that ask a running server, each a parameter of the API.
use clap::Args;

use crate::store::queries::{CASES_MAX, FINDINGS_MAX, RUNS_MAX};
use crate::web::{ENTITY_RUNS_MAX, SEARCH_RUNS_MAX};

/// Which server is asked, as whom, and how the answer is printed.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// The pages' address of the running server
    #[arg(
        long,
        alias = "server",
        env = "RECOUNT_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:4319"
    )]
    pub url: String,
    /// The key to ask with, where the server wants one
    #[arg(long, env = "RECOUNT_KEY", value_name = "KEY", hide_env_values = true)]
    pub key: Option<String>,
    /// The project [default: the first that the key may read]
    #[arg(long, env = "RECOUNT_PROJECT", value_name = "NAME")]
    pub project: Option<String>,
}

/// A server, and the form of its answer.
#[derive(Debug, Clone, Args)]
pub struct AskArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print the answer of the API as it is, on one line
    #[arg(long)]
    pub json: bool,
}

/// Which part of a list that gives so many at once at most.
#[derive(Debug, Clone, Args)]
pub struct PartArgs<const MOST: u16> {
    /// How many at once.
    #[arg(long, value_name = "N", help = format!("How many at once, at most {MOST}"))]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST)))]
    pub limit: Option<u16>,
    /// Go on from here: `next` of the answer before
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
}

/// From when until when.
#[derive(Debug, Clone, Default, Args)]
pub struct TimeArgs {
    /// From this time on, RFC 3339
    #[arg(long = "since", alias = "from", value_name = "TIME")]
    pub from: Option<String>,
    /// Until this time, RFC 3339
    #[arg(long = "until", alias = "to", value_name = "TIME")]
    pub to: Option<String>,
}

/// `recount runs`.
#[derive(Debug, Clone, Args)]
pub struct RunsArgs {
    /// Words and conditions as on the page: outcome:unknown retries:>1 lamp
    #[arg(value_name = "FILTER")]
    pub words: Vec<String>,
    /// Of this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// With this model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// About this entity, type:id
    #[arg(long, value_name = "ENTITY")]
    pub entity: Option<String>,
    /// With this outcome: confirmed, failed, unknown, submitted or none
    #[arg(long, value_name = "OUTCOME")]
    pub outcome: Option<String>,
    /// With so many retries, such as '>1'
    #[arg(long, value_name = "N")]
    pub retries: Option<String>,
    /// With this finding
    #[arg(long, value_name = "CODE")]
    pub finding: Option<String>,
    /// Of this session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// When.
    #[command(flatten)]
    pub time: TimeArgs,
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs<{ RUNS_MAX }>,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount run ID`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The run's id; the id of its trace does as well
    #[arg(value_name = "ID")]
    pub run_id: String,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount unknowns`.
#[derive(Debug, Clone, Args)]
pub struct UnknownsArgs {
    /// open, pending, resolved, waiting or all [default: open]
    #[arg(long, value_name = "STATE")]
    pub state: Option<String>,
    /// Of this tool
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Of this person; `none` for nobody's
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// About this account
    #[arg(long, value_name = "ID", conflicts_with = "entity")]
    pub account: Option<String>,
    /// About this entity, type:id
    #[arg(long, value_name = "ENTITY")]
    pub entity: Option<String>,
    /// Under this idempotency key (called so since --key is the API key)
    #[arg(long = "under-key", value_name = "KEY")]
    pub under_key: Option<String>,
    /// Of this run
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Unknown for longer than 90s, 15m, 24h or 7d, or since before a time
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// By urgency, age, value or changed [default: urgency]
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<String>,
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs<{ CASES_MAX }>,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount account ID`.
#[derive(Debug, Clone, Args)]
pub struct AccountArgs {
    /// The account
    #[arg(value_name = "ID")]
    pub id: String,
    /// Another type of entity, such as order
    #[arg(long = "type", value_name = "TYPE", default_value = "account")]
    pub kind: String,
    /// Only what says this in its sentence, target or key
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// When.
    #[command(flatten)]
    pub time: TimeArgs,
    /// Which part of the runs.
    #[command(flatten)]
    pub part: PartArgs<{ ENTITY_RUNS_MAX }>,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount findings`.
#[derive(Debug, Clone, Args)]
pub struct FindingsArgs {
    /// This code
    #[arg(long, value_name = "CODE")]
    pub code: Option<String>,
    /// danger, warn or info
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// Of this agent
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Of this tool
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// When.
    #[command(flatten)]
    pub time: TimeArgs,
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs<{ FINDINGS_MAX }>,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount search`.
#[derive(Debug, Clone, Args)]
pub struct SearchArgs {
    /// Words, 'phrases of several words', ids or their beginnings, and conditions as on the page:
    /// timeout agent:refunds. An argument with a condition, a -word or "quotes" in it is read as the page
    /// reads it: 'lamp retries:>1'
    #[arg(value_name = "WORDS", required = true, allow_hyphen_values = false)]
    pub words: Vec<String>,
    /// Where: messages, tools, arguments, results, errors, names, attributes; several with commas
    #[arg(long = "in", value_name = "PLACES")]
    pub places: Option<String>,
    /// When.
    #[command(flatten)]
    pub time: TimeArgs,
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs<{ SEARCH_RUNS_MAX }>,
    /// Whom to ask.
    #[command(flatten)]
    pub ask: AskArgs,
}

/// `recount mcp`.
#[derive(Debug, Clone, Args)]
pub struct McpArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
}

type Pairs<'a> = Vec<(&'static str, &'a str)>;

fn pairs<'a>(all: &[(&'static str, &'a Option<String>)]) -> Pairs<'a> {
    all.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect()
}

impl RunsArgs {
    /// The parameters but the words and the limit.
    pub fn pairs(&self) -> Pairs<'_> {
        pairs(&[
            ("agent", &self.agent),
            ("model", &self.model),
            ("entity", &self.entity),
            ("outcome", &self.outcome),
            ("retries", &self.retries),
            ("finding", &self.finding),
            ("session", &self.session),
            ("from", &self.time.from),
            ("to", &self.time.to),
            ("cursor", &self.part.cursor),
        ])
    }
}

impl SearchArgs {
    /// The parameters but the words and the limit.
    pub fn pairs(&self) -> Pairs<'_> {
        pairs(&[
            ("in", &self.places),
            ("from", &self.time.from),
            ("to", &self.time.to),
            ("cursor", &self.part.cursor),
        ])
    }
}

impl UnknownsArgs {
    /// The parameters but the limit.
    pub fn pairs(&self) -> Pairs<'_> {
        pairs(&[
            ("state", &self.state),
            ("tool", &self.tool),
            ("owner", &self.owner),
            ("account", &self.account),
            ("entity", &self.entity),
            ("key", &self.under_key),
            ("run", &self.run),
            ("older_than", &self.older_than),
            ("sort", &self.sort),
            ("cursor", &self.part.cursor),
        ])
    }
}

impl AccountArgs {
    /// The parameters but the limit.
    pub fn pairs(&self) -> Pairs<'_> {
        pairs(&[
            ("text", &self.text),
            ("from", &self.time.from),
            ("to", &self.time.to),
            ("cursor", &self.part.cursor),
        ])
    }
}

impl FindingsArgs {
    /// The parameters but the limit.
    pub fn pairs(&self) -> Pairs<'_> {
        pairs(&[
            ("code", &self.code),
            ("severity", &self.severity),
            ("agent", &self.agent),
            ("tool", &self.tool),
            ("from", &self.time.from),
            ("to", &self.time.to),
            ("cursor", &self.part.cursor),
        ])
    }
}
