//! Takes exports, keeps them in the log, drains the log into the store.
mod admit;
mod asked;
mod body;
mod door;
mod drain;
mod grpc;
mod http;
mod keep;
mod ledger;
mod meters;
mod pipeline;
mod progress;
mod push;
mod receive;
mod refusal;
mod room;
mod router;
mod setback;
mod signal;
mod sink;
mod tally;
mod throttle;
#[cfg(test)]
mod trials;

pub use body::Packed;
pub use door::{DoorSettings, Export, Intake, TurnedAway};
pub use drain::{Drain, DrainSettings};
pub use keep::{Ack, Keeper, NotKept};
pub use ledger::Ledger;
pub use meters::{Arrivals, Meters};
pub use pipeline::{Arrival, Pipeline};
pub use progress::{DrainStats, Failing, Progress};
pub use receive::Receiver;
pub use refusal::Refusal;
pub use router::router;
pub use signal::{Answer, Format, Signal};
pub use sink::{Batch, Rejected, Setback, Sink, TableInsert};
