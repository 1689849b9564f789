//! Everything that needs the real engine, in one binary: the library serves one data directory in a process.
//!
//! Modules name what they are about; `support` has what they share. Every test makes its own database.
mod access;
mod bugs;
mod faults;
mod kept;
mod ledger;
mod limits;
mod machines;
mod pages;
mod product;
mod projection;
mod redaction;
mod store;
mod support;
mod tables;
mod wire;
