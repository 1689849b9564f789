//! Dialects of agent telemetry, all read into one [`Step`](crate::domain::step::Step); it cannot fail.
mod answers;
mod assemble;
mod bound;
mod claim;
mod classify;
mod convention;
mod dialects;
mod draft;
mod errors;
mod field;
mod fill;
mod frame;
mod identity;
mod json;
mod lexicon;
mod limits;
mod messages;
mod place;
mod proposals;
mod reader;
mod rebuild;
mod results;
mod retries;
mod rules;
mod table;
#[cfg(test)]
mod trial;

pub use convention::DialectInfo;
pub use field::{Count, Exchange, Field, Read, Side, Text};
pub use reader::{Conventions, LOG_BODY, LOG_EVENT_NAME, LOG_OBSERVED, LOG_SEVERITY, LOG_SPAN};
pub use rebuild::rebuild;
pub use retries::{Retry, retries};
pub use rules::{RuleError, ToolRule, ToolRules};
pub use table::dialects;
