//! Speaks to the provider: its addresses, its keys, a code for a token. Follows no redirect, asks no address
//! that the settings or the provider's own document does not name.
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use data_encoding::BASE64;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::access::ProviderKeys;
use crate::web::link::encoded;

/// How long the provider may take, and how much it may say.
const PATIENCE: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Which provider, and what it is trusted with.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// `https://id.example/realms/x`.
    pub issuer: String,
    /// What Recount is called there.
    pub client_id: String,
    /// Its secret there; empty for a public client.
    pub client_secret: String,
    /// The address that browsers reach Recount by: `https://recount.example`, with the base path.
    pub public_url: String,
    /// The claim that names somebody.
    pub name_claim: String,
    /// The claim that lists groups.
    pub groups_claim: String,
    /// What each group is given: `role@project` and so on.
    pub roles: BTreeMap<String, Vec<String>>,
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSettings").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// What the provider says of itself.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::web) struct Addresses {
    issuer: String,
    pub(in crate::web) authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// The provider.
pub struct Provider {
    /// Which.
    pub settings: ProviderSettings,
    http: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    addresses: Mutex<Option<Addresses>>,
    keys: Mutex<Option<ProviderKeys>>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Provider").field(&self.settings).finish()
    }
}

/// Why the provider can't be asked. Without its words: they may hold what is secret.
#[derive(Debug, thiserror::Error)]
pub(in crate::web) enum AskError {
    #[error("the provider does not answer")]
    Unreachable,
    #[error("the provider answered {0}")]
    Status(u16),
    #[error("the provider's answer can't be read")]
    Unreadable,
    #[error("the provider says that it is another one; check the setting `oidc.issuer`")]
    Other,
    #[error("the provider names an address that is neither https nor its own")]
    Unsafe,
}

impl Provider {
    /// The provider of these settings. Nothing is asked yet.
    pub fn new(settings: ProviderSettings) -> Self {
        let connector =
            HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        Self {
            settings,
            http: Client::builder(TokioExecutor::new()).build(connector),
            addresses: Mutex::new(None),
            keys: Mutex::new(None),
        }
    }

    /// The provider's addresses; asked once.
    pub(in crate::web) async fn addresses(&self) -> Result<Addresses, AskError> {
        let mut known = self.addresses.lock().await;
        if let Some(addresses) = &*known {
            return Ok(addresses.clone());
        }
        let issuer = self.settings.issuer.trim_end_matches('/');
        let request = Request::get(format!("{issuer}/.well-known/openid-configuration"));
        let found: Addresses = self.ask(request.header(ACCEPT, "application/json"), Bytes::new()).await?;
        if found.issuer.trim_end_matches('/') != issuer {
            return Err(AskError::Other);
        }
        let all = [&found.authorization_endpoint, &found.token_endpoint, &found.jwks_uri];
        if !all.iter().all(|address| self.is_safe(address)) {
            return Err(AskError::Unsafe);
        }
        *known = Some(found.clone());
        Ok(found)
    }

    /// Over TLS, or where the settings say themselves that the provider is on plain HTTP: on that host only.
    fn is_safe(&self, address: &str) -> bool {
        let (Ok(address), Ok(issuer)) = (url::Url::parse(address), url::Url::parse(&self.settings.issuer))
        else {
            return false;
        };
        let same = address.host_str() == issuer.host_str() && address.port() == issuer.port();
        address.scheme() == "https" || (issuer.scheme() == "http" && address.scheme() == "http" && same)
    }

    /// The provider's keys; `again` when a token was signed by one that is not known.
    pub(in crate::web) async fn keys(&self, again: bool) -> Result<ProviderKeys, AskError> {
        let mut known = self.keys.lock().await;
        if let Some(keys) = known.as_ref().filter(|_| !again) {
            return Ok(keys.clone());
        }
        let addresses = self.addresses().await?;
        let request = Request::get(&addresses.jwks_uri).header(ACCEPT, "application/json");
        let keys: ProviderKeys = self.ask(request, Bytes::new()).await?;
        *known = Some(keys.clone());
        Ok(keys)
    }

    /// The token for a code.
    pub(in crate::web) async fn redeem(
        &self,
        code: &str,
        verifier: &str,
        redirect: &str,
    ) -> Result<String, AskError> {
        let ProviderSettings { client_id, client_secret, .. } = &self.settings;
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect)
            .append_pair("client_id", client_id)
            .append_pair("code_verifier", verifier)
            .finish();
        let addresses = self.addresses().await?;
        let mut request = Request::post(&addresses.token_endpoint)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if !client_secret.is_empty() {
            let pair = format!("{}:{}", encoded(client_id), encoded(client_secret));
            request = request.header(AUTHORIZATION, format!("Basic {}", BASE64.encode(pair.as_bytes())));
        }
        Ok(self.ask::<Tokens>(request, form.into()).await?.id_token)
    }

    async fn ask<T: for<'de> Deserialize<'de>>(
        &self,
        request: hyper::http::request::Builder,
        body: Bytes,
    ) -> Result<T, AskError> {
        let request = request.body(Full::new(body)).or(Err(AskError::Unsafe))?;
        let answered = async {
            let response = self.http.request(request).await.or(Err(AskError::Unreachable))?;
            let status = response.status();
            if !status.is_success() {
                return Err(AskError::Status(status.as_u16()));
            }
            let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
            let body = body.or(Err(AskError::Unreadable))?.to_bytes();
            serde_json::from_slice(&body).or(Err(AskError::Unreadable))
        };
        tokio::time::timeout(PATIENCE, answered).await.unwrap_or(Err(AskError::Unreachable))
    }
}
