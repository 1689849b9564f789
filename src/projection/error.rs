//! Why something could not be folded or written.
use crate::store::StoreError;

/// Why something could not be folded or written. Trying again later is right: it is made of records.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    /// The store did not answer or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The fold's thread ended without a result.
    #[error("the fold was broken off")]
    Broken,
}
