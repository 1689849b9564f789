//! The one door between what was received and what may be kept.
mod budget;
#[cfg(test)]
mod canary;
mod card;
mod clean;
mod echo;
mod finder;
mod fold;
mod frames;
mod json;
mod keys;
mod mark;
mod pack;
mod place;
mod pseudonym;
mod rules;
mod scrub;
mod settings;
mod text;
mod values;
mod withhold;

pub use clean::{Clean, Redactor};
pub use pseudonym::pseudonym;
pub use settings::{Limits, PatternRule, RuleError, Settings};
