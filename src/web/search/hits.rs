//! Where in a run the texts stand: the step, the attempt, and the tab that shows it.
use std::collections::{HashMap, HashSet};

use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::scope::Scope;
use crate::domain::summary::RunSummary;
use crate::store::queries::{HitField, StepHit, TextHit, body_spans, runs, step_hits, text_hits};
use crate::store::rows::{RunCursor, RunRow};
use crate::store::{RunFilter, Store, TextPlace};
use crate::web::error::WebError;
use crate::web::reading::{self, Found};
use crate::web::run::bars::attempts;
use crate::web::run::verdict::title;
use crate::web::run::view::Tab;
use crate::web::search::asked::Asked;
use crate::web::search::fragment::{Marker, Piece, opened};
use crate::web::search::needle::{id_pattern, marking};

/// Hits listed of one run.
const OF_RUN: usize = 5;
/// Hits listed of a run that was asked for.
const OF_ONE_RUN: usize = 500;

/// A span, and a body that it was sent with.
type Sent = (TraceId, SpanId, Digest);

/// A run with what was found in it.
#[derive(Debug)]
pub(in crate::web) struct RunHits {
    /// The run.
    pub(in crate::web) summary: RunSummary,
    /// What was found, in the order of its steps; tool definitions last.
    pub(in crate::web) hits: Vec<Hit>,
    /// How many more there are.
    pub(in crate::web) more: usize,
}

/// A text in which everything stands that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct Hit {
    /// The attempt; `None` for the run as such.
    pub(in crate::web) at: Option<At>,
    /// Where it stands.
    pub(in crate::web) place: TextPlace,
    /// What it is: a role, a field, the key of an attribute.
    pub(in crate::web) label: String,
    /// The text around it.
    pub(in crate::web) fragment: Vec<Piece>,
    /// Attempts after this one that have the same text.
    pub(in crate::web) again: usize,
}

/// An attempt of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct At {
    pub(in crate::web) step_id: String,
    pub(in crate::web) number: u32,
    pub(in crate::web) kind: Kind,
    pub(in crate::web) title: String,
    pub(in crate::web) attempt: u32,
    pub(in crate::web) attempts: usize,
    pub(in crate::web) trace_id: TraceId,
    pub(in crate::web) span_id: SpanId,
    /// The tab that shows it.
    pub(in crate::web) tab: Tab,
}

