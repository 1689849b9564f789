//! Tries other rules on records as they are kept: which of them would be redacted further.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::content::Content;
use crate::domain::ids::{Digest, TraceId};
use crate::domain::record::Redaction;
use crate::domain::scope::Scope;
use crate::domain::secret::SecretKey;
use crate::domain::step::{Proposal, Step};
use crate::redaction::Redactor;
use crate::store::queries::{bodies, last_spans};
use crate::store::rows::{Body, StepRow};
use crate::store::{Store, StoreError};

/// Records that are tried.
pub(in crate::web) const SPANS_MAX: u16 = 500;

/// What other rules would do to kept records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Diff {
    /// Records that were tried.
    pub(in crate::web) tried: usize,
    /// Of these: the ones that the other rules leave otherwise.
    pub(in crate::web) changed: Vec<(TraceId, String, Vec<String>)>,
    /// Places by rule.
    pub(in crate::web) by_rule: BTreeMap<String, u64>,
}

/// Tries the other rules against those in force on the last records.
///
/// # Errors
/// As for any read.
pub(in crate::web) async fn diff(
    store: &Store,
    scope: &Scope,
    (now, other): (&Redactor, &Redactor),
) -> Result<Diff, StoreError> {
    // Pseudonyms of a dry run are compared with one another only.
    let key = SecretKey::new(0, [0; 32]);
    let rows = last_spans(store, scope, SPANS_MAX).await?;
    let mut diff = Diff { tried: rows.len(), ..Diff::default() };
    let mut traces: BTreeMap<TraceId, Vec<StepRow>> = BTreeMap::new();
    for row in rows {
        traces.entry(row.record.facts.trace_id).or_default().push(row);
    }
    for (trace, rows) in traces {
        let wanted: BTreeSet<Digest> = rows.iter().flat_map(digests).collect();
        let wanted: Vec<Digest> = wanted.into_iter().collect();
        let kept = bodies(store, scope, trace, &wanted).await?;
        let kept: BTreeMap<Digest, Body> = kept.into_iter().map(|body| (body.content.digest, body)).collect();
        for row in &rows {
            let step = step_of(row, &kept);
            let (before, after) = (now.clean(step.clone(), &key), other.clean(step, &key));
            if before.get() == after.get() {
                continue;
            }
            let more: Vec<&Redaction> =
                after.redactions().iter().filter(|done| !before.redactions().contains(done)).collect();
            for done in &more {
                *diff.by_rule.entry(done.rule.clone()).or_default() += u64::from(done.count);
            }
            let rules: BTreeSet<String> =
                more.iter().map(|done| format!("{} at {}", done.rule, done.path)).collect();
            let name = after.get().facts.name.clone();
            diff.changed.push((trace, name, rules.into_iter().collect()));
        }
    }
    Ok(diff)
}

/// Every body that a row names.
fn digests(row: &StepRow) -> impl Iterator<Item = Digest> {
    let record = &row.record;
    let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
    let refs = record.output.iter().chain(&record.arguments).chain(&record.result).chain(proposed);
    row.bodies.iter().copied().chain(record.context.iter().copied()).chain(refs.map(|body| body.digest))
}

/// The step that a row was made of, as far as it is kept.
fn step_of(row: &StepRow, kept: &BTreeMap<Digest, Body>) -> Step {
    let mut places: BTreeMap<Digest, usize> = BTreeMap::new();
    let mut bodies = Vec::new();
    // Frames name the bodies of the row by number, so these come first, repeats included.
    for digest in row.bodies.iter().copied().chain(digests(row)) {
        if bodies.len() >= row.bodies.len() && places.contains_key(&digest) {
            continue;
        }
        places.entry(digest).or_insert(bodies.len());
        bodies.push(content_of(kept.get(&digest)));
    }
    let at = |digest: &Digest| places.get(digest).copied();
    let record = &row.record;
    Step {
        facts: record.facts.clone(),
        bodies,
        context: record.context.iter().filter_map(at).collect(),
        output: record.output.iter().filter_map(|body| at(&body.digest)).collect(),
        arguments: record.arguments.as_ref().and_then(|body| at(&body.digest)),
        result: record.result.as_ref().and_then(|body| at(&body.digest)),
        proposed: record
            .proposed
            .iter()
            .map(|kept| Proposal {
                call_id: kept.call.call_id.clone(),
                tool: kept.call.tool.clone(),
                arguments: kept.call.arguments.as_ref().and_then(|body| at(&body.digest)),
                complete: kept.call.complete,
            })
            .collect(),
        attributes: row.attributes.clone(),
        events: row.events.clone(),
        resource: row.resource.clone(),
        scope: row.scope.clone(),
    }
}

fn content_of(body: Option<&Body>) -> Content {
    match body {
        Some(body) => Content {
            kind: body.content.kind,
            role: body.content.role.clone(),
            is_json: body.is_json,
            body: body.text.clone(),
            cut_from: body.cut_from,
        },
        None => Content {
            kind: crate::domain::content::ContentKind::Attribute,
            role: String::new(),
            is_json: false,
            body: String::new(),
            cut_from: None,
        },
    }
}
