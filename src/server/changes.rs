//! Records at the start what was changed while the server stood: its settings, and the keys of redaction.
use std::collections::BTreeMap;

use crate::config::Settings;
use crate::domain::lifecycle::LifecycleKind;
use crate::evidence::KeyFile;
use crate::server::prepare::record;
use crate::store::queries::lifecycle;
use crate::store::{Store, StoreError};

/// The particular that names what is not as before.
const CHANGED: &str = "changed";
/// The particular that holds a key's version.
const VERSION: &str = "version";

/// Records the settings unless they are those recorded last, and a key that was added since.
pub(in crate::server) async fn announce(store: &Store, settings: &Settings, keys: &KeyFile) {
    if let Err(error) = of_settings(store, settings).await {
        tracing::warn!(%error, "the settings could not be recorded");
    }
    if let Err(error) = of_keys(store, keys).await {
        tracing::warn!(%error, "the keys in use could not be recorded");
    }
}

async fn of_settings(store: &Store, settings: &Settings) -> Result<(), StoreError> {
    let shown = settings.shown.iter().map(|setting| (setting.name.to_owned(), setting.value.clone()));
    // The rules have records of their own.
    let mut now: BTreeMap<String, String> =
        shown.filter(|(name, value)| !name.starts_with("redaction") && !value.is_empty()).collect();
    for (project, kept) in &settings.retention.projects {
        let days = [kept.acts_days, kept.reads_days, kept.contents_days, kept.activity_days];
        let days = days.map(|days| format!("{days}d")).join(" ");
        now.insert(format!("projects.{}.retention", project.0), days);
    }
    for (project, reads) in &settings.sampling.projects {
        now.insert(format!("projects.{}.sampling", project.0), reads.unwrap_or(1.0).to_string());
    }
    let last = lifecycle(store, Some(LifecycleKind::SettingsChanged), 1).await?.pop();
    let before: BTreeMap<String, String> = last.iter().flat_map(|event| event.detail.clone()).collect();
    let names = before.keys().chain(now.keys()).filter(|name| *name != CHANGED);
    let mut changed: Vec<&str> =
        names.filter(|name| before.get(*name) != now.get(*name)).map(String::as_str).collect();
    changed.sort_unstable();
    changed.dedup();
    if changed.is_empty() {
        return Ok(());
    }
    let first = vec![(CHANGED.to_owned(), changed.join(", "))];
    let detail = first.into_iter().chain(now.clone()).collect();
    record(store, LifecycleKind::SettingsChanged, detail).await
}

async fn of_keys(store: &Store, keys: &KeyFile) -> Result<(), StoreError> {
    let Some((version, fingerprint)) = keys.versions().pop() else { return Ok(()) };
    let last = lifecycle(store, Some(LifecycleKind::KeysRotated), 1).await?.pop();
    let known = last.and_then(|event| event.detail(VERSION)?.parse::<u32>().ok()).unwrap_or(1);
    if version <= known {
        return Ok(());
    }
    let detail = [(VERSION, version.to_string()), ("fingerprint", fingerprint.to_string())];
    let detail = detail.map(|(name, value)| (name.to_owned(), value)).to_vec();
    record(store, LifecycleKind::KeysRotated, detail).await
}
