//! A step while it is being read: the record it is read from, and what has been said about it so far.
use std::collections::BTreeMap;

use crate::conventions::claim::{KindRule, Work};
use crate::conventions::field::Side;
use crate::conventions::lexicon::{Index, Lexicon};
use crate::domain::content::{Content, ContentKind};
use crate::domain::finding::{Code, Finding};
use crate::domain::kind::{Carrier, Status};
use crate::domain::step::{Dropped, Event, Facts, ScopeInfo, Step};
use crate::domain::value::Value;
use crate::otlp::Cut;

/// The record that a step is read from, span or log, by reference.
#[derive(Debug, Clone, Copy)]
pub(in crate::conventions) struct Source<'a> {
    /// Span or log.
    pub carrier: Carrier,
    /// The span's name; a log record's event name.
    pub name: &'a str,
    /// In order, repeats included.
    pub attributes: &'a [(String, Value)],
    /// Events of a span.
    pub events: &'a [Event],
    /// The body of a log record; empty for spans.
    pub body: &'a Value,
    /// The instrumentation scope.
    pub scope: &'a ScopeInfo,
    /// Attributes of the resource.
    pub resource: &'a [(String, Value)],
    /// Whether the span's kind is CLIENT.
    pub client: bool,
    /// The status.
    pub status: Status,
    /// The status message.
    pub status_message: &'a str,
    /// Whether it has ended.
    pub ended: bool,
    /// Texts that were cut on arrival.
    pub cut: &'a [Cut],
    /// What was left out on arrival.
    pub left_out: Dropped,
}

/// Where a value stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::conventions) enum Place {
    /// The attribute with this index.
    Attribute(usize),
    /// The attribute with the second index of the event with the first.
    Event(usize, usize),
    /// The body of the log record.
    Body,
    /// The attribute of the resource with this index.
    Resource(usize),
}

/// What conventions said about an error; [`errors`](crate::conventions::errors) makes the failure of it.
#[derive(Debug, Default)]
pub(in crate::conventions) struct ErrorHints {
    /// A convention says that it failed.
    pub failed: bool,
    /// The error's type, first said.
    pub kind: Option<String>,
    /// The error's text, first said.
    pub message: Option<String>,
}

/// A step that is being read. Setters keep what was said first: dialects speak in order of precedence.
#[derive(Debug)]
pub(in crate::conventions) struct Draft<'a> {
    /// The record.
    pub source: Source<'a>,
    /// What has been said.
    pub step: Step,
    /// System instructions, tool definitions and messages, gathered apart and joined at the end.
    pub system: Vec<usize>,
    /// As above.
    pub definitions: Vec<usize>,
    /// As above.
    pub input: Vec<usize>,
    /// What was said about an error.
    pub error: ErrorHints,
    /// Values that moved into bodies, and what stays in their place.
    pub moved: BTreeMap<Place, Value>,
    /// A log record that tells of something of its own, not of the span it is on.
    pub apart: bool,
    /// Who says of what kind it is.
    pub claim: Option<(KindRule, Work)>,
    lexicon: &'a Lexicon,
    index: Index,
}

impl<'a> Draft<'a> {
    /// An empty draft of a record.
    pub(in crate::conventions) fn new(source: Source<'a>, lexicon: &'a Lexicon) -> Self {
        Self {
            source,
            step: Step::default(),
            system: Vec::new(),
            definitions: Vec::new(),
            input: Vec::new(),
            error: ErrorHints::default(),
            moved: BTreeMap::new(),
            apart: false,
            claim: None,
            index: lexicon.index(source.attributes),
            lexicon,
        }
    }

    /// What is known without bodies.
    pub(in crate::conventions) fn facts(&mut self) -> &mut Facts {
        &mut self.step.facts
    }

    /// The index of the record's attributes.
    pub(in crate::conventions) fn index(&self) -> &Index {
        &self.index
    }

    /// Where the attribute of a row of a dialect's table is.
    pub(in crate::conventions) fn row(&self, dialect: usize, row: usize) -> Option<Place> {
        self.lexicon.place(&self.index, dialect, row).map(Place::Attribute)
    }

    /// Where an attribute is. The key must stand in a dialect's table.
    pub(in crate::conventions) fn place(&self, key: &str) -> Option<Place> {
        self.lexicon.find(&self.index, key).map(Place::Attribute)
    }

