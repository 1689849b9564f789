//! What pages that follow are served with: what the projection writes, so much room, and an end at the stop.
use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

use crate::projection::{Changed, Projection};
use crate::web::error::WebError;

/// Streams open at one time.
const STREAMS_MAX: usize = 128;

/// What live pages are served with. Cheap to clone.
#[derive(Clone)]
pub struct Live(Arc<Shared>);

struct Shared {
    projection: Projection,
    room: Arc<Semaphore>,
    stop: CancellationToken,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").field("room", &self.0.room.available_permits()).finish_non_exhaustive()
    }
}

impl Live {
    /// Tells what this projection writes.
    pub fn new(projection: Projection) -> Self {
        let room = Arc::new(Semaphore::new(STREAMS_MAX));
        Self(Arc::new(Shared { projection, room, stop: CancellationToken::new() }))
    }

    /// Ends every stream: a stop does not wait for pages that only listen.
    pub fn end(&self) {
        self.0.stop.cancel();
    }

    /// A place among those who listen.
    ///
    /// # Errors
    /// [`WebError::Full`] when too many do.
    pub(in crate::web) fn join(&self) -> Result<OwnedSemaphorePermit, WebError> {
        self.0.room.clone().try_acquire_owned().map_err(|_full| WebError::Full)
    }

    /// Every run whose line is written from now on.
    pub(in crate::web) fn changes(&self) -> broadcast::Receiver<Arc<Changed>> {
        self.0.projection.changes()
    }

    /// Resolves at the stop.
    pub(in crate::web) fn ended(&self) -> CancellationToken {
        self.0.stop.clone()
    }
}
