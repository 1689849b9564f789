//! One message to one webhook: signed, never to a private address, never following a redirect.
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Method, Request, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use tower_service::Service;

use crate::access::is_public;
use crate::notices::endpoint::Endpoint;
use crate::notices::sign::signature;

/// How long one delivery may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Why a delivery failed. Never carries the address or the answer's text.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum DeliveryError {
    /// It answered, and not well.
    #[error("it answered {0}")]
    Status(u16),
    /// No connection could be made, or it broke.
    #[error("it could not be reached{0}")]
    Unreachable(&'static str),
    /// No answer within the time.
    #[error("it did not answer within 10 s")]
    Slow,
    /// The message could not be made.
    #[error("the message could not be made")]
    Unmade,
}

/// Sends messages. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Courier {
    public: Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>,
    any: Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>,
}

impl Courier {
    pub(super) fn new() -> Self {
        let client = |allow_private: bool| {
            let mut connector = HttpConnector::new_with_resolver(Resolver { allow_private });
            connector.enforce_http(false);
            connector.set_connect_timeout(Some(WITHIN));
            let https = HttpsConnectorBuilder::new()
                .with_webpki_roots()
                .https_or_http()
                .enable_http1()
                .wrap_connector(connector);
            // A connection of its own for each message: the name is looked up and checked anew each time.
            Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(https)
        };
        Self { public: client(false), any: client(true) }
    }

    /// Sends one message; it has arrived only when the answer is a good one.
    pub(super) async fn deliver(
        &self,
        endpoint: &Endpoint,
        id: &str,
        at_s: u64,
        body: Bytes,
    ) -> Result<(), DeliveryError> {
        let signature = signature(&endpoint.secret, id, at_s, &body).ok_or(DeliveryError::Unmade)?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(endpoint.url.as_str())
            .header("content-type", "application/json")
            .header("user-agent", concat!("recount/", env!("CARGO_PKG_VERSION")))
            .header("webhook-id", id)
            .header("webhook-timestamp", at_s.to_string())
            .header("webhook-signature", signature)
            .body(Full::new(body))
            .map_err(|error| {
                tracing::debug!(%error, "a message to a webhook could not be made");
                DeliveryError::Unmade
            })?;
        let client = if endpoint.allow_private { &self.any } else { &self.public };
        match tokio::time::timeout(WITHIN, client.request(request)).await {
            Ok(Ok(answer)) => judged(answer.status()),
            Ok(Err(error)) => {
                let refused = is_private(&error);
                Err(DeliveryError::Unreachable(if refused { PRIVATE } else { "" }))
            }
            Err(_) => Err(DeliveryError::Slow),
        }
    }
}

const PRIVATE: &str = ": its name leads to a private address, which takes allow_private = true";

/// A redirect is no delivery: following it would leave the address that was checked.
fn judged(status: StatusCode) -> Result<(), DeliveryError> {
    if status.is_success() { Ok(()) } else { Err(DeliveryError::Status(status.as_u16())) }
}

/// Whether the resolver refused the address, somewhere below the error.
fn is_private(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
        {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Looks names up, and lets none through that leads to a private address: what is checked is what is
/// connected to.
#[derive(Debug, Clone)]
struct Resolver {
    allow_private: bool,
}

type Found = std::vec::IntoIter<SocketAddr>;

impl Service<Name> for Resolver {
    type Response = Found;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Found>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            admitted(found, allow_private).map(Vec::into_iter)
        })
    }
}

/// All of them or none: a name that leads inside as well is not to be trusted.
fn admitted(found: Vec<SocketAddr>, allow_private: bool) -> io::Result<Vec<SocketAddr>> {
    let private = |address: &SocketAddr| !is_public(IpAddr::to_canonical(&address.ip()));
    if !allow_private && found.iter().any(private) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "a private address"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_private_address_is_enough_to_refuse_a_name() {
        let both: Vec<SocketAddr> =
            ["8.8.8.8:0", "169.254.169.254:0"].map(|text| text.parse().unwrap()).into();
        assert_eq!(admitted(both.clone(), false).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(admitted(both, true).unwrap().len(), 2);
    }

    #[test]
    fn a_redirect_is_no_delivery() {
        assert_eq!(judged(StatusCode::NO_CONTENT), Ok(()));
        assert_eq!(judged(StatusCode::FOUND), Err(DeliveryError::Status(302)));
        assert_eq!(judged(StatusCode::GONE), Err(DeliveryError::Status(410)));
    }

    #[tokio::test]
    async fn a_name_that_leads_here_is_refused() {
        let limits = (Duration::from_secs(1), Duration::from_secs(1));
        let endpoint = Endpoint::new("https://localhost:9/", "0123456789abcdef", &[], limits, false).unwrap();
        let sent = Courier::new().deliver(&endpoint, "msg_1", 1, Bytes::from_static(b"{}")).await;
        assert_eq!(sent, Err(DeliveryError::Unreachable(PRIVATE)));
    }
}
