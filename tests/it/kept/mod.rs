//! OK means kept: the log, its drain and the real engine together, under faults.
mod drain;
mod erased;
mod kill;
mod sdk;
mod serve;
mod upgrade;
