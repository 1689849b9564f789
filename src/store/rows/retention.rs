//! How long what is received is kept, by class and project. Client times decide nothing.
use std::collections::BTreeMap;

use crate::domain::ids::Project;
use crate::domain::kind::Kind;
use crate::store::settings::ACTIVITY_DAYS;

/// The least that acts may be kept: six months (AI Act, articles 19 and 26).
pub const ACTS_DAYS_MIN: u16 = 183;
/// The most that anything may be kept: the type of the column ends in 2149.
pub const DAYS_MAX: u16 = 36_500;

/// Days from receipt, by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Acts and everything that leads to them. Never below [`ACTS_DAYS_MIN`].
    pub acts_days: u16,
    /// Reads.
    pub reads_days: u16,
    /// Bodies: what models saw and said, arguments and results.
    pub contents_days: u16,
    /// Who did what, refusals, and what happened to the system itself.
    pub activity_days: u16,
}

impl Default for Retention {
    fn default() -> Self {
        Self { acts_days: 183, reads_days: 183, contents_days: 183, activity_days: ACTIVITY_DAYS }
    }
}

impl Retention {
    /// The longest of the records: derived lines and leaves live as long.
    pub fn longest_days(self) -> u16 {
        self.acts_days.max(self.reads_days)
    }

    /// The days of a record of this kind.
    pub(in crate::store) fn days(self, kind: Kind) -> u16 {
        match kind {
            Kind::Read => self.reads_days,
            Kind::Think
            | Kind::Act
            | Kind::Reconcile
            | Kind::Wait
            | Kind::Agent
            | Kind::Transport
            | Kind::Other => self.acts_days,
        }
    }
}

/// The retention of all projects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retentions {
    /// Of every project that has none of its own.
    pub general: Retention,
    /// Of single projects.
    pub projects: BTreeMap<Project, Retention>,
}

impl From<Retention> for Retentions {
    fn from(general: Retention) -> Self {
        Self { general, projects: BTreeMap::new() }
    }
}

impl Retentions {
    /// The retention of a project.
    pub fn of(&self, project: &Project) -> Retention {
        self.projects.get(project).copied().unwrap_or(self.general)
    }

    /// The longest over all projects, for what is kept across them.
    pub fn longest(&self) -> Retention {
        self.projects.values().fold(self.general, |longest, one| Retention {
            acts_days: longest.acts_days.max(one.acts_days),
            reads_days: longest.reads_days.max(one.reads_days),
            contents_days: longest.contents_days.max(one.contents_days),
            activity_days: longest.activity_days.max(one.activity_days),
        })
    }
}
