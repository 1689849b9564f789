//! Table `steps`, column by column: the only place that spells its columns.
use crate::domain::content::ContentRef;
use crate::domain::ids::{Digest, Project, RecordId, TraceId};
use crate::domain::record::{KeptProposal, Record, Redaction};
use crate::domain::step::{Event, Facts, Failure, Http, ScopeInfo};
use crate::domain::value::Value;
use crate::evidence::LeafSalt;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::column::{Column, Read, cell, filed, instant, read_row, set};
use crate::store::rows::kept::Kept;
use crate::store::rows::part::{events_type, links_type};
use crate::store::rows::part::{read_events, read_links, write_events, write_links};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::value::{attributes_type, read_attributes, write_attributes};
use crate::store::rows::writer::Writer;

/// A row of `steps`, read back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepRow {
    /// What the fold needs.
    pub record: Record,
    /// Every attribute, in order; frames name [`Self::bodies`].
    pub attributes: Vec<(String, Value)>,
    /// Span events, in order.
    pub events: Vec<Event>,
    /// Attributes of the resource.
    pub resource: Vec<(String, Value)>,
    /// The instrumentation scope.
    pub scope: ScopeInfo,
    /// The bodies that the frames above need, by index.
    pub bodies: Vec<Digest>,
    /// The salt of its leaf in the evidence log.
    pub salt: LeafSalt,
}

/// A column of `steps`.
pub(in crate::store) type StepColumn = Column<for<'a, 'b> fn(&mut Writer, &'b Kept<'a>), Read<StepRow>>;

/// A column that is a field of [`Facts`].
macro_rules! fact {
    ($name:ident) => {
        fact!(stringify!($name), $name)
    };
    ($name:expr, $($field:ident).+) => {
        Column {
            name: $name,
            sql_type: || type_of(|facts: &Facts| &facts.$($field).+),
            write: |out, kept| kept.step.facts.$($field).+.write(out),
            read: |from, row| set(from, &mut row.record.facts.$($field).+),
        }
    };
}

