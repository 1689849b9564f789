//! What somebody was given: a role in a project, perhaps for some entities only.
use std::fmt;

use crate::access::role::{Permission, Role};
use crate::domain::ids::Project;
use crate::domain::scope::{EntityPattern, Scope};

/// Stands for every project.
pub const EVERY_PROJECT: &str = "*";

/// A role in a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The project, or [`EVERY_PROJECT`].
    pub project: String,
    /// The role.
    pub role: Role,
    /// Only what is about these entities; empty for everything in the project.
    pub entities: Vec<EntityPattern>,
}

/// Why a grant can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Not a role.
    #[error("`{0}` is no role; there are sender, viewer, operator, auditor and admin")]
    Role(String),
    /// Not the name of a project.
    #[error(
        "`{0}` can't be a project's name: letters, digits, - and _, at most 64 of them; `*` stands for all"
    )]
    Project(String),
    /// Not an entity.
    #[error("`{0}` is no entity: write type:id, such as account:2291, or account:22* for all that begin so")]
    Entity(String),
    /// Limits that mean nothing for the role.
    #[error("the role {0} can't be limited to entities")]
    Limited(Role),
}

impl Grant {
    /// Reads `role`, `role@project` or `role@project:account:2291,account:22*`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, GrantError> {
        let (role, rest) = text.trim().split_once('@').unwrap_or((text.trim(), ""));
        let (project, entities) = rest.split_once(':').unwrap_or((rest, ""));
        let project = if project.is_empty() { Project::default().0 } else { project.to_owned() };
        let entities: Vec<&str> =
            entities.split(',').map(str::trim).filter(|entity| !entity.is_empty()).collect();
        Self::of(role, &project, &entities)
    }

    /// A grant from its parts as they were typed.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn of(role: &str, project: &str, entities: &[&str]) -> Result<Self, GrantError> {
        let role = Role::from_word(role.trim()).ok_or_else(|| GrantError::Role(short(role)))?;
        let project = project.trim();
        if project != EVERY_PROJECT && !is_project_name(project) {
            return Err(GrantError::Project(short(project)));
        }
        let pattern = |text: &&str| EntityPattern::parse(text).ok_or_else(|| GrantError::Entity(short(text)));
        let entities = entities.iter().map(pattern).collect::<Result<Vec<_>, _>>()?;
        if !entities.is_empty() && matches!(role, Role::Sender | Role::Admin) {
            return Err(GrantError::Limited(role));
        }
        Ok(Self { project: project.to_owned(), role, entities })
    }

    /// Whether it is about this project.
    pub fn covers(&self, project: &Project) -> bool {
        self.project == EVERY_PROJECT || self.project == project.0
    }
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.role, self.project)?;
        for (at, entity) in self.entities.iter().enumerate() {
            write!(f, "{}{entity}", if at == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// Whether a text can be a project's name.
pub fn is_project_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= 64 && text.chars().all(plain)
}

/// Whether these grants allow something in a project.
pub fn allow(grants: &[Grant], project: &Project, permission: Permission) -> bool {
    grants.iter().any(|grant| grant.covers(project) && grant.role.allows(permission))
}

/// What these grants let somebody see in a project. The widest counts: who was given the whole project by one
/// grant and some of it by another sees the whole.
pub fn scope(grants: &[Grant], project: &Project, permission: Permission) -> Option<Scope> {
    let mut fitting =
        grants.iter().filter(|grant| grant.covers(project) && grant.role.allows(permission)).peekable();
    fitting.peek()?;
    let mut entities = Vec::new();
    for grant in fitting {
        if grant.entities.is_empty() {
            return Some(Scope::whole(project.clone()));
        }
        entities.extend(grant.entities.iter().cloned());
    }
    entities.sort_unstable();
    entities.dedup();
    Some(Scope { project: project.clone(), entities })
}

fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_read_and_written_alike() {
        for text in ["viewer@default", "admin@*", "auditor@shop", "viewer@shop:account:2291,order:48*"] {
            assert_eq!(Grant::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Grant::parse("operator").unwrap().to_string(), "operator@default");
        for (text, wrong) in [
            ("boss", "no role"),
            ("viewer@a b", "project's name"),
            ("viewer@shop:2291", "no entity"),
            ("admin@shop:account:1", "can't be limited"),
            ("sender@shop:account:1", "can't be limited"),
        ] {
            assert!(Grant::parse(text).unwrap_err().to_string().contains(wrong), "{text}");
        }
    }

    #[test]
    fn the_widest_grant_counts_in_its_project_only() {
        let grants: Vec<Grant> = ["viewer@a:account:1", "viewer@b", "admin@*", "auditor@b:account:2"]
            .iter()
            .map(|text| Grant::parse(text).unwrap())
            .collect();
        let project = |name: &str| Project(name.to_owned());
        let seen = |name: &str| scope(&grants, &project(name), Permission::SeeRecords);
        assert_eq!(seen("a").unwrap().entities.len(), 1);
        assert!(!seen("b").unwrap().is_limited());
        assert_eq!(seen("c"), None);
        assert!(allow(&grants, &project("c"), Permission::ManageAccess));
        assert!(scope(&grants, &project("b"), Permission::SeeActivity).unwrap().is_limited());
        assert!(!allow(&grants, &project("a"), Permission::SeeActivity));
    }
}
