//! Keeps what people do: redacted, in the log, synced before they get their answer.
use std::sync::Arc;

use crate::ingest::{Keeper, NotKept, Pipeline};
use crate::server::hide::hide_entities;
use crate::store::Store;
use crate::store::queries::keep_activity;
use crate::web::{NotRecorded, Record};

/// Records through the log. When that has no room, straight into the store, so that a backlog of senders does
/// not close the house to readers.
pub(in crate::server) fn recorder(pipeline: Arc<Pipeline>, keeper: Keeper, store: Store) -> Record {
    Arc::new(move |mut entry| {
        let (pipeline, keeper, store) = (pipeline.clone(), keeper.clone(), store.clone());
        Box::pin(async move {
            // What was typed into a search may hold what a rule hits, and so may a run's id.
            let (book, keys) = (pipeline.rules.book(), pipeline.keys.project(&entry.project));
            let redactor = book.of(&entry.project);
            hide_entities(&mut entry, redactor, &keys.pseudonym);
            for text in [&mut entry.query, &mut entry.what, &mut entry.run_id] {
                *text = redactor.clean_text(text, &keys.pseudonym).get().clone();
            }
            let frame = pipeline.encoder.activity(&entry).to_frame();
            match keeper.keep(frame, 0).await {
                Ok(()) => Ok(()),
                Err(error @ (NotKept::Stopping | NotKept::TooLarge { .. })) => {
                    tracing::warn!(%error, "what somebody did could not be recorded");
                    Err(NotRecorded)
                }
                Err(NotKept::Full | NotKept::Broken | NotKept::Unconfirmed) => {
                    let kept = keep_activity(&store, &entry).await;
                    kept.map_err(|error| {
                        tracing::warn!(%error, "what somebody did could not be recorded");
                        NotRecorded
                    })
                }
            }
        })
    })
}
