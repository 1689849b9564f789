//! After an insert: folds the touched runs and keys and writes their lines; can make all of them again.
mod erasing;
mod error;
mod fold;
mod gather;
mod heard;
mod lines;
mod rebuild;
mod sequence;
mod signing;
mod task;

pub use erasing::{Eraser, EraserParts, records_of};
pub use error::ProjectionError;
pub use rebuild::{Rebuilt, rebuild, rebuild_with};
pub use sequence::{Outside, Sequencer, subtree_hashes};
pub use signing::Signing;
pub use task::{Changed, Lag, Projection, ProjectionSettings};
