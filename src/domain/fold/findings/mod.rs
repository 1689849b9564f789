//! What the fold notices about a run: pure rules, grouped by what they look at.
mod attempts;
mod fencing;
mod keys;
mod models;
mod reading;
mod repeats;
mod rules;
mod settled;
mod shape;

pub(super) use rules::all;
