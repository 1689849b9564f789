//! From an address to a folded run, and to the bodies that a page shows: what pages and the API read
//! alike.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::action::Action;
use crate::domain::case::CaseEvent;
use crate::domain::erasure::Taken;
use crate::domain::fold::{Part, runs_of};
use crate::domain::ids::{Digest, SpanId, TraceId};
use crate::domain::kind::Kind;
use crate::domain::path::Telling;
use crate::domain::run::Run;
use crate::domain::scope::Scope;
use crate::store::Store;
use crate::store::queries::{
    bodies, content_refs, erased_body, events_about, key_actions, run_records, span, trace_records,
    trace_runs,
};
use crate::store::rows::{Body as Kept, StepRow};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::link::undotted;
use crate::web::run::bodies::{Bodies, Body, Place, Wants};

/// A body longer than this is not loaded into a page; its beginning stands for it.
const BODY_BYTES_MAX: u64 = 4 << 20;
/// All bodies of one page together.
const PAGE_BYTES_MAX: u64 = 16 << 20;

/// What is found under a run's id.
pub(in crate::web) enum Found {
    /// The run.
    Run(Box<Run>),
    /// Its id was a trace's until the run's own id arrived.
    Moved(String),
    /// The trace with this id holds several runs.
    Several,
}

/// Reads and folds the run with this id.
pub(in crate::web) async fn run(
    store: &Store,
    scope: &Scope,
    run_id: &str,
    now_ns: u64,
) -> Result<Found, WebError> {
    let mut records = run_records(store, scope, run_id).await?;
    let dots = undotted(run_id).filter(|_| records.is_empty());
    if let Some(dots) = dots {
        records = run_records(store, scope, dots).await?;
    }
    let run_id = dots.unwrap_or(run_id);
    let trace = TraceId::parse(run_id);
    let mut parts = runs_of(records);
    if let Some(mut part) = parts.remove(run_id) {
        let events = outside(store, scope, &mut part, now_ns).await?;
        return Ok(Found::Run(Box::new(Run::of_part(&part, &events, now_ns))));
    }
    parts.retain(|_, part| part.records.iter().any(|record| Some(record.facts.trace_id) == trace));
    let mut ids: Vec<String> = parts.into_keys().collect();
    match ids.len() {
        0 => Err(not_found(run_id)),
        1 => Ok(ids.pop().map_or(Found::Several, Found::Moved)),
        _ => Ok(Found::Several),
    }
}

/// What happened to a run outside its own records: what was appended to its cases, and what other runs
/// found out about its keys.
async fn outside(
    store: &Store,
    scope: &Scope,
    part: &mut Part,
    now_ns: u64,
) -> Result<Vec<CaseEvent>, WebError> {
    let facts = || part.records.iter().map(|record| &record.facts);
    if !facts().any(|facts| facts.kind == Kind::Act) {
        return Ok(Vec::new());
    }
    let keys: BTreeSet<&str> = facts().filter_map(|facts| facts.key.as_deref()).collect();
    let keys: Vec<&str> = keys.into_iter().collect();
    let traces: BTreeSet<TraceId> = facts().map(|facts| facts.trace_id).collect();
    let traces: Vec<TraceId> = traces.into_iter().collect();
    let (events, actions) = tokio::try_join!(
        events_about(store, scope, &keys, &traces),
        key_actions(store, scope, &keys, now_ns)
    )?;
    let tellings: Vec<Telling> = actions.iter().flat_map(Action::tellings).collect();
    part.hear(tellings);
    Ok(events)
}

fn not_found(run_id: &str) -> WebError {
    let id = crate::web::text::plain(&crate::web::text::shortened(run_id, 80));
    WebError::NotFound(format!("No run {id} has arrived, or it has expired."))
}

/// The ids of the runs that a trace belongs to or holds.
pub(in crate::web) async fn runs_of_trace(
    store: &Store,
    scope: &Scope,
    trace: TraceId,
) -> Result<Vec<String>, WebError> {
    let runs = trace_runs(store, scope, trace).await?;
    if runs.is_empty() {
        return Err(WebError::NotFound(format!("Nothing of trace {trace} has arrived, or it has expired.")));
    }
    Ok(runs)
}

