//! A webhook: where to, under which secret, about what.
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use sha2::{Digest, Sha256};
use url::{Host, Url};

use crate::access::is_public;
use crate::domain::secret::Secret;
use crate::notices::due::{Kind, Limits};

/// Why a webhook can't be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EndpointError {
    /// The address can't be used: why, and the remedy.
    #[error("url {0}")]
    Url(String),
    /// The secret is too short to sign with.
    #[error("secret must have at least 16 bytes; `openssl rand -base64 24` makes one, write it as whsec_…")]
    Secret,
    /// A kind of event that does not exist.
    #[error(
        "events: there is no `{0}`; there are unknown.opened, unknown.aged, unknown.key_ends, \
         unknown.resolved, alert.fired, alert.resolved"
    )]
    Event(String),
    /// A shape that does not exist.
    #[error("shape can't be `{0}`: it is json or slack")]
    Shape(String),
    /// A name that can't be one.
    #[error("name takes 1 to 80 characters, none of them a control character")]
    Name,
}

/// What the messages of a webhook look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// JSON with the type, the time and the data of what happened.
    #[default]
    Json,
    /// `{"text": …}`, as Slack and those that take its messages read it.
    Slack,
}

impl Shape {
    /// The word of the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Slack => "slack",
        }
    }
}

/// A webhook, checked.
#[derive(Clone)]
pub struct Endpoint {
    label: Option<String>,
    pub(super) shape: Shape,
    pub(super) url: Url,
    pub(super) secret: Secret,
    pub(super) kinds: Vec<Kind>,
    pub(super) limits: Limits,
    pub(super) allow_private: bool,
}

/// Without the path, which is a secret with some services, and without the secret.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({}, {:?})", self.name(), self.kinds)
    }
}

impl Endpoint {
    /// Checks a webhook. Without events it hears of all.
    ///
    /// # Errors
    /// [`EndpointError`], each one sentence that shows no secret.
    pub fn new(
        url: &str,
        secret: &str,
        events: &[String],
        (aged_after, key_ends_within): (Duration, Duration),
        allow_private: bool,
    ) -> Result<Self, EndpointError> {
        let wrong = |what: &str| EndpointError::Url(what.to_owned());
        let url = Url::parse(url).map_err(|error| EndpointError::Url(format!("can't be read ({error})")))?;
        match (url.scheme(), allow_private) {
            ("https", _) | ("http", true) => {}
            ("http", false) => return Err(wrong("must begin with https:// (http:// takes allow_private)")),
            _ => return Err(wrong("must begin with https://")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("must have no user and password; receivers check the signature"));
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) => None,
            None => return Err(wrong("has no host")),
        };
        if literal.is_some_and(|address| !is_public(address)) && !allow_private {
            return Err(wrong("is a private address; set allow_private = true if that is meant"));
        }
        let kind = |word: &String| Kind::from_word(word).ok_or_else(|| EndpointError::Event(word.clone()));
        let mut kinds = events.iter().map(kind).collect::<Result<Vec<_>, _>>()?;
        if kinds.is_empty() {
            kinds = Kind::ALL.to_vec();
        }
        let secret = key(secret).filter(|key| key.len() >= 16).ok_or(EndpointError::Secret)?;
        let limits = Limits { aged_after, key_ends_within };
        Ok(Self {
            label: None,
            shape: Shape::Json,
            url,
            secret: Secret::new(secret),
            kinds,
            limits,
            allow_private,
        })
    }

    /// With a name that rules may give, and a shape of its messages.
    ///
    /// # Errors
    /// [`EndpointError::Name`] and [`EndpointError::Shape`] where there is no such.
    pub fn called(self, name: Option<&str>, shape: Option<&str>) -> Result<Self, EndpointError> {
        let shape = match shape {
            None | Some("json") => Shape::Json,
            Some("slack") => Shape::Slack,
            Some(other) => return Err(EndpointError::Shape(other.chars().take(40).collect())),
        };
        let is_name =
            |name: &str| (1..=80).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        if name.is_some_and(|name| !is_name(name)) {
            return Err(EndpointError::Name);
        }
        Ok(Self { label: name.map(str::to_owned), shape, ..self })
    }

    /// What its messages look like.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What names it in the store: never the address itself.
    pub fn id(&self) -> String {
        let hash = Sha256::digest(self.url.as_str());
        hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// What names it in the log and to people: what it is called, or its host.
    pub fn name(&self) -> String {
        if let Some(label) = &self.label {
            return label.clone();
        }
        let port = self.url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.url.host_str().unwrap_or_default())
    }
}

/// `whsec_` and base64, as Standard Webhooks write keys; else the text itself.
fn key(secret: &str) -> Option<Vec<u8>> {
    match secret.strip_prefix("whsec_") {
        Some(encoded) => data_encoding::BASE64.decode(encoded.as_bytes()).ok(),
        None => Some(secret.as_bytes().to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn made(url: &str, secret: &str, events: &[&str], private: bool) -> Result<Endpoint, EndpointError> {
        let events: Vec<String> = events.iter().map(ToString::to_string).collect();
        Endpoint::new(url, secret, &events, (HOUR, HOUR), private)
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZg==";
        assert!(made("https://ops.example/hook", secret, &["unknown.opened"], false).is_ok());
        assert!(made("http://127.0.0.1:9/hook", secret, &[], true).is_ok());
        for (url, key, events, named) in [
            ("http://ops.example/", secret, vec![], "https://"),
            ("ftp://ops.example/", secret, vec![], "https://"),
            ("https://10.0.0.7/", secret, vec![], "allow_private"),
            ("https://[::1]/", secret, vec![], "allow_private"),
            ("https://2130706433/", secret, vec![], "allow_private"),
            ("https://me:pw@ops.example/", secret, vec![], "user"),
            ("nowhere", secret, vec![], "can't be read"),
            ("https://ops.example/", "short", vec![], "secret"),
            ("https://ops.example/", "whsec_é", vec![], "secret"),
            ("https://ops.example/", secret, vec!["unknown.closed"], "unknown.closed"),
        ] {
            let error = made(url, key, &events, false).unwrap_err().to_string();
            assert!(error.contains(named) && !error.contains("MDEy"), "{url}: {error}");
        }
    }

    #[test]
    fn neither_secret_nor_path_is_shown() {
        let endpoint = made("https://ops.example/T0/B0/xyz", "0123456789abcdef", &[], false).unwrap();
        let shown = format!("{endpoint:?} {}", endpoint.name());
        assert!(
            shown.contains("ops.example") && !shown.contains("xyz") && !shown.contains("0123"),
            "{shown}"
        );
    }
}
