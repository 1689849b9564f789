//! Writing derived lines, and taking back those that are wrong now.
use bytes::Bytes;

use crate::domain::about::{About, at_ns};
use crate::domain::action::Action;
use crate::domain::case::Case;
use crate::domain::ids::Project;
use crate::domain::listing::ListedFinding;
use crate::domain::readiness::ToolMark;
use crate::domain::summary::RunSummary;
use crate::domain::work::Work;
use crate::store::client::Store;
use crate::store::derived::standing::{StandingAction, StandingCase, StandingRun};
use crate::store::error::StoreError;
use crate::store::rows::actions::{self, KeptAction, write_action};
use crate::store::rows::cases::{self, KeptCase, write_case};
use crate::store::rows::cell::Day;
use crate::store::rows::entity_runs::{KeptEntityRun, write_entity_run};
use crate::store::rows::runs::{KeptRun, write_run};
use crate::store::rows::writer::Writer;
use crate::store::rows::{RunRow, Table};

/// The line of a run, to be written or taken back. Of lines of one run the highest precedence wins.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    /// Whose it is.
    pub project: Project,
    /// The line.
    pub summary: RunSummary,
    /// What it did for every entity that it names.
    pub about: Vec<About>,
    /// What was noticed about the run.
    pub findings: Vec<ListedFinding>,
    /// What it shows about its tools.
    pub marks: Vec<ToolMark>,
    /// What it did, added up by tool and model.
    pub work: Vec<Work>,
    /// When the last of its records was received, nanoseconds since 1970: it lives as long as that record.
    pub heard_ns: u64,
    /// Rises with all that is folded.
    pub precedence: u64,
    /// Whether it is taken back.
    pub is_deleted: bool,
}

impl RunLine {
    /// Takes back a line that stands and should not.
    pub fn gone(project: &Project, standing: &StandingRun, precedence: u64) -> Self {
        let mut summary = RunRow::blank().summary;
        (summary.run_id, summary.received_ns) = (standing.run_id.clone(), standing.received_ns);
        let heard_ns = standing.received_ns;
        Self {
            project: project.clone(),
            summary,
            about: Vec::new(),
            findings: Vec::new(),
            marks: Vec::new(),
            work: Vec::new(),
            heard_ns,
            precedence,
            is_deleted: true,
        }
    }
}

/// The line of an action, as [`RunLine`].
#[derive(Debug, Clone, PartialEq)]
pub struct ActionLine {
    /// Whose it is.
    pub project: Project,
    /// The line.
    pub action: Action,
    /// The run, where nobody gave a key.
    pub owner: String,
    /// When the last of its records was received, nanoseconds since 1970.
    pub heard_ns: u64,
    /// Rises with all that is folded.
    pub precedence: u64,
    /// Whether it is taken back.
    pub is_deleted: bool,
}

impl ActionLine {
    /// Takes back a line that stands and should not.
    pub fn gone(project: &Project, standing: &StandingAction, heard_ns: u64, precedence: u64) -> Self {
        let mut action = actions::blank();
        (action.key, action.tool) = (standing.key.clone(), standing.tool.clone());
        let owner = standing.owner.clone();
        Self { project: project.clone(), action, owner, heard_ns, precedence, is_deleted: true }
    }
}

/// The line of a case, as [`RunLine`].
#[derive(Debug, Clone, PartialEq)]
pub struct CaseLine {
    /// Whose it is.
    pub project: Project,
    /// The line.
    pub case: Case,
    /// When the last of its records was received or its last event appended, nanoseconds since 1970.
    pub heard_ns: u64,
    /// Rises with all that is folded.
    pub precedence: u64,
    /// Whether it is taken back.
    pub is_deleted: bool,
}

impl CaseLine {
    /// Takes back a line that stands and should not.
    pub fn gone(project: &Project, standing: &StandingCase, heard_ns: u64, precedence: u64) -> Self {
        let mut case = cases::blank();
        case.case_id.clone_from(&standing.case_id);
        Self { project: project.clone(), case, heard_ns, precedence, is_deleted: true }
    }
}

/// Writes lines of runs, kept for so many days.
///
/// # Errors
/// As for any insert; the token names these lines.
pub async fn write_runs(
    store: &Store,
    lines: &[RunLine],
    kept_days: u16,
    token: &str,
) -> Result<(), StoreError> {
    // Before the runs: a line about an entity counts while that of its run is not younger.
    write(store, Table::EntityRuns, entity_runs(lines, kept_days), &format!("{token} entities")).await?;
    let mut out = Writer::default();
    for line in lines {
        let kept = KeptRun {
            project: &line.project,
            summary: &line.summary,
            expires: Day::after(line.heard_ns, kept_days),
            heard_ns: line.heard_ns,
            precedence: line.precedence,
            is_deleted: line.is_deleted,
            findings: &line.findings,
            marks: &line.marks,
            work: &line.work,
        };
        write_run(&mut out, &kept);
    }
    write(store, Table::Runs, out, token).await
}

fn entity_runs(lines: &[RunLine], kept_days: u16) -> Writer {
    let mut out = Writer::default();
    for line in lines {
        for about in &line.about {
            let kept = KeptEntityRun {
                project: &line.project,
                run_id: &line.summary.run_id,
                received_ns: line.summary.received_ns,
                listed_ns: listed_ns(&line.summary),
                expires: Day::after(line.heard_ns, kept_days),
                precedence: line.precedence,
                about,
            };
            write_entity_run(&mut out, &kept);
        }
    }
    out
}

/// As the table of runs works it out: the start, or the receipt where the client's clock lies.
fn listed_ns(run: &RunSummary) -> u64 {
    at_ns(run.started_ns, run.received_ns)
}

/// Writes lines of actions, kept for so many days.
///
/// # Errors
/// As for any insert; the token names these lines.
pub async fn write_actions(
    store: &Store,
    lines: &[ActionLine],
    kept_days: u16,
    token: &str,
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for line in lines {
        let kept = KeptAction {
            project: &line.project,
            action: &line.action,
            owner: &line.owner,
            expires: Day::after(line.heard_ns, kept_days),
            precedence: line.precedence,
            is_deleted: line.is_deleted,
        };
        write_action(&mut out, &kept);
    }
    write(store, Table::Actions, out, token).await
}

/// Writes lines of cases, kept for so many days.
///
/// # Errors
/// As for any insert; the token names these lines.
pub async fn write_cases(
    store: &Store,
    lines: &[CaseLine],
    kept_days: u16,
    token: &str,
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for line in lines {
        let kept = KeptCase {
            project: &line.project,
            case: &line.case,
            expires: Day::after(line.heard_ns, kept_days),
            precedence: line.precedence,
            is_deleted: line.is_deleted,
        };
        write_case(&mut out, &kept);
    }
    write(store, Table::Cases, out, token).await
}

async fn write(store: &Store, table: Table, out: Writer, token: &str) -> Result<(), StoreError> {
    if out.is_empty() {
        return Ok(());
    }
    store.insert_rows(table.name(), &table.columns(), Bytes::from(out.into_bytes()), token).await
}
