//! The rules of every project, and which of them are in force now.
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::domain::ids::Project;
use crate::redaction::clean::Redactor;
use crate::redaction::settings::{RuleError, Settings};

/// The settings of all projects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllSettings {
    /// For every project that has none of its own.
    pub general: Settings,
    /// Of single projects; each has the general rules among its own.
    pub projects: BTreeMap<Project, Settings>,
}

impl From<Settings> for AllSettings {
    fn from(general: Settings) -> Self {
        Self { general, projects: BTreeMap::new() }
    }
}

impl AllSettings {
    /// The settings of a project.
    pub fn of(&self, project: &Project) -> &Settings {
        self.projects.get(project).unwrap_or(&self.general)
    }
}

/// The compiled rules of all projects.
#[derive(Debug)]
pub struct Rulebook {
    settings: AllSettings,
    general: Redactor,
    projects: BTreeMap<Project, Redactor>,
}

impl Rulebook {
    /// Compiles all of them.
    ///
    /// # Errors
    /// The first rule that can't be used.
    pub fn new(settings: &AllSettings) -> Result<Self, RuleError> {
        let projects = settings
            .projects
            .iter()
            .map(|(project, settings)| Ok((project.clone(), Redactor::new(settings)?)))
            .collect::<Result<_, _>>()?;
        Ok(Self { settings: settings.clone(), general: Redactor::new(&settings.general)?, projects })
    }

    /// The rules of a project.
    pub fn of(&self, project: &Project) -> &Redactor {
        self.projects.get(project).unwrap_or(&self.general)
    }

    /// What they were made of.
    pub fn settings(&self) -> &AllSettings {
        &self.settings
    }

    /// The version of each set of rules: of the general one under no name.
    pub fn versions(&self) -> Vec<(Option<&Project>, &str)> {
        let projects = self.projects.iter().map(|(project, rules)| (Some(project), rules.rules_version()));
        std::iter::once((None, self.general.rules_version())).chain(projects).collect()
    }
}

/// The rules in force. They are replaced as a whole or not at all.
#[derive(Debug)]
pub struct InForce(RwLock<State>);

#[derive(Debug)]
struct State {
    book: Arc<Rulebook>,
    since_ns: u64,
    refused: Option<Refused>,
}

/// A change of rules that was not made, because the new ones can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// When, nanoseconds since 1970.
    pub at_ns: u64,
    /// Why: names the rule and its place, never what a rule would hit.
    pub why: String,
}

impl InForce {
    /// These rules, from now on.
    pub fn new(book: Rulebook, now_ns: u64) -> Self {
        Self(RwLock::new(State { book: Arc::new(book), since_ns: now_ns, refused: None }))
    }

    /// The rules now. A request works with one answer of this from its begin to its end.
    pub fn book(&self) -> Arc<Rulebook> {
        Arc::clone(&self.state().book)
    }

    /// Since when these rules are in force, and the last change that was refused since.
    pub fn since(&self) -> (u64, Option<Refused>) {
        let state = self.state();
        (state.since_ns, state.refused.clone())
    }

    /// Puts others in force; gives back whether they differ from those before.
    pub fn replace(&self, book: Rulebook, now_ns: u64) -> bool {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let differ = state.book.versions() != book.versions();
        if differ {
            state.book = Arc::new(book);
            state.since_ns = now_ns;
        }
        state.refused = None;
        differ
    }

    /// Says that a change was refused; the rules stay as they are.
    pub fn refuse(&self, at_ns: u64, why: String) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).refused = Some(Refused { at_ns, why });
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        // Rules are replaced whole, so what a panicking thread left is one of the two.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redaction::settings::RuleSpec;

    #[test]
    fn rules_are_replaced_whole_and_a_refusal_changes_nothing() {
        let book = |settings: Settings| Rulebook::new(&settings.into()).unwrap();
        let rules = InForce::new(book(Settings::default()), 1);
        let first = rules.book();
        rules.refuse(2, "rule `x`".to_owned());
        assert!(Arc::ptr_eq(&first, &rules.book()));
        assert_eq!(rules.since(), (1, Some(Refused { at_ns: 2, why: "rule `x`".to_owned() })));
        assert!(!rules.replace(book(Settings::default()), 3));
        assert_eq!(rules.since(), (1, None));
        let own = Settings::with_rules(vec![RuleSpec::pattern("own", "OWN-[0-9]+")]);
        assert!(rules.replace(book(own), 4));
        assert_eq!(rules.since(), (4, None));
    }

    #[test]
    fn a_project_may_have_rules_of_its_own() {
        let shop = Project("shop".to_owned());
        let own = Settings::with_rules(vec![RuleSpec::pattern("own", "OWN-[0-9]+")]);
        let all = AllSettings { projects: BTreeMap::from([(shop.clone(), own)]), ..AllSettings::default() };
        let book = Rulebook::new(&all).unwrap();
        assert_ne!(book.of(&shop).rules_version(), book.of(&Project::default()).rules_version());
        assert_eq!(book.versions().len(), 2);
    }
}