/// The runs in which a question's texts stand, newest first, and where the next page begins.
pub(in crate::web) async fn found(
    store: &Store,
    scope: &Scope,
    (asked, filter): (&Asked, &RunFilter),
    now_ns: u64,
) -> Result<(Vec<RunHits>, Option<RunCursor>), WebError> {
    let page = runs(store, scope, filter, (asked.after.as_ref(), asked.limit), now_ns).await?;
    if asked.words.is_empty() {
        // Conditions alone: the runs, and nothing in them to point at.
        let run = |row: RunRow| RunHits { summary: row.summary, hits: Vec::new(), more: 0 };
        return Ok((page.runs.into_iter().map(run).collect(), page.next));
    }
    let mut traces: Vec<TraceId> = page.runs.iter().flat_map(|row| row.summary.traces.clone()).collect();
    traces.sort_unstable();
    traces.dedup();
    let (texts, steps) = tokio::try_join!(
        text_hits(store, scope, &filter.texts, &traces),
        step_hits(store, scope, &filter.texts, &traces)
    )?;
    // Long attributes are bodies that records do not name: their spans are looked for.
    let apart: Vec<Digest> =
        texts.iter().filter(|hit| hit.kind == "attribute").map(|hit| hit.digest).collect();
    let sent = body_spans(store, scope, &traces, &apart).await?;
    let words: Vec<String> = filter.texts.all.iter().flatten().map(marking).collect();
    let id = filter.texts.id.as_deref().map(id_pattern);
    let all = All::of((&texts, &steps, &sent), Marker::new(&words, id.as_ref()));
    let most = if asked.is_of_one_run() { OF_ONE_RUN } else { OF_RUN };
    let mut found = Vec::new();
    for row in page.runs {
        let folded = match reading::run(store, scope, &row.summary.run_id, now_ns).await {
            Ok(Found::Run(run)) => Some(run),
            Ok(Found::Moved(_) | Found::Several) | Err(WebError::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let mut hits = folded.map(|run| all.within(&run)).unwrap_or_default();
        if hits.is_empty() {
            hits.extend(all.named(&row.summary));
        }
        let more = hits.len().saturating_sub(most);
        hits.truncate(most);
        found.push(RunHits { summary: row.summary, hits, more });
    }
    Ok((found, page.next))
}

/// Everything that was found in the traces of a page.
struct All<'a> {
    bodies: HashMap<(TraceId, Digest), &'a TextHit>,
    records: HashMap<(TraceId, SpanId), Vec<&'a StepHit>>,
    sent: HashMap<(TraceId, SpanId), Vec<Digest>>,
    marker: Marker,
}

impl<'a> All<'a> {
    fn of((texts, steps, spans): (&'a [TextHit], &'a [StepHit], &[Sent]), marker: Marker) -> Self {
        let mut sent: HashMap<_, Vec<Digest>> = HashMap::new();
        for (trace, span, digest) in spans {
            sent.entry((*trace, *span)).or_default().push(*digest);
        }
        let mut records: HashMap<_, Vec<&StepHit>> = HashMap::new();
        for hit in steps {
            records.entry((hit.trace_id, hit.span_id)).or_default().push(hit);
        }
        Self {
            bodies: texts.iter().map(|hit| ((hit.trace_id, hit.digest), hit)).collect(),
            records,
            sent,
            marker,
        }
    }

    /// What was found in a run, in the order of its steps.
    fn within(&self, run: &Run) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut known: HashMap<(TraceId, Digest), usize> = HashMap::new();
        for (step, attempt) in run.steps.iter().flat_map(|step| attempts(step).map(move |one| (step, one))) {
            let mut here = HashSet::new();
            for (place, tab) in bodies_of(attempt).into_iter().chain(self.sent_with(attempt)) {
                let Some(body) = self.bodies.get(&place) else { continue };
                if !here.insert(place) {
                    continue;
                }
                if let Some(hit) = known.get(&place).and_then(|at| hits.get_mut(*at)) {
                    hit.again += 1;
                    continue;
                }
                known.insert(place, hits.len());
                hits.push(self.of_body(body, at(step, attempt, tab)));
            }
            hits.extend(self.of_records(step, attempt));
        }
        // Definitions stand in every call of every run: they come last.
        hits.sort_by_key(|hit| hit.place == TextPlace::Tools);
        hits
    }

    /// The long attributes of an attempt.
    fn sent_with(&self, attempt: &Attempt) -> Vec<((TraceId, Digest), Tab)> {
        let of = |span: (TraceId, SpanId)| {
            self.sent.get(&span).into_iter().flatten().map(move |digest| (span.0, *digest))
        };
        spans_of(attempt).into_iter().flat_map(of).map(|place| (place, Tab::Raw)).collect()
    }

    fn of_body(&self, body: &TextHit, at: At) -> Hit {
        let text = if body.is_json { opened(&body.text) } else { body.text.clone() };
        let (place, label) = match body.kind.as_str() {
            "system" => (TextPlace::Messages, "system".to_owned()),
            "message" => (TextPlace::Messages, body.role.clone()),
            "output" => (TextPlace::Messages, "answer".to_owned()),
            "tool_definition" => (TextPlace::Tools, "tool definition".to_owned()),
            "arguments" => (TextPlace::Arguments, "arguments".to_owned()),
            "result" => (TextPlace::Results, "result".to_owned()),
            _ => (TextPlace::Attributes, "attribute".to_owned()),
        };
        let label = if label.is_empty() { "message".to_owned() } else { label };
        Hit { at: Some(at), place, label, fragment: self.marker.fragment(&text), again: 0 }
    }

    /// One hit for each record of an attempt: the field that says most.
    fn of_records(&self, step: &RunStep, attempt: &Attempt) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for field in spans_of(attempt)
            .iter()
            .filter_map(|span| self.records.get(span))
            .flatten()
            .filter_map(|hit| telling(hit))
        {
            let tab = match (field.place, field.name.as_str()) {
                (TextPlace::Errors, _) => Tab::Happened,
                (TextPlace::Names, "key") => Tab::Gate,
                _ => Tab::Raw,
            };
            let (place, label) = (field.place, field.name.clone());
            let fragment = self.marker.fragment(&field.text);
            let is_known = hits.iter().any(|hit| hit.fragment == fragment && hit.place == place);
            if !is_known {
                hits.push(Hit { at: Some(at(step, attempt, tab)), place, label, fragment, again: 0 });
            }
        }
        hits
    }

    /// A run whose own id was looked for.
    fn named(&self, run: &RunSummary) -> Option<Hit> {
        let ids = [("run", run.run_id.clone()), ("session", run.session_id.clone().unwrap_or_default())];
        let traces = run.traces.iter().map(|trace| ("trace", trace.to_string()));
        let mut found = ids.into_iter().chain(traces).map(|(label, id)| (label, self.marker.fragment(&id)));
        let (label, fragment) = found.find(|(_, pieces)| pieces.iter().any(|piece| piece.found))?;
        Some(Hit { at: None, place: TextPlace::Names, label: label.to_owned(), fragment, again: 0 })
    }
}

