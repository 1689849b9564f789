//! The commands that serve, check, rebuild and import; each gives the process its exit code.
use std::io::Write;
use std::process::ExitCode;

use crate::config::{Settings, show};
use crate::domain::counting::counted;
use crate::domain::lifecycle::LifecycleKind;
use crate::projection;
use crate::server::error::StartError;
use crate::server::prepare::{migrate, open_keys, open_store, record};
use crate::server::start::{Server, told_to_stop};

/// Serves until told to stop.
pub async fn serve_command(settings: &Settings) -> ExitCode {
    let server = match Server::start(settings).await {
        Ok(server) => server,
        Err(error) => return failed(&error),
    };
    say(&server.addresses.ready_line());
    told_to_stop().await;
    server.stop().await;
    ExitCode::SUCCESS
}

/// Prints the settings, and which engine answers in which version.
pub async fn check_command(settings: &Settings) -> ExitCode {
    say(show(&settings.shown).trim_end());
    let store = match open_store(settings).await {
        Ok(store) => store,
        Err(error) => return failed(&error),
    };
    let code = match check(&store, settings).await {
        Ok(lines) => {
            say(&lines);
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error),
    };
    store.close().await;
    code
}

async fn check(store: &crate::store::Store, settings: &Settings) -> Result<String, StartError> {
    let answering = store.check().await?;
    migrate(store).await?;
    let keys = open_keys(store, &settings.data_dir, true).await?;
    Ok(format!(
        "\nClickHouse {} answers, {}\nkeys {} fit the store\nall is well",
        answering.version,
        answering.place,
        keys.fingerprint().0
    ))
}

/// Folds every run and action again from the records.
pub async fn rebuild_command(settings: &Settings) -> ExitCode {
    let store = match open_store(settings).await {
        Ok(store) => store,
        Err(error) => return failed(&error),
    };
    let code = match rebuild(&store).await {
        Ok(line) => {
            say(&line);
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error),
    };
    store.close().await;
    code
}

async fn rebuild(store: &crate::store::Store) -> Result<String, StartError> {
    if !migrate(store).await? {
        store.check().await?;
    }
    let rebuilt = projection::rebuild(store).await?;
    record(store, LifecycleKind::Rebuilt, vec![("runs".to_owned(), rebuilt.runs.to_string())]).await?;
    Ok(format!(
        "{} and {} folded from {}",
        counted(rebuilt.runs, "run", "runs"),
        counted(rebuilt.actions, "action", "actions"),
        counted(rebuilt.records, "record", "records")
    ))
}

/// Says on stderr why a command failed.
pub fn failed(error: &StartError) -> ExitCode {
    complain(&error.to_string());
    ExitCode::from(error.exit_code())
}

/// One line (or several) on stdout. Whether somebody still reads there does not matter to us.
pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        tracing::debug!("nobody reads stdout");
    }
}

/// One line on stderr.
pub fn complain(line: &str) {
    if writeln!(std::io::stderr().lock(), "recount: {line}").is_err() {
        tracing::debug!("nobody reads stderr");
    }
}
