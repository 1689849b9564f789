//! The commands that ask a running server and print what it answers, for people and for scripts.
mod account;
mod answer;
mod commands;
mod findings;
mod mcp;
mod remote;
mod run;
mod runs;
mod search;
mod table;
mod unknowns;

pub use commands::{
    account_command, findings_command, run_command, runs_command, search_command, unknowns_command,
};
pub use mcp::mcp_command;
pub use remote::{Remote, RemoteError};
