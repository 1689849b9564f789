//! What a dialect must say about itself.
use crate::conventions::draft::Draft;
use crate::conventions::field::Read;

/// A dialect: the table of the keys it reads, and code for what a table can't say.
///
/// The table is read first, row by row; of several rows for one field the first that finds something
/// wins. Then comes the code. Dialects are heard in the order of
/// [`DIALECTS`](crate::conventions::table::DIALECTS); what an earlier one said stays.
#[derive(Debug, Clone, Copy)]
pub(in crate::conventions) struct Dialect {
    /// What is said about it to people.
    pub info: DialectInfo,
    /// Instrumentation scopes that speak it: whole names, or beginnings that end in `*`.
    pub scopes: &'static [&'static str],
    /// Span events and log events that show it: whole names, or beginnings that end in `*`.
    pub events: &'static [&'static str],
    /// What the table can't say. `None` from it means only that nothing more was found.
    pub code: fn(&mut Draft<'_>) -> Option<()>,
}

/// A dialect as the page of conventions shows it.
#[derive(Debug, Clone, Copy)]
pub struct DialectInfo {
    /// The short name, as `facts.dialect` has it; empty for plain OpenTelemetry, which is no dialect.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Which versions and carriers, and what it does not tell: one or two sentences.
    pub about: &'static str,
    /// The keys it reads, in order of precedence.
    pub reads: &'static [Read],
}

impl Dialect {
    /// Whether a scope shows that the dialect is spoken.
    pub(in crate::conventions) fn has_scope(&self, scope: &str) -> bool {
        is_one_of(self.scopes, scope)
    }

    /// Whether an event shows that the dialect is spoken.
    pub(in crate::conventions) fn has_event(&self, event: &str) -> bool {
        is_one_of(self.events, event)
    }
}

fn is_one_of(patterns: &[&str], name: &str) -> bool {
    patterns.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *known,
    })
}
