//! The record as kept: ids, every original attribute in order, events, resource, and what redaction did.
use crate::domain::ids::Digest;
use crate::domain::record::Record;
use crate::domain::run::Attempt;
use crate::domain::step::{Event, ScopeInfo};
use crate::domain::value::Value;
use crate::web::format;
use crate::web::json;
use crate::web::link::Links;
use crate::web::run::head::Fact;
use crate::web::run::view::Look;
use crate::web::text::{Text, cut, shortened};
use crate::web::value::compact;

/// A longer value is shown in part.
const VALUE_BYTES_MAX: usize = 4 << 10;
/// All values of one page together.
const PAGE_BYTES_MAX: usize = 256 << 10;

/// What the sender wrote, as kept; loaded only for this pane.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Original {
    /// Every attribute, in order, repeats included.
    pub(in crate::web) attributes: Vec<(String, Value)>,
    /// Span events, in order.
    pub(in crate::web) events: Vec<Event>,
    /// Attributes of the resource.
    pub(in crate::web) resource: Vec<(String, Value)>,
    /// The instrumentation scope.
    pub(in crate::web) scope: ScopeInfo,
    /// The bodies that frames point to.
    pub(in crate::web) bodies: Vec<Digest>,
}

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Raw {
    /// The span as OTLP/JSON.
    pub(in crate::web) otlp: String,
    /// Ids, times and how the record was read.
    pub(in crate::web) facts: Vec<Fact>,
    /// Titled lists of keys and values.
    pub(in crate::web) sections: Vec<Section>,
    /// Bodies that moved out of the values: number and address.
    pub(in crate::web) bodies: Vec<(usize, String)>,
    /// What redaction did.
    pub(in crate::web) redactions: Vec<(Text, Text)>,
    /// Such as "rules version abc"; empty when none.
    pub(in crate::web) rules: Text,
    /// Other versions kept under the same span id.
    pub(in crate::web) versions: Vec<Text>,
    /// Values were left out to keep the page small.
    pub(in crate::web) cut: bool,
    /// The span's own attributes were not found.
    pub(in crate::web) missing: bool,
}

/// A titled list of keys and values.
#[derive(Debug)]
pub(in crate::web) struct Section {
    pub(in crate::web) title: String,
    pub(in crate::web) rows: Vec<(Text, Text, bool)>,
}

impl Raw {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(look: &Look<'_>, original: Option<&Original>, links: &Links) -> Self {
        let attempt = look.attempt;
        let record = &attempt.record;
        let ids = &record.facts;
        let mut writer = Writer { left: PAGE_BYTES_MAX, cut: false };
        let sections = original.map(|original| writer.sections(original)).unwrap_or_default();
        let numbered = original.map(|original| original.bodies.as_slice()).unwrap_or_default();
        Self {
            otlp: links.otlp(&ids.trace_id, &ids.span_id),
            facts: facts(attempt),
            sections,
            bodies: numbered
                .iter()
                .take(200)
                .enumerate()
                .map(|(at, digest)| (at + 1, links.content(&ids.trace_id, digest)))
                .collect(),
            redactions: redactions(record),
            rules: Text::new(shortened(&record.rules_version, 80)),
            versions: attempt.versions.iter().take(20).map(version).collect(),
            cut: writer.cut,
            missing: original.is_none(),
        }
    }
}

