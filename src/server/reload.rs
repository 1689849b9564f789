//! Redaction rules while the server runs: read again at a SIGHUP, recorded when they change.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::{ConfigError, parse_file, redaction_of};
use crate::domain::lifecycle::LifecycleKind;
use crate::redaction::{InForce, Rulebook, listing};
use crate::server::prepare::{now_ns, record};
use crate::store::Store;
use crate::store::queries::lifecycle;

/// The name of the particular that holds the version of the rules.
const VERSION: &str = "version";
/// Rules that one event names.
const NAMED_MAX: usize = 200;

/// Reads the rules again whenever the process is told to, until `stop`.
pub(in crate::server) fn watch(
    store: Store,
    rules: Arc<InForce>,
    config: Option<PathBuf>,
    stop: CancellationToken,
) {
    let hangups = match signal(SignalKind::hangup()) {
        Ok(hangups) => hangups,
        Err(error) => {
            tracing::warn!(%error, "a SIGHUP can't be heard: rules change at the next start only");
            return;
        }
    };
    tokio::spawn(async move {
        let mut hangups: Signal = hangups;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                heard = hangups.recv() => if heard.is_none() { return },
            }
            match &config {
                Some(path) => reload(&store, &rules, path).await,
                None => tracing::warn!("there is no settings file to read the redaction rules from"),
            }
        }
    });
}

/// Puts the rules of the file in force, or keeps those there are and says why.
async fn reload(store: &Store, rules: &InForce, path: &Path) {
    match read(path) {
        Ok(book) => {
            if rules.replace(book, now_ns()) {
                tracing::info!(version = %versions(&rules.book()), "other redaction rules are in force");
                announce(store, rules).await;
            } else {
                tracing::info!("the redaction rules were read again and have not changed");
            }
        }
        Err(error) => {
            let why = error.to_string();
            tracing::error!(error = %why, "the redaction rules can't be used; those before stay in force");
            rules.refuse(now_ns(), why.clone());
            let detail = vec![("why".to_owned(), why), (VERSION.to_owned(), versions(&rules.book()))];
            if let Err(error) = record(store, LifecycleKind::RulesRefused, detail).await {
                tracing::warn!(%error, "the refusal of the rules could not be recorded");
            }
        }
    }
}

fn read(path: &Path) -> Result<Rulebook, ConfigError> {
    redaction_of(&parse_file(Some(path))?).map(|(_, book)| book)
}

/// Records which rules are in force, unless these were the last to be recorded.
pub(in crate::server) async fn announce(store: &Store, rules: &InForce) {
    let book = rules.book();
    let version = versions(&book);
    let recorded = async {
        let last = lifecycle(store, Some(LifecycleKind::RulesChanged), 1).await?;
        if last.first().and_then(|event| event.detail(VERSION)) == Some(&version) {
            return Ok(());
        }
        let named = listing(&book.settings().general).into_iter().filter(|line| line.on).take(NAMED_MAX);
        let rules: Vec<String> = named
            .map(|line| format!("{} v{} {} in {}", line.id, line.version, line.does, line.place))
            .collect();
        let detail = vec![(VERSION.to_owned(), version.clone()), ("rules".to_owned(), rules.join("\n"))];
        record(store, LifecycleKind::RulesChanged, detail).await
    };
    if let Err(error) = recorded.await {
        tracing::warn!(%error, "the redaction rules in force could not be recorded");
    }
}

/// All versions in one text: the general one, then those of single projects.
fn versions(book: &Rulebook) -> String {
    let one = |(project, version): (Option<&crate::domain::ids::Project>, &str)| match project {
        None => version.to_owned(),
        Some(project) => format!("{}:{version}", project.0),
    };
    book.versions().into_iter().map(one).collect::<Vec<_>>().join(" ")
}
