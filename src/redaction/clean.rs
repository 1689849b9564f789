//! A value that has passed redaction. Only this file can make one.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::domain::step::Step;
#[cfg(test)]
use crate::redaction::compile::Built;
use crate::redaction::echo::Echoes;
use crate::redaction::finder::Finder;
use crate::redaction::place::Place;
use crate::redaction::pseudonym::pseudonym;
use crate::redaction::rules::Rules;
use crate::redaction::scrub;
use crate::redaction::selector::Spot;
use crate::redaction::settings::{Limits, RuleError, Settings};
use crate::redaction::values::Scrubber;
use crate::redaction::withhold;

/// A value with nothing in it that a rule hits. Only a [`Redactor`] makes one, and only it can be kept.
///
/// ```compile_fail
/// use recount::domain::step::Step;
/// use recount::redaction::Clean;
/// let forged = Clean { value: Step::default(), redactions: vec![], rules_version: "".into() };
/// ```
///
/// ```compile_fail
/// use recount::domain::step::Step;
/// let forged: recount::redaction::Clean<Step> = Step::default().into();
/// ```
#[derive(Debug, Clone)]
pub struct Clean<T> {
    value: T,
    redactions: Vec<Redaction>,
    rules_version: Arc<str>,
}

impl<T> Clean<T> {
    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// What was done to it.
    pub fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// The version of the rules it went through.
    pub fn rules_version(&self) -> &str {
        &self.rules_version
    }
}

/// The rules, ready to use. Made once; shared by all that receive.
#[derive(Debug)]
pub struct Redactor {
    rules: Rules,
    limits: Limits,
}

impl Redactor {
    /// Compiles the built-in rules and the operator's. An error names the rule that can't be used.
    pub fn new(settings: &Settings) -> Result<Self, RuleError> {
        Ok(Self { rules: Rules::new(settings)?, limits: settings.limits.clone() })
    }

    /// With other built-in rules, such as one that fails.
    #[cfg(test)]
    pub(crate) fn over(settings: &Settings, built: &[Built]) -> Result<Self, RuleError> {
        Ok(Self { rules: Rules::over(settings, built)?, limits: settings.limits.clone() })
    }

    /// The version of the rules: stored with every record that went through them.
    pub fn rules_version(&self) -> &str {
        self.rules.version()
    }

    /// Redacts a step: every string and every key of it. Pseudonyms are made with the project's key.
    ///
    /// It never fails and never lets through what it could not look at: if a rule panics or a field costs
    /// more than it may, content is withheld and a finding says so, while identity and outcome stay.
    pub fn clean(&self, mut step: Step, key: &SecretKey) -> Clean<Step> {
        let scrubbed =
            catch_unwind(AssertUnwindSafe(|| scrub::step(&mut step, &self.rules, &self.limits, key)));
        let (value, redactions) = match scrubbed {
            Ok(Ok(redactions)) => (step, redactions),
            Ok(Err(_)) | Err(_) => withhold::step(step, &self.rules, &self.limits, key),
        };
        Clean { value, redactions, rules_version: Arc::clone(self.rules.version()) }
    }

    /// Every pseudonym that an identifying value may have become under these keys, whichever rule hit it.
    pub fn pseudonyms(&self, keys: &[SecretKey], value: &str) -> Vec<String> {
        let rules = self.rules.ids();
        let one = |key| rules.iter().map(move |rule| pseudonym(key, rule, value));
        keys.iter().flat_map(one).collect()
    }

    /// Redacts one text on its own, such as the service of a refused span.
    pub fn clean_text(&self, text: &str, key: &SecretKey) -> Clean<String> {
        self.clean_at(&Place::field("text"), &Place::field("text").spot(false), text, key)
    }

    /// Redacts a text that is a whole record as JSON: its keys are where selectors begin.
    pub(crate) fn clean_record(&self, text: &str, key: &SecretKey) -> Clean<String> {
        let top = Spot { paths: vec![(Vec::new(), false)], event: false };
        self.clean_at(&Place::field("text"), &top, text, key)
    }

    fn clean_at(&self, place: &Place<'_>, spot: &Spot, text: &str, key: &SecretKey) -> Clean<String> {
        let scrubbed = catch_unwind(AssertUnwindSafe(|| {
            let echoes = Echoes::default();
            let finder = Finder { rules: Some(&self.rules), echoes: &echoes, key };
            let mut pass = Scrubber::new(finder, &self.limits);
            let mut text = text.to_owned();
            pass.text_at(place, spot, &mut text);
            (text, pass.redactions().collect())
        }));
        let (value, redactions) = scrubbed.unwrap_or_else(|_| ("[withheld]".to_owned(), Vec::new()));
        Clean { value, redactions, rules_version: Arc::clone(self.rules.version()) }
    }
}
