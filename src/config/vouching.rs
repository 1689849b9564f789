//! `[oidc]` and `[proxy]` of recount.toml: who else says who somebody is.
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use serde::Deserialize;
use url::Url;

use crate::access::Grant;
use crate::config::error::ConfigError;
use crate::web::{ProviderSettings, ProxySettings};

/// `[oidc]`, as written; `docs/access.md` has an example.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OidcTable {
    issuer: String,
    client_id: String,
    /// The secret is in a file, so that it is in no other.
    client_secret_file: Option<PathBuf>,
    public_url: String,
    name_claim: Option<String>,
    groups_claim: Option<String>,
    roles: BTreeMap<String, Vec<String>>,
}

/// `[proxy]`, as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProxyTable {
    header: String,
    addresses: Vec<IpAddr>,
}

impl OidcTable {
    /// Checked as a whole.
    pub(super) fn checked(self) -> Result<ProviderSettings, ConfigError> {
        check_address("oidc.issuer", &self.issuer)?;
        check_address("oidc.public_url", &self.public_url)?;
        for text in self.roles.values().flatten() {
            Grant::parse(text).map_err(|error| refused("oidc.roles", text, &error.to_string()))?;
        }
        if self.roles.values().all(Vec::is_empty) {
            return Err(refused("oidc.roles", "", "give at least one group a role: ops = [\"operator@*\"]"));
        }
        let secret = match &self.client_secret_file {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path)
                .map(|text| text.trim().to_owned())
                .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?,
        };
        Ok(ProviderSettings {
            issuer: self.issuer,
            client_id: self.client_id,
            client_secret: secret,
            public_url: self.public_url,
            name_claim: self.name_claim.unwrap_or_else(|| "preferred_username".to_owned()),
            groups_claim: self.groups_claim.unwrap_or_else(|| "groups".to_owned()),
            roles: self.roles,
        })
    }
}

impl ProxyTable {
    /// Checked as a whole.
    pub(super) fn checked(self) -> Result<ProxySettings, ConfigError> {
        let Self { header, addresses } = self;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if header.is_empty() || !header.chars().all(plain) {
            return Err(refused(
                "proxy.header",
                &header,
                "it is the name of a header, such as x-forwarded-user",
            ));
        }
        if addresses.is_empty() {
            return Err(refused("proxy.addresses", "", "say where the proxy's requests come from"));
        }
        Ok(ProxySettings { header: header.to_ascii_lowercase(), addresses })
    }
}

/// An address over TLS, or of this machine.
fn check_address(setting: &'static str, text: &str) -> Result<(), ConfigError> {
    let url = Url::parse(text).map_err(|error| refused(setting, text, &error.to_string()))?;
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let own = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let plain = url.query().is_none() && url.fragment().is_none() && url.password().is_none();
    if plain && (url.scheme() == "https" || (url.scheme() == "http" && own)) {
        return Ok(());
    }
    Err(refused(setting, text, "it is an https address without a query; http only on this machine"))
}

fn refused(setting: &'static str, value: &str, reason: &str) -> ConfigError {
    ConfigError::Value { setting, value: value.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oidc(text: &str) -> Result<ProviderSettings, ConfigError> {
        toml::from_str::<OidcTable>(text).unwrap().checked()
    }

    #[test]
    fn a_provider_is_asked_over_tls_and_gives_known_roles() {
        let base = "client_id = \"recount\"\npublic_url = \"https://recount.example\"\n";
        let with =
            |issuer: &str, roles: &str| oidc(&format!("{base}issuer = \"{issuer}\"\n[roles]\n{roles}\n"));
        assert!(with("https://id.example/realms/x", "ops = [\"operator@*\"]").is_ok());
        assert!(with("http://127.0.0.1:9", "ops = [\"operator@*\"]").is_ok());
        for (issuer, roles, named) in [
            ("http://id.example", "ops = [\"operator@*\"]", "oidc.issuer"),
            ("https://id.example", "ops = [\"boss@*\"]", "oidc.roles"),
            ("https://id.example", "ops = []", "oidc.roles"),
        ] {
            let error = with(issuer, roles).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_proxy_is_trusted_by_its_address() {
        let proxy = |text: &str| toml::from_str::<ProxyTable>(text).unwrap().checked();
        let found = proxy("header = \"X-Forwarded-User\"\naddresses = [\"10.0.0.5\"]").unwrap();
        assert_eq!(found.header, "x-forwarded-user");
        assert!(proxy("header = \"x user\"\naddresses = [\"10.0.0.5\"]").is_err());
        assert!(proxy("header = \"x-user\"\naddresses = []").is_err());
    }
}
