//! Who gives records their places in the signed log, and with which key.
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::access::random_id;
use crate::config::Settings;
use crate::evidence::Signer;
use crate::projection::{Sequencer, Signing};
use crate::server::addresses::Addresses;
use crate::server::error::StartError;
use crate::server::prepare::now_ns;
use crate::store::Store;

/// How often new records get their places, and the log its signature.
const SIGN_EVERY: Duration = Duration::from_secs(10);
/// Who signs: the name in every note.
const SIGNER: &str = "recount";

/// Gives records their places in the log that is signed with the key beside the other keys.
pub(in crate::server) fn sequencer(
    settings: &Settings,
    at: Addresses,
    store: &Store,
) -> Result<Sequencer, StartError> {
    let signer = Signer::open(&settings.data_dir.join("recount.sign"), SIGNER)?;
    let outside = settings.data_dir.join("checkpoints.notes");
    let trust = serde_json::to_string_pretty(&signer.trust()).unwrap_or_default();
    if let Err(error) = std::fs::write(settings.data_dir.join("trust.json"), trust) {
        tracing::warn!(%error, "trust.json could not be written");
    }
    let write = move |note: &str| {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&outside);
        let written = file.and_then(|mut file| {
            file.write_all(format!("{note}\n").as_bytes())?;
            file.sync_all()
        });
        if let Err(error) = written {
            tracing::error!(%error, "a checkpoint could not be written outside the store");
        }
    };
    let sequencer = Sequencer::new(store.clone(), Arc::new(signer), Arc::new(write));
    if store.engine().is_some() {
        return Ok(sequencer);
    }
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = format!("{} {}", host.trim(), at.ui).trim().to_owned();
    Ok(sequencer.among_others((random_id().map_err(StartError::Random)?, name)))
}

/// Gives places and signs until told to stop.
pub(in crate::server) async fn sequence(sequencer: Sequencer, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(SIGN_EVERY) => {}
        }
        if let Err(error) = sequencer.run(now_ns()).await {
            tracing::warn!(%error, "records could not be given their places in the signed log; trying again");
        }
    }
}

/// Who signs, for `/status`.
pub(in crate::server) fn said(signing: &Signing) -> String {
    match signing {
        Signing::Alone | Signing::Mine => "by this server".to_owned(),
        Signing::Unknown => "not known yet".to_owned(),
        Signing::Other { name, same_key: true } => format!("by the server {name}, with the same key"),
        Signing::Other { name, same_key: false } => {
            format!("by the server {name}, with another key: export evidence and erase there")
        }
    }
}