/// What the fold reads: everything but the sender's own spelling.
pub(in crate::store) const FOLDED: &[StepColumn] = &[
    fact!(trace_id),
    fact!(span_id),
    fact!(parent_span_id),
    fact!(carrier),
    cell!("record_id", RecordId, record.record_id, |out, kept| kept.record_id.write(out)),
    cell!("received_ns", u64, record.received_ns, |out, kept| out.u64(kept.received_ns)),
    fact!(started_ns),
    instant!("ended_ns", record.facts.ended_ns, |kept| kept.step.facts.ended_ns),
    // Who and where.
    fact!(run_id),
    fact!(step_id),
    fact!(session_id),
    fact!(user_id),
    fact!(agent),
    fact!(agent_version),
    fact!(worker),
    fact!(epoch),
    fact!(seq),
    fact!(run_step_count),
    fact!(service),
    fact!(environment),
    fact!(dialect),
    // What kind of work, and which attempt at it.
    fact!(kind),
    fact!(kind_source),
    fact!(name),
    fact!(attempt),
    fact!(tries),
    fact!(link_keys),
    fact!(errors_shown),
    // The model.
    fact!(model),
    fact!(model_requested),
    fact!(provider),
    Column {
        name: "parameters",
        sql_type: attributes_type,
        write: |out, kept| write_attributes(out, &kept.step.facts.parameters, kept.bodies),
        read: |from, row| {
            row.record.facts.parameters = read_attributes(from, &mut row.bodies)?;
            Ok(())
        },
    },
    fact!(finish_reasons),
    fact!("tokens_input", tokens.input),
    fact!("tokens_output", tokens.output),
    fact!("tokens_cache_read", tokens.cache_read),
    fact!("tokens_cache_write", tokens.cache_write),
    fact!("tokens_reasoning", tokens.reasoning),
    fact!("tokens_cache_apart", tokens.cache_apart),
    fact!(cost_usd),
    // The act.
    fact!(tool),
    fact!(tool_call_id),
    fact!(target),
    fact!(key),
    instant!("key_expires_ns", record.facts.key_expires_ns, |kept| kept.step.facts.key_expires_ns),
    fact!(gate),
    fact!(outcome),
    fact!(evidence),
    fact!(read_back_required),
    fact!(value),
    fact!(downstream_id),
    fact!(verifies),
    fact!(compensates),
    fact!(approver),
    fact!(policy_version),
    fact!(context_ref),
    fact!(entities),
    // How it ended.
    fact!(status),
    fact!(status_message),
    Column {
        name: "error",
        sql_type: || "Array(Tuple(kind String, message String))".to_owned(),
        write: |out, kept| write_failure(out, kept.step.facts.error.as_ref()),
        read: |from, row| {
            row.record.facts.error = read_failure(from)?;
            Ok(())
        },
    },
    Column {
        name: "http",
        sql_type: || {
            "Array(Tuple(method String, status_code UInt16, resend_count Nullable(UInt32), \
             retry_after String))"
                .to_owned()
        },
        write: |out, kept| write_http(out, kept.step.facts.http.as_ref()),
        read: |from, row| {
            row.record.facts.http = read_http(from)?;
            Ok(())
        },
    },
    Column {
        name: "links",
        sql_type: links_type,
        write: |out, kept| write_links(out, &kept.step.facts.links, kept.bodies),
        read: |from, row| {
            row.record.facts.links = read_links(from, &mut row.bodies)?;
            Ok(())
        },
    },
    fact!(findings),
    fact!("dropped_attributes", dropped.attributes),
    fact!("dropped_events", dropped.events),
    fact!("dropped_links", dropped.links),
    // What it saw and said, by reference.
    cell!("context", Vec<Digest>, record.context, |out, kept| {
        let digests = kept.step.context.iter().filter_map(|body| kept.bodies.get(*body));
        out.length(digests.clone().count());
        digests.for_each(|digest| digest.write(out));
    }),
    cell!("output", Vec<ContentRef>, record.output, |out, kept| {
        let output: Vec<_> = kept.step.output.iter().filter_map(|body| kept.content(*body)).collect();
        output.write(out);
    }),
    cell!("arguments", Option<ContentRef>, record.arguments, |out, kept| {
        kept.step.arguments.and_then(|body| kept.content(body)).write(out);
    }),
    cell!("arguments_canonical", Option<Digest>, record.arguments_canonical, |out, kept| {
        kept.arguments_canonical.write(out);
    }),
    cell!("result", Option<ContentRef>, record.result, |out, kept| {
        kept.step.result.and_then(|body| kept.content(body)).write(out);
    }),
    cell!("proposed", Vec<KeptProposal>, record.proposed, |out, kept| kept.proposed().write(out)),
    // What redaction did.
    cell!("redactions", Vec<Redaction>, record.redactions, |out, kept| {
        out.length(kept.redactions.len());
        kept.redactions.iter().for_each(|redaction| redaction.write(out));
    }),
    cell!("rules_version", String, record.rules_version, |out, kept| out.text(kept.rules_version)),
];

