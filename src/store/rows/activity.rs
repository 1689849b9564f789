//! Table `activity`: who looked at what and who changed what.
use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::ids::Project;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// Text, as kinds of lifecycle.
impl Cell for ActivityKind {
    fn sql_type() -> String {
        String::sql_type()
    }
    fn write(&self, out: &mut Writer) {
        out.text(self.word());
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Self::from_word(&from.text()?).ok_or(ReadError::UNKNOWN)
    }
}

type Write = for<'b> fn(&mut Writer, &'b Activity);

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, $name, |out, activity| activity.$name.write(out))
    };
}

/// Every column but `expires`, which follows them on the way in.
pub(in crate::store) const COLUMNS: &[Column<Write, Read<Activity>>] = &[
    column!(project, Project),
    column!(at_ns, u64),
    column!(id, String),
    column!(who, String),
    column!(address, String),
    column!(kind, ActivityKind),
    column!(what, String),
    column!(query, String),
    column!(run_id, String),
    column!(entities, Vec<String>),
    column!(status, u16),
    column!(rows, Option<u64>),
];

/// Appends one row.
pub(in crate::store) fn write_activity(out: &mut Writer, activity: &Activity, expires: Day) {
    COLUMNS.iter().for_each(|column| (column.write)(out, activity));
    expires.write(out);
}
