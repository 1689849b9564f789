//! What can be wrong with the settings; every message names the setting and the remedy.
use std::path::PathBuf;

/// Unusable settings: the process exits with 2.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is not there or can't be read.
    #[error("the settings file {path} can't be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no TOML, or has a key or a value that means nothing.
    #[error("the settings file {path} is not usable: {message}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Where and why, in the parser's words.
        message: String,
    },
    /// A setting has a value that can't be.
    #[error("{setting} can't be {value:?}: {reason}")]
    Value {
        /// The setting's name in recount.toml.
        setting: &'static str,
        /// The value, unless it may be a secret.
        value: String,
        /// Why, and what would do.
        reason: String,
    },
}
