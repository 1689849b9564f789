//! The columns of the list of runs: which there are, which are shown, and what stands in each.
use crate::domain::cost::Cost;
use crate::domain::run::{RunState, Whole};
use crate::domain::summary::RunSummary;
use crate::web::badge::{Badge, Signal};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::{Links, encoded};
use crate::web::list::address::Address;
use crate::web::list::words::{effects, signals, took};
use crate::web::params::Params;
use crate::web::query::{Field, Query};
use crate::web::text::{Text, shortened};
use crate::web::zone::{When, Zone};

macro_rules! columns {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $name:literal, $class:literal;)+) => {
        /// A column beside the run's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::web) enum Column { $($(#[$doc])* $variant),+ }

        impl Column {
            /// Every column, in the order shown.
            pub(in crate::web) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its word in the address.
            pub(in crate::web) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Its heading.
            pub(in crate::web) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The class of its cells; those of numbers begin with `num`.
            pub(in crate::web) fn class(self) -> &'static str {
                match self { $(Self::$variant => $class),+ }
            }
        }
    };
}

columns! {
    /// What became of its acts.
    Effects = "effects", "Effects", "run-effects";
    /// What asks for a look.
    Signals = "signals", "Signals", "run-signals";
    /// The account it is about.
    Account = "account", "Account", "run-account";
    /// The agent and its model.
    Agent = "agent", "Agent and model", "run-agent";
    /// The tools that were called.
    Tools = "tools", "Tools", "run-more";
    /// The conversation.
    Session = "session", "Session", "run-more";
    /// The end user.
    User = "user", "User", "run-more";
    /// The sending service.
    Service = "service", "Service", "run-more";
    /// The deployment environment.
    Environment = "env", "Environment", "run-more";
    /// Running, ended or lost.
    State = "state", "State", "run-more";
    /// Whether the record is whole.
    Record = "record", "Record", "run-more";
    /// Steps.
    Steps = "steps", "Steps", "num run-more";
    /// Attempts.
    Attempts = "attempts", "Attempts", "num run-more";
    /// Acts.
    Acts = "acts", "Acts", "num run-more";
    /// Attempts that ended in an error.
    Errors = "errors", "Errors", "num run-more";
    /// How long it took.
    Took = "took", "Took", "num run-took";
    /// Tokens in and out.
    Tokens = "tokens", "Tokens", "num run-tokens";
    /// What it cost.
    Cost = "cost", "Cost", "num run-cost";
    /// When its first record arrived.
    Received = "received", "Received", "num run-more";
    /// When it began.
    Started = "started", "Started", "num run-started";
}

/// Shown unless others are asked for.
const DEFAULT: [Column; 8] = [
    Column::Effects,
    Column::Signals,
    Column::Account,
    Column::Agent,
    Column::Took,
    Column::Tokens,
    Column::Cost,
    Column::Started,
];

/// The columns that are shown, in the order of [`Column::ALL`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Columns(Vec<Column>);

impl Default for Columns {
    fn default() -> Self {
        Self(DEFAULT.to_vec())
    }
}

impl Columns {
    /// The columns of the parameter `cols`: words with commas between, or the parameter repeated, as a form
    /// of boxes sends it.
    ///
    /// # Errors
    /// Names the parameter and the words it takes when one is none of them.
    pub(in crate::web) fn read(params: &Params) -> Result<Self, WebError> {
        let values =
            params.pairs().filter(|(name, _)| *name == "cols").flat_map(|(_, value)| value.split(','));
        let words: Vec<&str> = values.map(str::trim).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Ok(Self::default());
        }
        if words.iter().any(|word| Column::ALL.iter().all(|column| column.word() != *word)) {
            let all: Vec<&str> = Column::ALL.iter().map(|column| column.word()).collect();
            return Err(WebError::Invalid(format!(
                "`cols` takes columns with commas between: {}",
                all.join(", ")
            )));
        }
        Ok(Self(Column::ALL.iter().copied().filter(|column| words.contains(&column.word())).collect()))
    }

    /// The value of the parameter; `None` for those shown anyway.
    pub(in crate::web) fn word(&self) -> Option<String> {
        if self.0 == DEFAULT {
            return None;
        }
        Some(self.0.iter().map(|column| column.word()).collect::<Vec<_>>().join(","))
    }

    /// The columns.
    pub(in crate::web) fn iter(&self) -> impl Iterator<Item = Column> {
        self.0.iter().copied()
    }

    /// Whether a column is shown.
    pub(in crate::web) fn has(&self, column: Column) -> bool {
        self.0.contains(&column)
    }

    /// How many there are, the run's name included.
    pub(in crate::web) fn width(&self) -> usize {
        self.0.len() + 1
    }
}

/// Where lines are drawn: the list they stand in, and when.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct At<'a> {
    /// Writes addresses.
    pub(in crate::web) links: &'a Links,
    /// Writes addresses of this list.
    pub(in crate::web) address: &'a Address,
    /// Its filter.
    pub(in crate::web) query: &'a Query,
    /// Its columns.
    pub(in crate::web) columns: &'a Columns,
    /// Its time zone.
    pub(in crate::web) zone: &'a Zone,
    /// Now, nanoseconds since 1970.
    pub(in crate::web) now_ns: u64,
}