/// The spans of an attempt: its own, and those of the evidence for it.
fn spans_of(attempt: &Attempt) -> Vec<(TraceId, SpanId)> {
    let records = std::iter::once(&attempt.record).chain(&attempt.transports).chain(&attempt.logs);
    let mut spans: Vec<_> = records.map(|record| (record.facts.trace_id, record.facts.span_id)).collect();
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// The field of a record that says most: errors before names before attributes.
fn telling(hit: &StepHit) -> Option<&HitField> {
    hit.fields.iter().filter(|field| !field.text.is_empty()).min_by_key(|field| field.place)
}

fn at(step: &RunStep, attempt: &Attempt, tab: Tab) -> At {
    let facts = &attempt.record.facts;
    At {
        step_id: step.step_id.clone(),
        number: step.number,
        kind: step.kind,
        title: title(step),
        attempt: attempt.number,
        attempts: step.attempts.len(),
        trace_id: facts.trace_id,
        span_id: facts.span_id,
        tab,
    }
}

/// The bodies of an attempt, each with the tab that shows it.
fn bodies_of(attempt: &Attempt) -> Vec<((TraceId, Digest), Tab)> {
    let records = [&attempt.record]
        .into_iter()
        .chain(&attempt.transports)
        .chain(&attempt.versions)
        .chain(&attempt.logs);
    let mut all: Vec<((TraceId, Digest), Tab)> = records.flat_map(of_record).collect();
    let trace = attempt.record.facts.trace_id;
    let elsewhere = [attempt.arguments.as_ref(), attempt.result.as_ref()].into_iter().flatten();
    all.extend(elsewhere.map(|content| ((trace, content.digest), Tab::Happened)));
    all
}

fn of_record(record: &Record) -> Vec<((TraceId, Digest), Tab)> {
    let place = |digest: &Digest| (record.facts.trace_id, *digest);
    let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
    let happened = [record.arguments.as_ref(), record.result.as_ref()].into_iter().flatten();
    let saw = record.context.iter().map(|digest| (place(digest), Tab::Saw));
    saw.chain(record.output.iter().map(|content| (place(&content.digest), Tab::Proposed)))
        .chain(proposed.map(|content| (place(&content.digest), Tab::Proposed)))
        .chain(happened.map(|content| (place(&content.digest), Tab::Happened)))
        .collect()
}
