//! A legal hold: what must stay as it is, whatever rule or request says otherwise.
use crate::domain::ids::Project;
use crate::domain::kind::words;

words! {
    /// What a hold is on.
    HeldKind {
        /// An account, or another entity.
        Entity = "entity",
        /// A run.
        Run = "run",
        /// A whole project.
        Project = "project",
    }
}

/// A hold as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Its id.
    pub id: String,
    /// When it last changed, nanoseconds since 1970.
    pub at_ns: u64,
    /// In which project.
    pub project: Project,
    /// What it is on.
    pub kind: HeldKind,
    /// Every name under which that is kept, the shown one first; none for a project.
    pub names: Vec<String>,
    /// Why it was placed.
    pub reason: String,
    /// When it was placed.
    pub placed_ns: u64,
    /// Who placed it.
    pub placed_by: String,
    /// Why it was lifted; `None` while it is in force.
    pub lifted: Option<String>,
    /// Who changed it last.
    pub changed_by: String,
}

impl Hold {
    /// What it is on, in a few words.
    pub fn about(&self) -> String {
        let name = self.names.first().map(String::as_str).unwrap_or_default();
        match self.kind {
            HeldKind::Entity => name.to_owned(),
            HeldKind::Run => format!("run {name}"),
            HeldKind::Project => format!("the whole project {}", self.project.0),
        }
    }

    /// Whether it still holds.
    pub fn is_in_force(&self) -> bool {
        self.lifted.is_none()
    }
}
