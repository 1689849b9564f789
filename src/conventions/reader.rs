//! Reads a span or a log record into a step: every dialect that is spoken, then rules, kind and errors.
use crate::conventions::answers;
use crate::conventions::bound;
use crate::conventions::classify;
use crate::conventions::convention::Dialect;
use crate::conventions::draft::{Draft, Place, Source};
use crate::conventions::errors;
use crate::conventions::fill;
use crate::conventions::frame;
use crate::conventions::lexicon::Lexicon;
use crate::conventions::limits;
use crate::conventions::place;
use crate::conventions::rules::ToolRules;
use crate::conventions::table::DIALECTS;
use crate::domain::finding::Code;
use crate::domain::kind::{Carrier, Status};
use crate::domain::step::Step;
use crate::domain::value::Value;
use crate::otlp::{WireLog, WireSpan};

/// Under this key a log record's body stands among the step's attributes.
pub const LOG_BODY: &str = "log.record.body";
/// Under this key stands a log record's field `event_name`.
pub const LOG_EVENT_NAME: &str = "log.record.event_name";
/// Under this key stands a log record's OTLP severity number.
pub const LOG_SEVERITY: &str = "log.record.severity_number";
/// Under this key stands when a log record was observed, nanoseconds since 1970.
pub const LOG_OBSERVED: &str = "log.record.observed_time_unix_nano";

/// Under this key stands the span a log record was written on, where it does not stay there.
pub const LOG_SPAN: &str = "log.record.span_id";

/// The conventions with the operator's rules for tools. Cheap to share; reading cannot fail.
#[derive(Debug)]
pub struct Conventions {
    lexicon: Lexicon,
    rules: ToolRules,
}

impl Conventions {
    /// Conventions under these rules.
    pub fn new(rules: ToolRules) -> Self {
        let tables: Vec<_> = DIALECTS.iter().map(|dialect| dialect.info.reads).collect();
        Self { lexicon: Lexicon::new(&tables), rules }
    }

    /// The operator's rules.
    pub fn rules(&self) -> &ToolRules {
        &self.rules
    }

    /// Reads a span. Whatever dialect it speaks, its name, times, errors and attributes are there.
    pub fn step(&self, span: &WireSpan) -> Step {
        let source = Source {
            carrier: Carrier::Span,
            name: &span.name,
            attributes: &span.attributes,
            events: &span.events,
            body: &Value::Empty,
            scope: &span.scope,
            resource: &span.resource,
            client: span.kind == 3,
            status: span.status,
            status_message: &span.status_message,
            ended: span.ended_ns != 0,
            cut: &span.cut,
            left_out: span.left_out,
        };
        let mut draft = Draft::new(source, &self.lexicon);
        let facts = draft.facts();
        facts.trace_id = span.trace_id;
        facts.span_id = span.span_id;
        facts.parent_span_id = span.parent_span_id;
        facts.started_ns = span.started_ns;
        facts.ended_ns = (span.ended_ns != 0).then_some(span.ended_ns);
        facts.links.clone_from(&span.links);
        facts.dropped = span.dropped;
        self.read(&mut draft);
        if span.ended_ns != 0 && span.ended_ns < span.started_ns {
            draft.finding(Code::EndBeforeStart, "the span ends before it starts");
        }
        let dropped = span.dropped;
        if dropped.attributes > 0 || dropped.events > 0 || dropped.links > 0 {
            draft.finding(Code::DroppedByClient, "the SDK dropped something of this span before sending it");
        }
        draft.step
    }

