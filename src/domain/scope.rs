//! What a viewer may see. Every read of the store takes one.
use std::fmt;

use crate::domain::ids::Project;

/// The part of the records that a viewer may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The one project.
    pub project: Project,
    /// Only what is about these entities; empty for the whole project.
    pub entities: Vec<EntityPattern>,
}

impl Scope {
    /// Everything of a project.
    pub fn whole(project: Project) -> Self {
        Self { project, entities: Vec::new() }
    }

    /// Whether only some entities may be seen.
    pub fn is_limited(&self) -> bool {
        !self.entities.is_empty()
    }

    /// Whether this entity, written `type:id`, may be asked about. A type that no pattern names may not.
    pub fn allows(&self, entity: &str) -> bool {
        !self.is_limited() || self.entities.iter().any(|pattern| pattern.matches(entity))
    }

    /// Whether what is about these entities may be seen: it is about one that the viewer may see, and about
    /// none of the same type that the viewer may not. Other types do not matter: who may see an account may
    /// see its orders.
    pub fn allows_all<T: AsRef<str>>(&self, entities: &[T]) -> bool {
        let entities = || entities.iter().map(AsRef::as_ref);
        let named = |entity: &str| self.entities.iter().any(|pattern| pattern.is_of_type_of(entity));
        !self.is_limited()
            || (entities().any(|entity| self.allows(entity))
                && entities().all(|entity| self.allows(entity) || !named(entity)))
    }
}

/// Which entities: one, `account:2291`, or all that begin alike, `account:22*`, `account:*`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityPattern(String);

impl EntityPattern {
    /// Reads `type:id` or `type:beginning*`. The type is lower case, as in records; `*` stands at the end.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.trim().split_once(':')?;
        let is_type = !kind.is_empty() && !kind.contains(|c: char| c == '*' || c.is_whitespace());
        let stars = id.matches('*').count();
        let is_id = !id.is_empty() && (stars == 0 || (stars == 1 && id.ends_with('*')));
        (is_type && is_id).then(|| Self(format!("{}:{id}", kind.to_ascii_lowercase())))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn matches(&self, entity: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some(beginning) => entity.starts_with(beginning),
            None => self.0 == entity,
        }
    }

    fn is_of_type_of(&self, entity: &str) -> bool {
        self.0.split_once(':').map(|(kind, _)| kind) == entity.split_once(':').map(|(kind, _)| kind)
    }
}

impl fmt::Display for EntityPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(patterns: &[&str]) -> Scope {
        let entities = patterns.iter().map(|text| EntityPattern::parse(text).unwrap()).collect();
        Scope { project: Project::default(), entities }
    }

    #[test]
    fn patterns_are_a_type_and_an_id_or_its_beginning() {
        for text in ["account:2291", "Account:22*", "order:*", "account:a:b"] {
            assert!(EntityPattern::parse(text).is_some(), "{text}");
        }
        for text in ["", "*", "account", "account:", ":2291", "acc*:1", "account:*1", "account:**", "a b:1"] {
            assert!(EntityPattern::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_limited_viewer_sees_what_is_about_allowed_entities_only() {
        let scope = limited(&["account:2291", "account:7*"]);
        for (entities, seen) in [
            (&["account:2291"][..], true),
            (&["account:2291", "account:77", "order:1"], true),
            (&["account:2291", "account:3"], false),
            (&["account:22910"], false),
            (&["order:1"], false),
            (&[], false),
        ] {
            assert_eq!(scope.allows_all(entities), seen, "{entities:?}");
        }
        assert!(!scope.allows("order:1") && scope.allows("account:70"));
        let whole = Scope::whole(Project::default());
        assert!(whole.allows("order:1") && whole.allows_all::<&str>(&[]));
    }
}
