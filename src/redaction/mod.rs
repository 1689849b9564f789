//! The one door between what was received and what may be kept.
mod base64;
mod bodies;
mod budget;
#[cfg(test)]
mod canary;
mod card;
mod clean;
mod compile;
mod echo;
mod finder;
mod fold;
mod frames;
mod iban;
mod json;
mod keys;
mod known;
mod listing;
mod mark;
mod pack;
mod pii;
mod place;
mod pseudonym;
mod rulebook;
mod rules;
mod scrub;
mod secrets;
mod selector;
mod settings;
mod source;
mod split;
mod text;
#[cfg(test)]
mod trials;
mod tried;
mod values;
mod version;
mod withhold;

pub use clean::{Clean, Redactor};
pub use listing::{RuleLine, listing};
pub use pseudonym::{opened, pseudonym};
pub use rulebook::{AllSettings, InForce, Refused, Rulebook};
pub use selector::SelectorError;
pub use settings::{Finds, Limits, Method, Mode, PACKS_DEFAULT, RuleError, RuleSpec, Settings, Wrong};
pub use tried::Tried;
