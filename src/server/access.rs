//! Who may come in, kept up to date: read from the store, read again when others may have changed it, and
//! remembered in the data directory for a start while the store does not answer.
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::access::{Access, Directory, KeyEntry, Person, Role, SecretHash};
use crate::config::{Settings, StoreSetting};
use crate::domain::ids::Project;
use crate::server::error::StartError;
use crate::server::prepare::now_ns;
use crate::store::{Store, StoreError, directory, keep_uses};

/// Between two looks at what other processes may have changed: a key that is revoked there works no longer.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Looks between two times that the last uses of keys are written.
const LOOKS_PER_WRITE: u32 = 30;

/// Opens the door: as the store says, or as it said last.
///
/// # Errors
/// [`StartError::Open`] when strangers could reach a server that nobody has a credential for.
pub(in crate::server) async fn open_access(
    store: &Store,
    settings: &Settings,
    answering: bool,
) -> Result<Access, StartError> {
    let access = Access::new(exposed(settings).is_none());
    if settings.oidc.is_some() || settings.proxy.is_some() {
        access.vouch();
    }
    if answering {
        access.set(directory(store, now_ns()).await?);
        remember(&settings.data_dir, &access.directory());
    } else {
        access.set(remembered(&settings.data_dir));
    }
    match exposed(settings) {
        Some((setting, address)) if !access.has_credentials() => {
            Err(StartError::Open { setting, address: address.to_string() })
        }
        Some(_) | None => Ok(access),
    }
}

/// The first address that strangers can reach.
fn exposed(settings: &Settings) -> Option<(&'static str, std::net::SocketAddr)> {
    let all =
        [("listen", settings.listen), ("otlp_grpc", settings.otlp_grpc), ("otlp_http", settings.otlp_http)];
    all.into_iter().find(|(_, address)| !address.ip().is_loopback())
}

/// Keeps the door up to date until `stop`; then writes the last uses.
pub(in crate::server) fn watch_access(
    access: Access,
    store: Store,
    settings: &Settings,
    stop: CancellationToken,
) -> tokio::task::JoinHandle<()> {
    // Embedded, no other process can change it.
    let others = matches!(settings.store, StoreSetting::Server { .. });
    let data_dir = settings.data_dir.clone();
    tokio::spawn(async move {
        let mut written = access.uses();
        let mut seen = access.directory();
        for look in 1u32.. {
            let stopped = tokio::select! {
                () = stop.cancelled() => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            if !stopped && others {
                // Unreachable, the last that is known stays in force.
                match directory(&store, now_ns()).await {
                    Ok(found) => access.set(found),
                    Err(error) => tracing::debug!(%error, "who may come in could not be read"),
                }
            }
            let now = access.directory();
            if !Arc::ptr_eq(&now, &seen) {
                remember(&data_dir, &now);
                seen = now;
            }
            if stopped || look.is_multiple_of(LOOKS_PER_WRITE) {
                match write_uses(&access, &store, &written).await {
                    Ok(()) => written = access.uses(),
                    Err(error) => tracing::debug!(%error, "the last uses of keys could not be written"),
                }
            }
            if stopped {
                return;
            }
        }
    })
}

async fn write_uses(
    access: &Access,
    store: &Store,
    written: &std::collections::HashMap<String, u64>,
) -> Result<(), StoreError> {
    let directory = access.directory();
    let fresh: Vec<(String, u64)> = access
        .uses()
        .into_iter()
        .filter(|(id, at)| written.get(id) != Some(at) && directory.keys.iter().any(|key| key.id == *id))
        .collect();
    keep_uses(store, &fresh, now_ns()).await
}

/// What is remembered of a directory: enough to tell senders apart, nothing that helps to sign in.
#[derive(Serialize, Deserialize)]
struct Remembered {
    has_people: bool,
    keys: Vec<RememberedKey>,
}

#[derive(Serialize, Deserialize)]
struct RememberedKey {
    id: String,
    name: String,
    project: String,
    role: String,
    hash: String,
    expires_ns: Option<u64>,
    revoked: bool,
}

fn path_of(data_dir: &Path) -> PathBuf {
    data_dir.join("recount.access")
}

fn remember(data_dir: &Path, directory: &Directory) {
    let keys = directory.keys.iter().map(|key| RememberedKey {
        id: key.id.clone(),
        name: key.name.clone(),
        project: key.project.0.clone(),
        role: key.role.word().to_owned(),
        hash: key.hash.0.clone(),
        expires_ns: key.expires_ns,
        revoked: key.revoked,
    });
    let remembered = Remembered { has_people: !directory.people.is_empty(), keys: keys.collect() };
    let path = path_of(data_dir);
    let written = serde_json::to_string(&remembered)
        .map_err(std::io::Error::from)
        .and_then(|text| write_private(&path, &text));
    if let Err(error) = written {
        tracing::warn!(%error, "who may come in could not be remembered for a start without the store");
    }
}

/// Writes a file that only its owner may read, whole or not at all.
pub(in crate::server) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let draft = path.with_extension("access.new");
    let mut file =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}

fn remembered(data_dir: &Path) -> Directory {
    let read = std::fs::read(path_of(data_dir)).ok();
    let found: Option<Remembered> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let Some(Remembered { has_people, keys }) = found else { return Directory::default() };
    let keys = keys.into_iter().filter_map(|key| {
        Some(KeyEntry {
            id: key.id,
            at_ns: 0,
            name: key.name,
            project: Project(key.project),
            role: Role::from_word(&key.role)?,
            // Without the store nothing can be read, so who may read what need not be known.
            entities: Vec::new(),
            hash: SecretHash(key.hash),
            made_ns: 0,
            expires_ns: key.expires_ns,
            revoked: key.revoked,
            by: String::new(),
        })
    });
    // Nobody can sign in without the store; that there are people must not be forgotten.
    let people = has_people.then(|| Person { disabled: true, ..Person::default() });
    Directory::of(Vec::new(), people.into_iter().collect(), keys.collect(), Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::ApiKey;

    #[test]
    fn senders_are_known_at_a_start_without_the_store() {
        let folder = tempfile::tempdir().unwrap();
        assert!(remembered(folder.path()).is_empty());
        let key = ApiKey::make().unwrap();
        let entry = KeyEntry {
            id: key.id().to_owned(),
            at_ns: 7,
            name: "agents".to_owned(),
            project: Project("shop".to_owned()),
            role: Role::Sender,
            entities: Vec::new(),
            hash: key.hash(),
            made_ns: 7,
            expires_ns: None,
            revoked: false,
            by: String::new(),
        };
        remember(folder.path(), &Directory::of(Vec::new(), Vec::new(), vec![entry], Vec::new()));
        let found = remembered(folder.path());
        assert_eq!(found.holder(&key, 9).unwrap().1.project.0, "shop");
        let text = std::fs::read_to_string(path_of(folder.path())).unwrap();
        assert!(!text.contains(key.expose()));
        let person = Person { id: "p".to_owned(), ..Person::default() };
        remember(folder.path(), &Directory::of(Vec::new(), vec![person], Vec::new(), Vec::new()));
        assert!(
            !remembered(folder.path()).is_empty() && remembered(folder.path()).person_by_id("").is_none()
        );
    }
}
