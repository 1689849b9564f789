//! The embedded engine: ClickHouse as a library in this process, behind the same HTTP interface that a server
//! has.
mod connection;
mod connector;
mod directory;
mod endpoint;
mod error;
mod exception;
mod joining;
mod library;
mod pool;
mod reply;
mod request;
mod running;
mod written;

pub use endpoint::Credentials;
pub use error::EngineError;
pub use running::{Engine, EngineSettings};