impl At<'_> {
    /// The list with one value of a field, and no other condition.
    pub(in crate::web) fn by(&self, field: Field, value: &str) -> String {
        self.address.with(&Query::default().with_only(field, Some(value)))
    }

    /// A run's page, which knows from which list one came.
    pub(in crate::web) fn run(&self, run_id: &str) -> String {
        let list = self.address.question(self.query);
        let run = self.links.run(run_id);
        if list.is_empty() { run } else { format!("{run}?list={}", encoded(&list)) }
    }
}

/// What stands in a cell.
#[derive(Debug)]
pub(in crate::web) struct Cell {
    pub(in crate::web) class: &'static str,
    pub(in crate::web) name: &'static str,
    pub(in crate::web) shown: Shown,
}

/// Its content.
#[derive(Debug)]
pub(in crate::web) enum Shown {
    Badge(Badge),
    Signals(Vec<Signal>),
    /// Text, and the runs it leads to.
    Link(Text, String),
    /// Agent, version, models.
    Agent(Text, Text, Text),
    Text(Text),
    Said(String),
    When(When),
    Nothing,
}

impl Column {
    /// The cell of a run.
    pub(in crate::web) fn cell(self, run: &RunSummary, cost: Option<Cost>, at: &At<'_>) -> Cell {
        Cell { class: self.class(), name: self.name(), shown: self.shown(run, cost, at) }
    }

    fn shown(self, run: &RunSummary, cost: Option<Cost>, at: &At<'_>) -> Shown {
        let number = |number: u32| Shown::Said(format::count(number));
        let by = |field, value: Option<&str>| match value {
            Some(value) => Shown::Link(Text::new(shortened(value, 40)), at.by(field, value)),
            None => Shown::Nothing,
        };
        match self {
            Self::Effects => Shown::Badge(effects(run)),
            Self::Signals => Shown::Signals(signals(run)),
            Self::Account => {
                by(Field::Account, run.entities.iter().find_map(|entity| entity.strip_prefix("account:")))
            }
            Self::Agent => agent(run),
            Self::Tools => Shown::Text(Text::new(shortened(&run.tools.join(", "), 60))),
            Self::Session => by(Field::Session, run.session_id.as_deref()),
            Self::User => by(Field::User, run.user_id.as_deref()),
            Self::Service => by(Field::Service, run.service.as_deref()),
            Self::Environment => by(Field::Environment, run.environment.as_deref()),
            Self::State => Shown::Said(
                match run.state {
                    RunState::Running => "running",
                    RunState::Ended => "ended",
                    RunState::Lost => "lost",
                }
                .to_owned(),
            ),
            Self::Record => Shown::Said(
                match run.complete {
                    Whole::Yes => "complete",
                    Whole::No => "has gaps",
                    Whole::NotProvable => "no gap seen",
                }
                .to_owned(),
            ),
            Self::Steps => number(run.step_count),
            Self::Attempts => number(run.attempt_count),
            Self::Acts => number(run.act_count),
            Self::Errors => number(run.error_count),
            Self::Took => Shown::Said(took(run, at.now_ns)),
            Self::Tokens => Shown::Said(match (run.tokens_in, run.tokens_out) {
                (None, None) => "–".to_owned(),
                (read, written) => {
                    format::count(read.unwrap_or_default().saturating_add(written.unwrap_or_default()))
                }
            }),
            Self::Cost => Shown::Said(cost.map_or_else(|| "–".to_owned(), |cost| format::dollars(cost.usd))),
            Self::Received => Shown::When(at.zone.when(run.received_ns, at.now_ns)),
            Self::Started => Shown::When(at.zone.when(run.started_ns, at.now_ns)),
        }
    }
}

fn agent(run: &RunSummary) -> Shown {
    let models: Vec<&str> = run.models.iter().map(String::as_str).take(2).collect();
    Shown::Agent(
        Text::new(shortened(run.agent.as_deref().or(run.service.as_deref()).unwrap_or_default(), 40)),
        Text::new(shortened(run.agent_version.as_deref().unwrap_or_default(), 20)),
        Text::new(shortened(&models.join(", "), 60)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Columns, WebError> {
        Columns::read(&Params::read(query))
    }

    #[test]
    fn columns_are_read_as_written_and_as_a_form_sends_them() {
        assert_eq!(read("").unwrap(), Columns::default());
        assert_eq!(read("cols=").unwrap().word(), None);
        let chosen = read("cols=started,session,effects").unwrap();
        assert_eq!(chosen.word().unwrap(), "effects,session,started");
        assert_eq!(read("cols=effects&cols=session&cols=started").unwrap(), chosen);
        assert_eq!(chosen.width(), 4);
        let all: Vec<&str> = DEFAULT.iter().map(|column| column.word()).collect();
        assert_eq!(read(&format!("cols={}", all.join(","))).unwrap().word(), None);
        assert!(read("cols=effects,colour").unwrap_err().to_string().contains("`cols` takes"));
    }
}
