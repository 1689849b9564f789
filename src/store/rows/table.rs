//! The tables that rows are encoded for, and their column lists.
use crate::store::rows::actions;
use crate::store::rows::activity;
use crate::store::rows::case_events;
use crate::store::rows::cases;
use crate::store::rows::column;
use crate::store::rows::contents;
use crate::store::rows::entity_runs;
use crate::store::rows::leaves;
use crate::store::rows::lifecycle;
use crate::store::rows::rejects;
use crate::store::rows::runs;
use crate::store::rows::steps;
use crate::store::rows::tree;

/// A table that we insert into. Indexes that ClickHouse feeds itself are not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// Bodies. Before the steps that name them.
    Contents,
    /// The evidence log.
    Leaves,
    /// Records.
    Steps,
    /// What was refused.
    Rejects,
    /// What happened to the system.
    Lifecycle,
    /// The signed log: leaves and nodes.
    Tree,
    /// Signed states of the log.
    Checkpoints,
    /// Derived: one line for each entity of a run.
    EntityRuns,
    /// Who looked at what.
    Activity,
    /// Derived: one line a run.
    Runs,
    /// Derived: one line a key.
    Actions,
    /// What people and jobs appended to cases.
    CaseEvents,
    /// Derived: one line a case.
    Cases,
}

impl Table {
    /// Every table, in the order in which they must be filled.
    pub const ALL: [Self; 13] = [
        Self::Contents,
        Self::Leaves,
        Self::Steps,
        Self::Rejects,
        Self::Lifecycle,
        Self::Activity,
        Self::Tree,
        Self::Checkpoints,
        Self::EntityRuns,
        Self::Runs,
        Self::Actions,
        Self::CaseEvents,
        Self::Cases,
    ];

    /// The name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contents => "contents",
            Self::Leaves => "leaves",
            Self::Steps => "steps",
            Self::Rejects => "rejects",
            Self::Lifecycle => "lifecycle",
            Self::Tree => "tree",
            Self::Checkpoints => "checkpoints",
            Self::EntityRuns => "entity_runs",
            Self::Activity => "activity",
            Self::Runs => "runs",
            Self::Actions => "actions",
            Self::CaseEvents => "case_events",
            Self::Cases => "cases",
        }
    }

    /// The table of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// The columns of a row on its way in, in order.
    pub fn columns(self) -> Vec<String> {
        self.shape().into_iter().map(|(name, _)| name).collect()
    }

    /// The columns of a row on its way in, with their types as `DESCRIBE TABLE` tells them, less
    /// `LowCardinality`.
    pub fn shape(self) -> Vec<(String, String)> {
        match self {
            Self::Contents => column::shape(contents::all()),
            Self::Leaves => plain(&leaves::COLUMNS),
            Self::Steps => column::shape(steps::all()),
            Self::Rejects => column::shape(rejects::all()),
            Self::Lifecycle => {
                column::shape(lifecycle::COLUMNS.iter()).into_iter().chain(expires()).collect()
            }
            Self::Tree => plain(&tree::TREE),
            Self::Checkpoints => plain(&tree::CHECKPOINTS),
            Self::EntityRuns => column::shape(entity_runs::all()),
            Self::Activity => column::shape(activity::COLUMNS.iter()).into_iter().chain(expires()).collect(),
            Self::Runs => column::shape(runs::all()),
            Self::Actions => column::shape(actions::all()),
            Self::CaseEvents => column::shape(case_events::all()),
            Self::Cases => column::shape(cases::all()),
        }
    }
}

fn expires() -> [(String, String); 1] {
    [("expires".to_owned(), "Date".to_owned())]
}

fn plain(columns: &[(&str, &str)]) -> Vec<(String, String)> {
    columns.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect()
}
