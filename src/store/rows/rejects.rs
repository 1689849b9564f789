//! Table `rejects`: what was refused and why, without its content.
use crate::domain::ids::Project;
use crate::otlp::Refused;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed};
use crate::store::rows::writer::Writer;

/// A refusal on its way into the store.
#[derive(Debug)]
pub(in crate::store) struct KeptReject<'a> {
    pub(in crate::store) project: &'a Project,
    pub(in crate::store) at_ns: u64,
    /// Its place among the refusals of its request.
    pub(in crate::store) position: u32,
    pub(in crate::store) source: &'a str,
    pub(in crate::store) expires: Day,
    pub(in crate::store) refused: &'a Refused,
}

/// A refusal, read back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reject {
    /// When, nanoseconds since 1970, by the server's clock.
    pub at_ns: u64,
    /// Its place among the refusals of its request.
    pub position: u32,
    /// The door it came to: `grpc`, `http`, `import`.
    pub source: String,
    /// As [`Refused::class`].
    pub class: String,
    /// Why, in a sentence.
    pub reason: String,
    /// How many spans or log records it stands for.
    pub items: u64,
    /// The service, where it could be read.
    pub service: Option<String>,
    /// Length on the wire; 0 when unknown.
    pub bytes: u64,
    /// SHA-256 of the refused bytes, hex; empty when unknown.
    pub sha256: String,
}

macro_rules! column {
    ($name:ident, $type:ty, $write:expr) => {
        cell!(stringify!($name), $type, $name, $write)
    };
}

pub(in crate::store) type RejectColumn =
    Column<for<'a, 'b> fn(&mut Writer, &'b KeptReject<'a>), Read<Reject>>;

/// What a list of refusals shows.
pub(in crate::store) const SHOWN: &[RejectColumn] = &[
    column!(at_ns, u64, |out, kept| out.u64(kept.at_ns)),
    column!(position, u32, |out, kept| out.u32(kept.position)),
    column!(source, String, |out, kept| out.text(kept.source)),
    column!(class, String, |out, kept| out.text(kept.refused.class)),
    column!(reason, String, |out, kept| out.text(&kept.refused.reason)),
    column!(items, u64, |out, kept| out.u64(kept.refused.items)),
    column!(service, Option<String>, |out, kept| kept.refused.service.write(out)),
    column!(bytes, u64, |out, kept| out.u64(kept.refused.bytes)),
    column!(sha256, String, |out, kept| out.text(&kept.refused.sha256)),
];

/// Where a refusal is filed.
pub(in crate::store) const FILED: &[RejectColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
];

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static RejectColumn> {
    FILED.iter().chain(SHOWN)
}

/// Appends one row.
pub(in crate::store) fn write_reject(out: &mut Writer, kept: &KeptReject<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}
