//! What carries erasures out, made of a server's rooms.
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::ingest::Pipeline;
use crate::log::Log;
use crate::projection::{Eraser, EraserParts, Projection, Sequencer};
use crate::server::prepare::now_ns;
use crate::store::Store;

/// The eraser of a server.
pub(in crate::server) fn eraser(
    store: &Store,
    (projection, sequencer): (&Projection, &Sequencer),
    pipeline: &Pipeline,
    log: &Log,
    stop: CancellationToken,
) -> Eraser {
    let log = log.clone();
    let parts = EraserParts {
        store: store.clone(),
        projection: projection.clone(),
        sequencer: sequencer.clone(),
        tombs: pipeline.encoder.tombs().clone(),
        set_aside: Arc::new(move || log.stats().damaged_segments),
        now_ns,
    };
    Eraser::start(parts, stop)
}
