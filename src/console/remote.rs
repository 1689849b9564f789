//! A running server's API over HTTP: asks, follows within the server and never beyond it, bounds what it
//! takes.
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::header::LOCATION;
use hyper::{Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use url::Url;

use crate::config::ServerArgs;
use crate::domain::address::encoded;
use crate::domain::hidden::{plain, shortened};

/// The longest answer that is taken.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// A server stops a question of its own after 30 s.
const WITHIN: Duration = Duration::from_secs(60);
/// A run that moved, a trace that leads to its run.
const REDIRECTS_MAX: usize = 4;
/// An error is cut here.
const SAID_CHARS_MAX: usize = 1_000;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The address can't be used.
    #[error("--url {0}")]
    Url(String),
    /// The key can't be sent.
    #[error("--key has characters that no key has")]
    Key,
    /// Nobody answers there.
    #[error(
        "{url} does not answer ({reason}); is a server running there? \
         `recount serve` starts one, --url names another"
    )]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        reason: String,
    },
    /// It answered that it will not.
    #[error("the server said {status}: {said}")]
    Refused {
        /// The status.
        status: u16,
        /// Its sentence.
        said: String,
    },
    /// What came is no answer of the API.
    #[error("{0}")]
    Unreadable(String),
}

impl RemoteError {
    /// 2 for what another command line would cure, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Url(_) | Self::Key | Self::Refused { status: 400, .. } => 2,
            Self::Unreachable { .. } | Self::Refused { .. } | Self::Unreadable(_) => 1,
        }
    }
}

/// A server that runs somewhere.
#[derive(Debug, Clone)]
pub struct Remote {
    base: Url,
    authorization: Option<String>,
    project: Option<String>,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
}

impl Remote {
    /// A server by its flags.
    ///
    /// # Errors
    /// [`RemoteError::Url`] and [`RemoteError::Key`] where a flag can't be used.
    pub fn new(args: &ServerArgs) -> Result<Self, RemoteError> {
        let wrong = |what: &str| RemoteError::Url(format!("{what}; write it as http://127.0.0.1:4319"));
        let base = Url::parse(args.url.trim_end_matches('/'))
            .map_err(|error| wrong(&format!("can't be read ({error})")))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong("must begin with http:// or https://"));
        }
        if !base.username().is_empty() || base.password().is_some() || base.query().is_some() {
            return Err(wrong("takes a host, a port and a path only"));
        }
        let is_key = |key: &str| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        if args.key.as_deref().is_some_and(|key| !is_key(key)) {
            return Err(RemoteError::Key);
        }
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_connect_timeout(Some(Duration::from_secs(10)));
        let https = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        Ok(Self {
            base,
            authorization: args.key.as_ref().map(|key| format!("Bearer {key}")),
            project: args.project.clone(),
            client: Client::builder(TokioExecutor::new()).build(https.wrap_connector(connector)),
        })
    }

    /// The status and the body of the answer to a path with its query.
    ///
    /// # Errors
    /// Where nobody answers, or with more than can be taken.
    pub async fn ask(&self, path: &str) -> Result<(u16, Bytes), RemoteError> {
        let mut at = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        if let Some(project) = &self.project {
            let with = if path.contains('?') { '&' } else { '?' };
            at.push_str(&format!("{with}project={}", encoded(project)));
        }
        let mut at = Url::parse(&at).map_err(|error| RemoteError::Url(format!("can't be read ({error})")))?;
        for _ in 0..REDIRECTS_MAX {
            let (status, to, body) = self.once(&at).await?;
            let Some(to) = to.filter(|_| status.is_redirection()) else { return Ok((status.as_u16(), body)) };
            let next = at.join(&to).ok().filter(|next| next.origin() == at.origin());
            at = next.ok_or_else(|| {
                RemoteError::Unreadable(
                    "the server sends on to another server; nothing was sent there".to_owned(),
                )
            })?;
            if let Some(project) = &self.project {
                at.query_pairs_mut().append_pair("project", project);
            }
        }
        Err(RemoteError::Unreadable("the server sends on and on".to_owned()))
    }

    /// A good answer, or what the server said instead.
    ///
    /// # Errors
    /// As for [`Remote::ask`], and where the server refuses.
    pub async fn good(&self, path: &str) -> Result<Bytes, RemoteError> {
        let (status, body) = self.ask(path).await?;
        if (200..300).contains(&status) {
            return Ok(body);
        }
        Err(RemoteError::Refused { status, said: said(&body) })
    }

    async fn once(&self, at: &Url) -> Result<(StatusCode, Option<String>, Bytes), RemoteError> {
        let unreachable = |reason: String| RemoteError::Unreachable {
            url: self.base.as_str().trim_end_matches('/').to_owned(),
            reason,
        };
        let mut request = Request::get(at.as_str()).header("accept", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let request = request.body(Empty::<Bytes>::new()).map_err(|error| unreachable(error.to_string()))?;
        let answer = async {
            let response = self.client.request(request).await.map_err(|error| unreachable(causes(&error)))?;
            let (status, to) = (response.status(), response.headers().get(LOCATION).cloned());
            let to = to.and_then(|to| to.to_str().map(str::to_owned).ok());
            let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
            let cut =
                |error| RemoteError::Unreadable(format!("the answer broke off or is too long: {error}"));
            Ok((status, to, body.map_err(cut)?.to_bytes()))
        };
        let late = |_| unreachable(format!("not within {} s", WITHIN.as_secs()));
        tokio::time::timeout(WITHIN, answer).await.map_err(late)?
    }
}

/// What an error comes of, since the outer one says little.
fn causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        said = error.to_string();
        cause = error.source();
    }
    plain(&said)
}

/// The sentence of a problem; of anything else its beginning.
fn said(body: &[u8]) -> String {
    let problem: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let detail = problem.as_ref().and_then(|problem| problem.get("detail")?.as_str());
    let text = detail.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    shortened(&plain(&text), SAID_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, key: Option<&str>) -> Result<Remote, RemoteError> {
        Remote::new(&ServerArgs { url: url.to_owned(), key: key.map(str::to_owned), project: None })
    }

    #[test]
    fn unusable_flags_are_named() {
        for (url, key, named) in [
            ("nowhere", None, "--url"),
            ("ftp://a", None, "http://"),
            ("http://a:b@c", None, "--url"),
            ("http://a", Some("a\nb"), "--key"),
        ] {
            let error = of(url, key).unwrap_err();
            assert!(error.to_string().contains(named) && error.exit_code() == 2, "{error}");
        }
        assert!(of("https://recount.example/below/", Some("rcn_x")).is_ok());
    }

    #[test]
    fn what_the_server_says_is_plain() {
        assert_eq!(said(br#"{"detail":"no\u001b[2J run"}"#), "no[ESC][2J run");
        assert_eq!(said(b"<html>\n"), "<html> ");
    }
}
