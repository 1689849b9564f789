//! A connector without a network: each connection is a pipe in memory with the endpoint at its other end.
use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tower_service::Service;

use crate::store::engine::endpoint::Endpoint;

/// How much waits in a pipe in each direction before the writer has to wait.
const PIPE_BYTES: usize = 256 << 10;

/// Opens pipes to one endpoint, whatever the address says.
#[derive(Clone)]
pub(super) struct Connector {
    endpoint: Endpoint,
}

impl Connector {
    pub(super) fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

impl Service<Uri> for Connector {
    type Response = Pipe;
    type Error = io::Error;
    type Future = Ready<io::Result<Pipe>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        drop(tokio::spawn(self.endpoint.clone().serve(theirs)));
        ready(Ok(Pipe(TokioIo::new(ours))))
    }
}

/// The client's end of a pipe.
pub(super) struct Pipe(TokioIo<DuplexStream>);

impl Connection for Pipe {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for Pipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
