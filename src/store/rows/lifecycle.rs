//! Table `lifecycle`: what happened to the system itself.
use crate::domain::lifecycle::{LifecycleEvent, LifecycleKind};
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::writer::Writer;

/// Text, since kinds are added more often than tables should be altered.
impl Cell for LifecycleKind {
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

/// A particular.
impl Cell for (String, String) {
    fn sql_type() -> String {
        "Tuple(name String, value String)".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.0);
        out.text(&self.1);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok((from.text()?, from.text()?))
    }
}

type Write = for<'b> fn(&mut Writer, &'b LifecycleEvent);

macro_rules! column {
    ($name:ident, $type:ty) => {
        cell!(stringify!($name), $type, $name, |out, event| event.$name.write(out))
    };
}

/// Every column but `expires`, which follows them on the way in.
pub(in crate::store) const COLUMNS: &[Column<Write, Read<LifecycleEvent>>] = &[
    column!(at_ns, u64),
    column!(event_id, String),
    column!(kind, LifecycleKind),
    column!(detail, Vec<(String, String)>),
];

/// Appends one row.
pub(in crate::store) fn write_lifecycle(out: &mut Writer, event: &LifecycleEvent, expires: Day) {
    COLUMNS.iter().for_each(|column| (column.write)(out, event));
    expires.write(out);
}

/// Something to read into.
pub(in crate::store) fn blank() -> LifecycleEvent {
    LifecycleEvent { at_ns: 0, event_id: String::new(), kind: LifecycleKind::Started, detail: Vec::new() }
}
