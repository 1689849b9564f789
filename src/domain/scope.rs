//! What a viewer may see. Every read of the store takes one.
use crate::domain::ids::Project;

/// The part of the records that a viewer may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The one project.
    pub project: Project,
}
