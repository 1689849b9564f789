//! Where a server listens.
use std::net::SocketAddr;

/// Where a server listens; real ports, also where 0 was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// Pages and API.
    pub ui: SocketAddr,
    /// OTLP over HTTP.
    pub otlp_http: SocketAddr,
    /// OTLP over gRPC.
    pub otlp_grpc: SocketAddr,
}

impl Addresses {
    /// The one line that says that traffic is taken.
    pub fn ready_line(&self) -> String {
        format!(
            "ready ui=http://{} otlp_http=http://{} otlp_grpc=http://{}",
            self.ui, self.otlp_http, self.otlp_grpc
        )
    }
}
