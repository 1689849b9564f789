//! Takes exports, keeps them in the log, drains the log into the store.
mod drain;
mod keep;
mod ledger;
mod progress;
mod push;
mod sink;
#[cfg(test)]
mod trials;

pub use drain::{Drain, DrainSettings};
pub use keep::{Ack, Keeper, NotKept};
pub use ledger::Ledger;
pub use progress::{DrainStats, Failing, Progress};
pub use sink::{Batch, Rejected, Setback, Sink, TableInsert};
