//! recount.toml, as it is written: every key optional, unknown keys refused.
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::alerts::AlertTable;
use crate::config::aliases::AliasTable;
use crate::config::error::ConfigError;
use crate::config::prices::PriceTable;
use crate::config::quota::QuotaTable;
use crate::config::redaction::{RedactionTable, Written};
use crate::config::retention::RetentionTable;
use crate::config::sampling::SamplingTable;
use crate::config::tools::ToolTable;
use crate::config::vouching::{OidcTable, ProxyTable};
use crate::config::webhooks::WebhookTable;
use crate::domain::ids::Project;
use crate::redaction::{AllSettings, Rulebook, Settings as RedactionSettings};

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
    pub(super) cors_origins: Option<Vec<String>>,
    pub(super) base_path: Option<String>,
    pub(super) https: Option<bool>,
    pub(super) oidc: Option<OidcTable>,
    pub(super) proxy: Option<ProxyTable>,
    #[serde(default)]
    pub(super) redaction: RedactionTable,
    #[serde(default)]
    pub(super) retention: RetentionTable,
    #[serde(default)]
    pub(super) sampling: SamplingTable,
    #[serde(default)]
    pub(super) quota: QuotaTable,
    #[serde(default)]
    pub(super) projects: BTreeMap<String, ProjectTable>,
    #[serde(default)]
    pub(super) aliases: Vec<AliasTable>,
    #[serde(default)]
    pub(super) tools: BTreeMap<String, ToolTable>,
    #[serde(default)]
    pub(super) prices: Vec<PriceTable>,
    #[serde(default)]
    pub(super) webhooks: Vec<WebhookTable>,
    #[serde(default)]
    pub(super) alerts: Vec<AlertTable>,
    /// The file it was read from, and its text.
    #[serde(skip)]
    pub(super) written: Option<(PathBuf, String)>,
}

/// `[projects.<name>]`: what is set for one project, over what is set for all.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectTable {
    #[serde(default)]
    pub(super) redaction: RedactionTable,
    #[serde(default)]
    pub(super) retention: RetentionTable,
    #[serde(default)]
    pub(super) sampling: SamplingTable,
    #[serde(default)]
    pub(super) quota: QuotaTable,
}

/// Reads a settings file; `None` reads nothing and gives the defaults.
pub fn parse_file(path: Option<&Path>) -> Result<File, ConfigError> {
    let Some(path) = path else { return Ok(File::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    let file =
        File::parse(&text).map_err(|message| ConfigError::Unusable { path: path.to_owned(), message })?;
    Ok(File { written: Some((path.to_owned(), text)), ..file })
}

/// Reads what a settings file says of redaction, and compiles it: at the start, and when it is read again.
///
/// # Errors
/// A [`ConfigError`] that names the rule that can't be used, and its place.
pub fn redaction_of(file: &File) -> Result<(AllSettings, Rulebook), ConfigError> {
    let (path, text) = file.written.clone().unwrap_or_else(|| ("recount.toml".into(), String::new()));
    let written = Written { path: &path, text: &text };
    let general = file.redaction.clone().add_to(RedactionSettings::default(), written)?;
    let mut projects = BTreeMap::new();
    for (name, project) in &file.projects {
        let own = project.redaction.clone().add_to(general.clone(), written)?;
        if own != general {
            projects.insert(Project(name.clone()), own);
        }
    }
    let settings = AllSettings { general, projects };
    let unusable = |error: crate::redaction::RuleError| ConfigError::Unusable {
        path: path.clone(),
        message: error.to_string(),
    };
    let book = Rulebook::new(&settings).map_err(unusable)?;
    Ok((settings, book))
}

impl File {
    /// Reads settings that are part of the program.
    pub fn built_in(text: &str) -> Result<Self, ConfigError> {
        Self::parse(text).map_err(|message| ConfigError::Unusable { path: "(built in)".into(), message })
    }

    /// Reads settings that somebody typed, under the name by which errors shall call them.
    pub fn typed(name: &Path, text: &str) -> Result<Self, String> {
        Ok(Self { written: Some((name.to_owned(), text.to_owned())), ..Self::parse(text)? })
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