/// The id of the run that a span belongs to.
pub(in crate::web) async fn run_of_span(
    store: &Store,
    scope: &Scope,
    (trace, span_id): (TraceId, SpanId),
) -> Result<String, WebError> {
    let records = trace_records(store, scope, &[trace]).await?;
    let holds = |records: &[crate::domain::record::Record]| {
        records.iter().any(|record| record.facts.trace_id == trace && record.facts.span_id == span_id)
    };
    if !holds(&records) {
        return Err(WebError::NotFound(format!(
            "No span {span_id} of trace {trace} has arrived, or it has expired."
        )));
    }
    // Its run may be named in another trace that a link joins; the list of runs of the trace knows.
    let listed = trace_runs(store, scope, trace).await?;
    if let [only] = listed.as_slice() {
        return Ok(only.clone());
    }
    let of_span = runs_of(records).into_iter().find(|(_, part)| holds(&part.records)).map(|(id, _)| id);
    of_span.or_else(|| listed.first().cloned()).ok_or_else(|| not_found(&trace.to_string()))
}

/// Everything kept under a span id.
pub(in crate::web) async fn kept(
    store: &Store,
    scope: &Scope,
    (trace, span_id): (TraceId, SpanId),
) -> Result<Vec<StepRow>, WebError> {
    Ok(span(store, scope, trace, span_id).await?)
}

/// Loads what a pane wants: the sizes first, then as many texts as a page may hold.
pub(in crate::web) async fn load(store: &Store, scope: &Scope, wants: &Wants) -> Result<Bodies, WebError> {
    let mut by_trace: BTreeMap<TraceId, (Vec<Digest>, Vec<Digest>)> = BTreeMap::new();
    for (trace, digest) in &wants.whole {
        by_trace.entry(*trace).or_default().0.push(*digest);
    }
    for (trace, digest) in &wants.heads {
        by_trace.entry(*trace).or_default().1.push(*digest);
    }
    let mut loaded = Bodies::default();
    let mut left = PAGE_BYTES_MAX;
    for (trace, (whole, heads)) in by_trace {
        let all: Vec<Digest> = whole.iter().chain(&heads).copied().collect();
        let refs = content_refs(store, scope, trace, &all).await?;
        let mut wanted = Vec::new();
        for kept in refs {
            let content = &kept.content;
            let is_tool = content.kind == crate::domain::content::ContentKind::ToolDefinition;
            let fits = content.bytes <= BODY_BYTES_MAX && content.bytes <= left;
            if fits && (is_tool || whole.contains(&content.digest)) {
                left -= content.bytes;
                wanted.push(content.digest);
            }
            loaded.add((trace, content.digest), head_of(kept));
        }
        for kept in bodies(store, scope, trace, &wanted).await? {
            loaded.add((trace, kept.content.digest), whole_of(kept));
        }
    }
    Ok(loaded)
}

/// One body with its text.
pub(in crate::web) async fn body(
    store: &Store,
    scope: &Scope,
    (trace, digest): Place,
) -> Result<Kept, WebError> {
    if let Some(found) = bodies(store, scope, trace, &[digest]).await?.pop() {
        return Ok(found);
    }
    Err(match erased_body(store, scope, trace, digest).await? {
        Some(taken) => WebError::Gone(erased_sentence(&taken)),
        None => WebError::NotFound(
            "This content is not kept: it never arrived, has expired or was erased.".to_owned(),
        ),
    })
}

/// What is said in the place of something that was erased.
pub(in crate::web) fn erased_sentence(taken: &Taken) -> String {
    let at = format::rfc3339(taken.at_ns);
    let day = at.get(..10).unwrap_or_default();
    format!("Erased on {day} under {id}, receipt {id}.", id = taken.erasure_id)
}

fn head_of(kept: Kept) -> Body {
    Body {
        kind: kept.content.kind,
        role: kept.content.role,
        text: kept.content.preview,
        bytes: kept.content.bytes,
        whole: false,
    }
}

/// A body with its text, for showing.
pub(in crate::web) fn whole_of(kept: Kept) -> Body {
    let bytes = format::length(kept.text.len());
    Body { kind: kept.content.kind, role: kept.content.role, text: kept.text, bytes, whole: true }
}
