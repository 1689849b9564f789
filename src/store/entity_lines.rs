//! Which runs had to do with an entity: the lines that count, as every question about an entity reads them.
use crate::store::read::Read;
use crate::store::texts::body_says;

const SQL: &str = include_str!("entity_lines.sql");

/// Which lines. The default of all but the names is everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityFilter {
    /// The names of one entity, each `type:id`.
    pub names: Vec<String>,
    /// With a step at this time or later, nanoseconds since 1970.
    pub from_ns: Option<u64>,
    /// With a step before this time.
    pub to_ns: Option<u64>,
    /// Words that must stand in a payload of the run, or among its names and ids; empty for any.
    pub text: String,
}

impl EntityFilter {
    /// The statement with its `$lines`.
    pub(in crate::store) fn sql(sql: &str) -> String {
        sql.replace("$lines", SQL.trim_end()).replace("$said", &body_says("{text:String}"))
    }

    /// Binds what `$lines` names.
    pub(in crate::store) fn bind(&self, read: Read) -> Read {
        read.bind("names", &self.names)
            .bind("from_ns", self.from_ns.unwrap_or_default())
            .bind("to_ns", self.to_ns.unwrap_or_default())
            .bind("text", &self.text)
    }
}
