//! Which traces make up a run: those where its id was given, and all that links join to them.
use std::collections::BTreeSet;

use crate::domain::ids::TraceId;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::whole;
use crate::store::rows::cell::Cell;
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("traces.sql");

/// No run is followed over more traces than this: whoever joins more has joined strangers.
pub const RUN_TRACES_MAX: usize = 10_000;
/// Nor over longer chains of links.
const LINK_STEPS_MAX: usize = 32;

/// The traces of these runs and these traces, with all that links join to them, in the order of their ids.
///
/// # Errors
/// As for any read.
pub async fn traces_of(
    store: &Store,
    scope: &Scope,
    run_ids: &[String],
    traces: &[TraceId],
) -> Result<Vec<TraceId>, StoreError> {
    let mut found: BTreeSet<TraceId> = traces.iter().copied().collect();
    let (mut run_ids, mut next) = (run_ids, traces.to_vec());
    for _ in 0..LINK_STEPS_MAX {
        let hex: Vec<String> = next.iter().map(ToString::to_string).collect();
        let read = store.read(scope, SQL).bind("run_ids", run_ids).bind("traces", hex);
        let bytes = whole(read).await?;
        let mut from = Reader::new(&bytes);
        next.clear();
        while from.left() > 0 {
            let (trace_id, is_known) = (TraceId::read(&mut from)?, bool::read(&mut from)?);
            if found.insert(trace_id) && !is_known {
                next.push(trace_id);
            }
        }
        if next.is_empty() || found.len() > RUN_TRACES_MAX {
            break;
        }
        run_ids = &[];
    }
    Ok(found.into_iter().take(RUN_TRACES_MAX).collect())
}
