//! Table `entity_runs`: from an entity to the runs that had to do with it.
use crate::domain::about::About;
use crate::domain::ids::Project;
use crate::domain::run::Whole;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// A line on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptEntityRun<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) run_id: &'a str,
    pub(in crate::store) received_ns: u64,
    pub(in crate::store) listed_ns: u64,
    pub(in crate::store) expires: Day,
    pub(in crate::store) precedence: u64,
    pub(in crate::store) about: &'a About,
}

/// A line, read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityRun {
    /// The run.
    pub run_id: String,
    /// Its place in lists, nanoseconds since 1970.
    pub listed_ns: u64,
    /// What it did.
    pub about: About,
}

/// A rule and its hits.
impl Cell for (String, u64) {
    fn sql_type() -> String {
        "Tuple(rule String, hits UInt64)".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.0);
        out.u64(self.1);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok((from.text()?, from.u64()?))
    }
}

pub(in crate::store) type EntityRunColumn =
    Column<for<'a, 'b> fn(&mut Writer, &'b KeptEntityRun<'a>), Read<EntityRun>>;

macro_rules! number {
    ($name:ident) => {
        cell!(stringify!($name), u64, about.tally.$name, |out, kept| out.u64(kept.about.tally.$name))
    };
}

/// What is asked for.
pub(in crate::store) const SHOWN: &[EntityRunColumn] = &[
    cell!("entity", String, about.entity, |out, kept| out.text(&kept.about.entity)),
    cell!("run_id", String, run_id, |out, kept| out.text(kept.run_id)),
    cell!("listed_ns", u64, listed_ns, |out, kept| out.u64(kept.listed_ns)),
    cell!("first_ns", u64, about.first_ns, |out, kept| out.u64(kept.about.first_ns)),
    cell!("last_ns", u64, about.last_ns, |out, kept| out.u64(kept.about.last_ns)),
    number!(confirmed),
    number!(failed),
    number!(unknown),
    number!(submitted),
    number!(held),
    number!(reads),
    number!(lookups),
    number!(waits),
    number!(attempts),
    number!(unsaid),
    cell!("unknown_at_ns", Vec<u64>, about.unknown_at_ns, |out, kept| kept.about.unknown_at_ns.write(out)),
    cell!("redactions", Vec<(String, u64)>, about.redactions, |out, kept| kept.about.redactions.write(out)),
    cell!("complete", Whole, about.complete, |out, kept| kept.about.complete.write(out)),
    cell!("gaps", Vec<String>, about.gaps, |out, kept| kept.about.gaps.write(out)),
    cell!("skew_ms_max", u64, about.skew_ms_max, |out, kept| out.u64(kept.about.skew_ms_max)),
];

/// Where a line is filed.
pub(in crate::store) const FILED: &[EntityRunColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("received_ns", u64, |out, kept| out.u64(kept.received_ns)),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
    filed!("precedence", u64, |out, kept| out.u64(kept.precedence)),
];

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static EntityRunColumn> {
    FILED.iter().chain(SHOWN)
}

/// Appends one row.
pub(in crate::store) fn write_entity_run(out: &mut Writer, kept: &KeptEntityRun<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}
