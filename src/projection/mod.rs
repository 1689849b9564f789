//! After an insert: folds the touched runs and keys and writes the derived tables.
mod closure;
mod components;
mod error;
mod fold;
mod lines;
mod rebuild;
mod task;

pub use error::ProjectionError;
pub use rebuild::{Rebuilt, rebuild};
pub use task::{Lag, Projection, ProjectionSettings};
