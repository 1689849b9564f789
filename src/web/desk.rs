//! What pages need of redaction: the rules in force, how to read rules that somebody types, and how to find
//! what became a pseudonym.
use std::fmt;
use std::sync::Arc;

use crate::domain::entity::Entity;
use crate::domain::ids::Project;
use crate::domain::secret::SecretKey;
use crate::domain::step::Step;
use crate::redaction::{InForce, Settings, pseudonym};
use crate::store::{Choice, RunField, RunFilter};

/// Reads typed rules over those in force; the error names the rule and its place.
pub type ReadRules = fn(&str, &Settings) -> Result<Settings, String>;

/// Gives the pseudonym keys of a project, latest first.
pub type PseudonymKeys = Arc<dyn Fn(&Project) -> Vec<SecretKey> + Send + Sync>;

/// What pages need of redaction. Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    /// The rules in force.
    pub rules: Arc<InForce>,
    /// Reads rules that somebody types.
    pub read: ReadRules,
    /// The pseudonym keys of a project, latest first.
    pub keys: PseudonymKeys,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Desk {
    /// The filter, with every identifying value that is asked for also looked for as the pseudonym it may
    /// have become, under every key that there ever was.
    pub(in crate::web) fn widened(&self, project: &Project, mut filter: RunFilter) -> RunFilter {
        for (field, choice) in &mut filter.fields {
            match field {
                RunField::Run | RunField::Session | RunField::User | RunField::Key | RunField::Entity => {
                    self.widen(project, *field, choice);
                }
                RunField::Agent
                | RunField::Service
                | RunField::Environment
                | RunField::State
                | RunField::Complete
                | RunField::Outcome
                | RunField::Has
                | RunField::Model
                | RunField::Tool
                | RunField::Finding => {}
            }
        }
        filter
    }

    fn widen(&self, project: &Project, field: RunField, choice: &mut Choice) {
        for values in [&mut choice.any_of, &mut choice.none_of] {
            let typed = std::mem::take(values);
            for value in typed {
                values.extend(self.spellings(project, field == RunField::Entity, &value));
                values.push(value);
            }
        }
    }

    /// What an identifying value may have become. Of an entity, written `type:id`, the id alone is hidden.
    pub(in crate::web) fn spellings(&self, project: &Project, typed: bool, value: &str) -> Vec<String> {
        let keys = (self.keys)(project);
        let book = self.rules.book();
        let rules = book.of(project);
        match value.split_once(':').filter(|_| typed) {
            Some((kind, id)) => {
                rules.pseudonyms(&keys, id).into_iter().map(|id| format!("{kind}:{id}")).collect()
            }
            None => rules.pseudonyms(&keys, value),
        }
    }

    /// A typed value, and all that it may have become.
    pub(in crate::web) fn all(&self, project: &Project, value: &str) -> Vec<String> {
        let mut all = self.spellings(project, false, value);
        all.push(value.to_owned());
        all
    }

    /// A text that somebody typed, as the rules leave it.
    pub(in crate::web) fn clean(&self, project: &Project, text: &str) -> String {
        match (self.keys)(project).first() {
            Some(key) => self.rules.book().of(project).clean_text(text, key).get().clone(),
            // Without a key there is nothing that a rule could leave.
            None => String::new(),
        }
    }

    /// An entity as records show it: where a rule hides its id, hidden.
    pub(in crate::web) fn shown(&self, project: &Project, entity: &Entity) -> Entity {
        let mut step = Step::default();
        step.facts.entities = vec![entity.clone()];
        let keys = (self.keys)(project);
        let Some(key) = keys.first() else { return Entity { id: String::new(), ..entity.clone() } };
        let clean = self.rules.book().of(project).clean(step, key);
        let id = clean.get().facts.entities.first().map(|entity| entity.id.clone()).unwrap_or_default();
        Entity { id, ..entity.clone() }
    }

    /// A run's id as records show it.
    pub(in crate::web) fn shown_run(&self, project: &Project, run_id: &str) -> String {
        let mut step = Step::default();
        step.facts.run_id = Some(run_id.to_owned());
        let keys = (self.keys)(project);
        let Some(key) = keys.first() else { return String::new() };
        let clean = self.rules.book().of(project).clean(step, key);
        clean.get().facts.run_id.clone().unwrap_or_default()
    }

    /// How the pseudonyms of a value end, whichever rule made them: one for every key there ever was.
    pub(in crate::web) fn endings(&self, project: &Project, value: &str) -> Vec<String> {
        (self.keys)(project).iter().map(|key| pseudonym(key, "", value)).collect()
    }
}
