//! The way in for whoever may read the data directory: while the server runs, a file in it says where it is
//! and holds a key that lives as long as the process.
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::header::CONTENT_TYPE;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};

use crate::access::{NoRandom, SecretHash, hash, random_token};
use crate::server::access::write_private;

/// The header that carries the key.
const LOCAL_KEY: &str = "x-recount-local";

/// Where a server that runs is, and what lets its owner in.
#[derive(Serialize, Deserialize)]
pub(in crate::server) struct Local {
    ui: String,
    key: String,
}

impl Local {
    /// For a server that listens here.
    ///
    /// # Errors
    /// Without random bytes there is none.
    pub(in crate::server) fn new(ui: SocketAddr) -> Result<Self, NoRandom> {
        let host = match ui.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
        };
        Ok(Self { ui: format!("http://{}", SocketAddr::new(host, ui.port())), key: random_token()? })
    }

    /// What the server keeps of the key.
    pub(in crate::server) fn hash(&self) -> SecretHash {
        hash("local", &self.key)
    }

    /// Leaves it where the owner of the data directory finds it.
    pub(in crate::server) fn leave(&self, data_dir: &Path) {
        let written = serde_json::to_string(self)
            .map_err(std::io::Error::from)
            .and_then(|text| write_private(&path(data_dir), &text));
        if let Err(error) = written {
            tracing::warn!(%error, "commands can't reach this server through its data directory");
        }
    }

    /// Takes it away.
    pub(in crate::server) fn take_away(data_dir: &Path) {
        // Gone already, or left behind: a file of a server that does not run is not believed.
        std::fs::remove_file(path(data_dir)).unwrap_or_default();
    }

    /// Finds the server that runs over a data directory.
    pub(in crate::server) fn find(data_dir: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path(data_dir)).ok()?).ok()
    }

    /// Its address, and the header that lets in.
    pub(in crate::server) fn door(&self) -> (String, (&'static str, String)) {
        (self.ui.clone(), (LOCAL_KEY, self.key.clone()))
    }

    /// Asks it; `None` when it does not run any more. The status and the body of its answer.
    pub(in crate::server) async fn ask(&self, path: &str, body: Option<Vec<u8>>) -> Option<(u16, Bytes)> {
        let method = if body.is_some() { "POST" } else { "GET" };
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.ui))
            .header(LOCAL_KEY, &self.key)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.unwrap_or_default())))
            .ok()?;
        let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        let response = client.request(request).await.ok()?;
        let status = response.status().as_u16();
        Some((status, response.into_body().collect().await.ok()?.to_bytes()))
    }
}

fn path(data_dir: &Path) -> PathBuf {
    data_dir.join("recount.local")
}