fn facts(attempt: &Attempt) -> Vec<Fact> {
    let record = &attempt.record;
    let ids = &record.facts;
    let mut facts = vec![
        Fact::new("Trace", ids.trace_id.to_string()),
        Fact::new("Span", ids.span_id.to_string()),
        Fact::new(
            "Parent",
            ids.parent_span_id.map_or_else(|| "none: a root".to_owned(), |id| id.to_string()),
        ),
        Fact::new("Name", shortened(&ids.name, 300)),
        Fact::new("Started", format::rfc3339(ids.started_ns)),
        Fact::new("Ended", ids.ended_ns.map_or_else(|| "no end received".to_owned(), format::rfc3339)),
        Fact::new("Received", format::rfc3339(record.received_ns)),
        Fact::new("Status", ids.status.word()),
        Fact::new("Carried by", ids.carrier.word()),
        Fact::new("Kind", format!("{}, {}", ids.kind, said_by(attempt))),
    ];
    let dialect = if ids.dialect.is_empty() { "none" } else { &ids.dialect };
    facts.push(Fact::new("Read as", shortened(dialect, 120)));
    if ids.dropped != crate::domain::step::Dropped::default() {
        let dropped = &ids.dropped;
        let line = [
            format::counted(dropped.attributes, "attribute", "attributes"),
            format::counted(dropped.events, "event", "events"),
            format::counted(dropped.links, "link", "links"),
        ]
        .join(", ");
        facts.push(Fact::new("Dropped by the SDK", line));
    }
    for link in ids.links.iter().take(10) {
        facts.push(Fact::new("Link", format!("{} / {}", link.trace_id, link.span_id)));
    }
    facts
}

fn said_by(attempt: &Attempt) -> &'static str {
    use crate::domain::kind::KindSource;
    match attempt.record.facts.kind_source {
        KindSource::Given => "as the runtime said",
        KindSource::Rule => "by a rule of the operator",
        KindSource::Convention => "by its convention",
        KindSource::Inferred => "inferred",
        KindSource::Default => "because nobody classified it",
    }
}

fn redactions(record: &Record) -> Vec<(Text, Text)> {
    record
        .redactions
        .iter()
        .take(100)
        .map(|done| {
            let what =
                format!("{}: {}, {}", done.rule, done.method, format::counted(done.count, "hit", "hits"));
            (Text::new(shortened(&done.path, 120)), Text::new(shortened(&what, 160)))
        })
        .collect()
}

fn version(record: &Record) -> Text {
    let ended = record.facts.ended_ns.map_or_else(|| "not ended".to_owned(), format::clock_ms);
    Text::new(format!("received {}, ended {ended}", format::rfc3339(record.received_ns)))
}

struct Writer {
    left: usize,
    cut: bool,
}

impl Writer {
    fn sections(&mut self, original: &Original) -> Vec<Section> {
        let mut sections = vec![self.section("Attributes".to_owned(), &original.attributes)];
        for event in original.events.iter().take(200) {
            let title = format!("Event {} at {}", shortened(&event.name, 80), format::clock_ms(event.at_ns));
            sections.push(self.section(title, &event.attributes));
        }
        sections.push(self.section("Resource".to_owned(), &original.resource));
        let scope = &original.scope;
        let title =
            format!("Instrumentation {} {}", shortened(&scope.name, 120), shortened(&scope.version, 40));
        sections.push(self.section(title, &scope.attributes));
        sections
    }

    fn section(&mut self, title: String, entries: &[(String, Value)]) -> Section {
        let mut rows = Vec::new();
        for (key, value) in entries {
            if self.left == 0 {
                self.cut = true;
                break;
            }
            rows.push(self.row(key, value));
        }
        Section { title, rows }
    }

    fn row(&mut self, key: &str, value: &Value) -> (Text, Text, bool) {
        let written = compact(value);
        let laid_out = match value {
            Value::Array(_) | Value::Map(_) if written.len() <= VALUE_BYTES_MAX => json::laid_out(&written),
            Value::Empty
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Array(_)
            | Value::Map(_)
            | Value::Framed(_) => None,
        };
        let whole = laid_out.unwrap_or(written);
        let shown = cut(&whole, VALUE_BYTES_MAX.min(self.left));
        let is_cut = shown.len() < whole.len();
        self.cut |= is_cut;
        let text = Text::new(if is_cut { format!("{shown}…") } else { shown.to_owned() });
        self.left = self.left.saturating_sub(text.drawn_bytes().max(64));
        (Text::new(shortened(key, 200)), text, whole.contains('\n'))
    }
}
