//! Parts of a step's row that are lists of small things: contents by reference, findings, redactions,
//! links, events.
use crate::domain::content::ContentRef;
use crate::domain::finding::{Code, Finding};
use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::record::{KeptProposal, Redaction};
use crate::domain::step::{Event, Link, Proposal};
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::value::{attributes_type, read_attributes, write_attributes};
use crate::store::rows::writer::Writer;

impl Cell for ContentRef {
    fn sql_type() -> String {
        format!(
            "Tuple(digest {}, kind {}, role String, bytes UInt64, preview String)",
            Digest::sql_type(),
            crate::domain::content::ContentKind::sql_type()
        )
    }
    fn write(&self, out: &mut Writer) {
        self.digest.write(out);
        self.kind.write(out);
        out.text(&self.role);
        out.u64(self.bytes);
        out.text(&self.preview);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            digest: Cell::read(from)?,
            kind: Cell::read(from)?,
            role: from.text()?,
            bytes: from.u64()?,
            preview: from.text()?,
        })
    }
}

/// A list of none or one: a tuple can't be absent.
impl Cell for Option<ContentRef> {
    fn sql_type() -> String {
        Vec::<ContentRef>::sql_type()
    }
    fn write(&self, out: &mut Writer) {
        out.length(usize::from(self.is_some()));
        if let Some(content) = self {
            content.write(out);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Vec::read(from)?.pop())
    }
}

impl Cell for KeptProposal {
    fn sql_type() -> String {
        format!(
            "Tuple(call_id String, tool String, arguments {}, arguments_canonical {}, complete Bool)",
            Option::<ContentRef>::sql_type(),
            Digest::sql_type()
        )
    }
    fn write(&self, out: &mut Writer) {
        self.call.call_id.write(out);
        out.text(&self.call.tool);
        self.call.arguments.write(out);
        self.arguments_canonical.write(out);
        self.call.complete.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (call_id, tool, arguments) = (Cell::read(from)?, from.text()?, Cell::read(from)?);
        let arguments_canonical = Cell::read(from)?;
        let call = Proposal { call_id, tool, arguments, complete: Cell::read(from)? };
        Ok(Self { call, arguments_canonical })
    }
}

impl Cell for Finding {
    fn sql_type() -> String {
        "Tuple(code String, message String)".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(self.code.word());
        out.text(&self.message);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (word, message) = (from.text()?, from.text()?);
        // A finding that later versions no longer make must not keep its record from being read.
        Ok(match Code::from_word(&word) {
            Some(code) => Self { code, message },
            None => Self { code: Code::Unreadable, message: format!("{word}: {message}") },
        })
    }
}

impl Cell for Redaction {
    fn sql_type() -> String {
        "Tuple(path String, rule String, method String, count UInt32, bytes UInt64)".to_owned()
    }
    fn write(&self, out: &mut Writer) {
        out.text(&self.path);
        out.text(&self.rule);
        out.text(&self.method);
        out.u32(self.count);
        out.u64(self.bytes);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            path: from.text()?,
            rule: from.text()?,
            method: from.text()?,
            count: from.u32()?,
            bytes: from.u64()?,
        })
    }
}

pub(in crate::store) fn links_type() -> String {
    format!(
        "Array(Tuple(trace_id {}, span_id {}, attributes {}))",
        TraceId::sql_type(),
        SpanId::sql_type(),
        attributes_type()
    )
}

pub(in crate::store) fn write_links(out: &mut Writer, links: &[Link], digests: &[Digest]) {
    out.length(links.len());
    for link in links {
        link.trace_id.write(out);
        link.span_id.write(out);
        write_attributes(out, &link.attributes, digests);
    }
}

pub(in crate::store) fn read_links(
    from: &mut Reader<'_>,
    digests: &mut Vec<Digest>,
) -> Result<Vec<Link>, ReadError> {
    (0..from.length()?)
        .map(|_| {
            Ok(Link {
                trace_id: Cell::read(from)?,
                span_id: Cell::read(from)?,
                attributes: read_attributes(from, digests)?,
            })
        })
        .collect()
}

pub(in crate::store) fn events_type() -> String {
    format!("Array(Tuple(name String, at_ns UInt64, attributes {}))", attributes_type())
}

pub(in crate::store) fn write_events(out: &mut Writer, events: &[Event], digests: &[Digest]) {
    out.length(events.len());
    for event in events {
        out.text(&event.name);
        out.u64(event.at_ns);
        write_attributes(out, &event.attributes, digests);
    }
}

pub(in crate::store) fn read_events(
    from: &mut Reader<'_>,
    digests: &mut Vec<Digest>,
) -> Result<Vec<Event>, ReadError> {
    (0..from.length()?)
        .map(|_| {
            Ok(Event { name: from.text()?, at_ns: from.u64()?, attributes: read_attributes(from, digests)? })
        })
        .collect()
}