    /// An attribute. The key must stand in a dialect's table.
    pub(in crate::conventions) fn get(&self, key: &str) -> Option<&'a Value> {
        self.value(self.place(key)?)
    }

    /// An attribute that is text and not empty.
    pub(in crate::conventions) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str().filter(|text| !text.is_empty())
    }

    /// The attributes whose key begins with a prefix that a table lists: the rest of the key, and where.
    pub(in crate::conventions) fn with_prefix(&self, prefix: &str) -> Vec<(&'a str, Place)> {
        let rest = |at: usize| {
            let (key, _) = self.source.attributes.get(at)?;
            Some((key.get(prefix.len()..)?, Place::Attribute(at)))
        };
        self.index.with_prefix(prefix).filter_map(rest).collect()
    }

    /// The value at a place.
    pub(in crate::conventions) fn value(&self, place: Place) -> Option<&'a Value> {
        match place {
            Place::Attribute(at) => self.source.attributes.get(at).map(|(_, value)| value),
            Place::Event(event, at) => {
                self.source.events.get(event)?.attributes.get(at).map(|(_, value)| value)
            }
            Place::Body => Some(self.source.body).filter(|body| **body != Value::Empty),
            Place::Resource(at) => self.source.resource.get(at).map(|(_, value)| value),
        }
    }

    /// What a place is called in a finding.
    pub(in crate::conventions) fn called(&self, place: Place) -> String {
        let key = |attributes: &[(String, Value)], at: usize| {
            attributes.get(at).map_or_else(String::new, |(key, _)| key.clone())
        };
        match place {
            Place::Attribute(at) => format!("attribute `{}`", key(self.source.attributes, at)),
            Place::Event(event, at) => {
                let attributes = self.source.events.get(event).map_or(&[][..], |event| &event.attributes);
                format!("event attribute `{}`", key(attributes, at))
            }
            Place::Body => "the body of the log record".to_owned(),
            Place::Resource(at) => format!("resource attribute `{}`", key(self.source.resource, at)),
        }
    }

    /// Whether something has been given for a side.
    pub(in crate::conventions) fn has(&self, side: Side) -> bool {
        match side {
            Side::System => !self.system.is_empty(),
            Side::ToolDefinitions => !self.definitions.is_empty(),
            Side::Input => !self.input.is_empty(),
            Side::Output => !self.step.output.is_empty(),
            Side::Arguments => self.step.arguments.is_some(),
            Side::Result => self.step.result.is_some(),
        }
    }

    /// Puts a body to its side.
    pub(in crate::conventions) fn attach(&mut self, side: Side, body: usize) {
        match side {
            Side::System => self.system.push(body),
            Side::ToolDefinitions => self.definitions.push(body),
            Side::Input => self.input.push(body),
            Side::Output => self.step.output.push(body),
            Side::Arguments => self.step.arguments = self.step.arguments.or(Some(body)),
            Side::Result => self.step.result = self.step.result.or(Some(body)),
        }
    }

    /// Adds a body.
    pub(in crate::conventions) fn body(
        &mut self,
        kind: ContentKind,
        role: &str,
        body: impl Into<String>,
        is_json: bool,
    ) -> usize {
        let content = Content { kind, role: role.to_owned(), is_json, body: body.into(), cut_from: None };
        self.step.add_body(content)
    }

    /// Notes that the value at a place moved, and what stays there. The first move of a place counts.
    pub(in crate::conventions) fn move_out(&mut self, place: Place, rest: Value) {
        self.moved.entry(place).or_insert(rest);
    }

    /// Says of what kind the step is; the highest rule is heard.
    pub(in crate::conventions) fn claim(&mut self, rule: KindRule, work: Work) {
        if self.claim.is_none_or(|(said, _)| rule < said) {
            self.claim = Some((rule, work));
        }
    }

    /// Whether it is claimed to be a tool call so far.
    pub(in crate::conventions) fn is_tool(&self) -> bool {
        matches!(self.claim, Some((_, Work::Tool)))
    }

    /// Whether the record says on which trace it is; log records need not.
    pub(in crate::conventions) fn on_trace(&self) -> bool {
        !self.step.facts.trace_id.is_zero()
    }

    /// Names a dialect that the record speaks.
    pub(in crate::conventions) fn speaks(&mut self, dialect: &str) {
        let spoken = &mut self.step.facts.dialect;
        if !dialect.is_empty() && !spoken.split('+').any(|known| known == dialect) {
            spoken.push_str(if spoken.is_empty() { "" } else { "+" });
            spoken.push_str(dialect);
        }
    }

    /// Notes something odd.
    pub(in crate::conventions) fn finding(&mut self, code: Code, message: impl Into<String>) {
        self.step.facts.findings.push(Finding::new(code, message));
    }
}
