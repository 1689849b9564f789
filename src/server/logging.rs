//! What the process says of itself, on stderr: for people on a terminal, else JSON lines. No trace content.
use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

/// Starts logging. `filter` is in the syntax of `RUST_LOG`, such as `info` or `recount=debug`; a filter that
/// can't be read counts as `info`. A second call changes nothing.
pub fn start_logging(filter: &str) {
    // The library behind the tools for agents logs whole messages, and in them what was recorded.
    let silent = format!("{filter},rmcp=off");
    let filter = EnvFilter::try_new(silent).unwrap_or_else(|_unreadable| EnvFilter::new("info,rmcp=off"));
    let builder = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let started = if std::io::stderr().is_terminal() {
        builder.try_init()
    } else {
        builder.with_ansi(false).json().flatten_event(true).try_init()
    };
    if let Err(error) = started {
        tracing::debug!(%error, "logging runs already");
    }
}
