//! The faults that other people met with other tools, tried here: one test an entry of the log of faults, one
//! file a kind. Requests go over real sockets to the program itself; most go over all three transports.
//!
//! The requests stand in `tests/fixtures/requests/BNN-MM.json`; what only a program can make is made here.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]
pub(crate) mod case;
pub(crate) mod clickhouse;
mod content;
mod delivery;
mod encoding;
mod hostile;
mod identity;
mod kept;
mod outcomes;
mod reading;
mod shape;
mod shared;
mod transport;