/// The rest of a row, read for one span only.
pub(in crate::store) const SPELT: &[StepColumn] = &[
    Column {
        name: "attributes",
        sql_type: attributes_type,
        write: |out, kept| write_attributes(out, &kept.step.attributes, kept.bodies),
        read: |from, row| {
            row.attributes = read_attributes(from, &mut row.bodies)?;
            Ok(())
        },
    },
    Column {
        name: "events",
        sql_type: events_type,
        write: |out, kept| write_events(out, &kept.step.events, kept.bodies),
        read: |from, row| {
            row.events = read_events(from, &mut row.bodies)?;
            Ok(())
        },
    },
    Column {
        name: "resource",
        sql_type: attributes_type,
        write: |out, kept| write_attributes(out, &kept.step.resource, kept.bodies),
        read: |from, row| {
            row.resource = read_attributes(from, &mut row.bodies)?;
            Ok(())
        },
    },
    cell!("scope_name", String, scope.name, |out, kept| out.text(&kept.step.scope.name)),
    cell!("scope_version", String, scope.version, |out, kept| out.text(&kept.step.scope.version)),
    Column {
        name: "scope_attributes",
        sql_type: attributes_type,
        write: |out, kept| write_attributes(out, &kept.step.scope.attributes, kept.bodies),
        read: |from, row| {
            row.scope.attributes = read_attributes(from, &mut row.bodies)?;
            Ok(())
        },
    },
    Column {
        name: "leaf_salt",
        sql_type: Digest::sql_type,
        write: |out, kept| out.raw(&kept.salt),
        read: |from, row| {
            row.salt = from.fixed()?;
            Ok(())
        },
    },
];

/// What a row has that its reader already knows or never needs.
pub(in crate::store) const FILED: &[StepColumn] = &[
    filed!("project", Project, |out, kept| kept.project.write(out)),
    filed!("expires", Day, |out, kept| kept.expires.write(out)),
];

/// Every column, in the order of a row on its way in.
pub(in crate::store) fn all() -> impl Iterator<Item = &'static StepColumn> {
    FILED.iter().chain(FOLDED).chain(SPELT)
}

/// Reads the project and the trace in front of a row.
pub(in crate::store) fn filed_under(from: &mut Reader<'_>) -> Result<(Project, TraceId), ReadError> {
    let project = Cell::read(from)?;
    Day::read(from)?;
    Ok((project, Cell::read(from)?))
}

/// Reads which record a row is.
pub(in crate::store) fn record_of_step(row: &[u8]) -> Result<RecordId, ReadError> {
    let mut from = Reader::new(row);
    filed_under(&mut from)?;
    // The span, its parent, the carrier.
    from.raw(8 + 8 + 1)?;
    RecordId::read(&mut from)
}

/// Appends one row.
pub(in crate::store) fn write_step(out: &mut Writer, kept: &Kept<'_>) {
    all().for_each(|column| (column.write)(out, kept));
}

/// Reads a row of [`FOLDED`] and [`SPELT`].
pub(in crate::store) fn read_step(from: &mut Reader<'_>) -> Result<StepRow, ReadError> {
    let mut row = StepRow::default();
    read_row(FOLDED, from, &mut row)?;
    read_row(SPELT, from, &mut row)?;
    Ok(row)
}

fn type_of<S, T: Cell>(_: fn(&S) -> &T) -> String {
    T::sql_type()
}

fn write_failure(out: &mut Writer, error: Option<&Failure>) {
    out.length(usize::from(error.is_some()));
    if let Some(Failure { kind, message }) = error {
        out.text(kind);
        out.text(message);
    }
}

fn read_failure(from: &mut Reader<'_>) -> Result<Option<Failure>, ReadError> {
    let some = from.length()? != 0;
    some.then(|| Ok(Failure { kind: from.text()?, message: from.text()? })).transpose()
}

fn write_http(out: &mut Writer, http: Option<&Http>) {
    out.length(usize::from(http.is_some()));
    if let Some(http) = http {
        http.method.write(out);
        out.u16(http.status_code.unwrap_or_default());
        http.resend_count.write(out);
        http.retry_after.write(out);
    }
}

fn read_http(from: &mut Reader<'_>) -> Result<Option<Http>, ReadError> {
    let some = from.length()? != 0;
    some.then(|| {
        Ok(Http {
            method: Cell::read(from)?,
            status_code: Some(from.u16()?).filter(|code| *code != 0),
            resend_count: Cell::read(from)?,
            retry_after: Cell::read(from)?,
        })
    })
    .transpose()
}

#[cfg(test)]
mod tests;
