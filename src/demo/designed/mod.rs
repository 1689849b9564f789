//! The designed loop: the model proposes, the application owns what happens.
mod act;
pub(super) mod intents;
mod stories;
mod worker;

pub(super) use stories::run;
