//! Builds the rooms, serves, stops.
mod serve;
mod stall;

pub use serve::{ServeLimits, serve};
