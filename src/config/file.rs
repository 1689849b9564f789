//! recount.toml, as it is written: every key optional, unknown keys refused.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::error::ConfigError;
use crate::config::tools::ToolTable;

/// The whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub(super) data_dir: Option<PathBuf>,
    pub(super) clickhouse_url: Option<String>,
    pub(super) cluster: Option<String>,
    pub(super) engine: Option<PathBuf>,
    pub(super) listen: Option<SocketAddr>,
    pub(super) otlp_grpc: Option<SocketAddr>,
    pub(super) otlp_http: Option<SocketAddr>,
    pub(super) ack: Option<String>,
    pub(super) log_bytes_max: Option<u64>,
    pub(super) hosts: Option<Vec<String>>,
    pub(super) base_path: Option<String>,
    #[serde(default)]
    pub(super) redaction: RedactionTable,
    #[serde(default)]
    pub(super) tools: BTreeMap<String, ToolTable>,
}

/// `[redaction]`: which built-in packs apply.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RedactionTable {
    /// Whether e-mail addresses are redacted too.
    pub(super) emails: Option<bool>,
}

/// Reads a settings file; `None` reads nothing and gives the defaults.
pub fn parse_file(path: Option<&Path>) -> Result<File, ConfigError> {
    let Some(path) = path else { return Ok(File::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    File::parse(&text).map_err(|message| ConfigError::Unusable { path: path.to_owned(), message })
}

impl File {
    /// Reads settings that are part of the program.
    pub fn built_in(text: &str) -> Result<Self, ConfigError> {
        Self::parse(text).map_err(|message| ConfigError::Unusable { path: "(built in)".into(), message })
    }

    /// Reads the text of a settings file; the error is the parser's, with line and key.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_named() {
        let error = File::parse("lissten = \"127.0.0.1:1\"").unwrap_err();
        assert!(error.contains("lissten"), "{error}");
        let error = File::parse("[tools.issue_refund]\nkinds = \"act\"").unwrap_err();
        assert!(error.contains("kinds"), "{error}");
    }
}
