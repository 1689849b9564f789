//! Why a server does not start, each in one sentence, and the exit code that goes with it.
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::access::NoRandom;
use crate::evidence::{KeyError, SignError};
use crate::log::LogError;
use crate::projection::ProjectionError;
use crate::redaction::RuleError;
use crate::store::{MigrateError, StoreError};

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data directory can't be made.
    #[error("the data directory {path} can't be made: {source}; choose another with --data-dir")]
    DataDir {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The store does not open.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store's tables can't be brought to this version.
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    /// The key file can't be used.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// The store can't be asked which keys it was filled with, and there is no key file.
    #[error(
        "the store does not answer, and {path} is not there: whether keys must be made or restored can't be \
         told; start again when the store answers"
    )]
    KeysUnsure {
        /// Where the key file would be.
        path: PathBuf,
    },
    /// The signing key can't be used.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The log does not open.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The derived tables can't be made.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// A redaction rule can't be used.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// Strangers could reach a server that nobody has a credential for.
    #[error(
        "{setting} is {address}, which others can reach, and nobody has a credential yet: make one first, \
         with `recount user add NAME --role admin@*` or `recount key create NAME`, or listen on 127.0.0.1"
    )]
    Open {
        /// The setting.
        setting: &'static str,
        /// Its value.
        address: String,
    },
    /// The commands' key needs randomness.
    #[error(transparent)]
    Random(NoRandom),
    /// A port can't be had.
    #[error(
        "{setting} {address} can't be listened on: {source}; choose another address, or port 0 for a free one"
    )]
    Listen {
        /// The setting.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

impl StartError {
    /// 2 for arguments and settings that can't work, 1 for what may work later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::KeysUnsure { .. } | Self::Projection(_) | Self::Random(_) => 1,
            Self::DataDir { .. }
            | Self::Store(_)
            | Self::Migrate(_)
            | Self::Keys(_)
            | Self::Sign(_)
            | Self::Log(_)
            | Self::Rules(_)
            | Self::Open { .. }
            | Self::Listen { .. } => 2,
        }
    }
}