    /// Reads a log record: content and facts for the span it is on, or a step of its own.
    pub fn step_of_log(&self, log: &WireLog) -> Step {
        let source = Source {
            carrier: Carrier::Log,
            name: event_name(log),
            attributes: &log.attributes,
            events: &[],
            body: &log.body,
            scope: &log.scope,
            resource: &log.resource,
            client: false,
            status: Status::Unset,
            status_message: "",
            ended: true,
            cut: &log.cut,
            left_out: log.left_out,
        };
        let mut draft = Draft::new(source, &self.lexicon);
        let facts = draft.facts();
        facts.trace_id = log.trace_id;
        facts.span_id = log.span_id;
        facts.started_ns = if log.at_ns == 0 { log.observed_ns } else { log.at_ns };
        facts.ended_ns = Some(facts.started_ns);
        facts.dropped.attributes = log.dropped_attributes;
        self.read(&mut draft);
        let body = draft.moved.remove(&Place::Body).unwrap_or_else(|| frame::unread(&mut draft, &log.body));
        limits::mark(&mut draft.step, "body", &body, &log.cut);
        let attributes = &mut draft.step.attributes;
        if !log.event_name.is_empty() {
            attributes.push((LOG_EVENT_NAME.to_owned(), Value::String(log.event_name.clone())));
        }
        if log.severity != 0 {
            attributes.push((LOG_SEVERITY.to_owned(), Value::Int(i64::from(log.severity))));
        }
        if let Ok(observed) = i64::try_from(log.observed_ns) {
            attributes.push((LOG_OBSERVED.to_owned(), Value::Int(observed)));
        }
        if body != Value::Empty {
            attributes.push((LOG_BODY.to_owned(), body));
        }
        place::settle(&mut draft);
        if draft.step.facts.span_id != log.span_id && !log.span_id.is_zero() {
            let written_on = Value::String(log.span_id.to_string());
            draft.step.attributes.push((LOG_SPAN.to_owned(), written_on));
        }
        draft.step
    }

    fn read(&self, draft: &mut Draft<'_>) {
        let source = draft.source;
        let facts = draft.facts();
        facts.carrier = source.carrier;
        source.name.clone_into(&mut facts.name);
        facts.status = source.status;
        source.status_message.clone_into(&mut facts.status_message);
        for (number, dialect) in DIALECTS.iter().enumerate() {
            if is_spoken(draft, number, dialect) {
                hear(draft, number, dialect);
            }
        }
        self.hear_resource(draft);
        let facts = &mut draft.step.facts;
        let ruled = self.rules.kind(facts.tool.as_deref());
        if draft.claim.is_some() && facts.tool.is_some() {
            let arguments = draft.step.arguments.and_then(|body| draft.step.bodies.get(body));
            self.rules.apply(facts, arguments.map(|content| content.body.as_str()));
        }
        errors::settle(draft);
        classify::settle(draft, ruled);
        draft.step.context = [&draft.system[..], &draft.definitions, &draft.input].concat();
        answers::note(draft);
        if let Some(at) = draft.index().repeated {
            let called = draft.called(Place::Attribute(at));
            draft.finding(Code::RepeatedKey, format!("{called} comes more than once; the last one counts"));
        }
        bound::ids(draft);
        frame::finish(draft);
        limits::note(draft);
        draft.step.resource = source.resource.to_vec();
        draft.step.scope = source.scope.clone();
    }

    /// A resource may identify all its spans; what a span says itself stays.
    fn hear_resource(&self, draft: &mut Draft<'_>) {
        for (at, (key, _)) in draft.source.resource.iter().enumerate() {
            for row in self.lexicon.rows_of(key).filter(|row| row.field.identifies()) {
                fill::fill(draft, row.field, Place::Resource(at));
            }
        }
    }
}

fn is_spoken(draft: &Draft<'_>, number: usize, dialect: &Dialect) -> bool {
    let source = &draft.source;
    draft.index().spoken >> (number & 63) & 1 == 1
        || dialect.has_scope(&source.scope.name)
        || (!dialect.events.is_empty() && source.events.iter().any(|event| dialect.has_event(&event.name)))
        || (source.carrier == Carrier::Log && dialect.has_event(source.name))
}

fn hear(draft: &mut Draft<'_>, number: usize, dialect: &Dialect) {
    // What is heard always is named only where a sign of it was seen.
    if dialect.scopes != ["*"] || draft.index().spoken >> (number & 63) & 1 == 1 {
        draft.speaks(dialect.info.name);
    }
    for (row, read) in dialect.info.reads.iter().enumerate() {
        if let Some(place) = draft.row(number, row) {
            fill::fill(draft, read.field, place);
        }
    }
    (dialect.code)(draft);
}

fn event_name(log: &WireLog) -> &str {
    if !log.event_name.is_empty() {
        return &log.event_name;
    }
    crate::domain::value::attribute(&log.attributes, "event.name").and_then(Value::as_str).unwrap_or_default()
}
