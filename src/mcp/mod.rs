//! The tools for agents that read the record (Model Context Protocol): few, read-only, bounded, and what was
//! recorded always marked as data. It knows no store: whoever serves it says how the API is asked.
mod arguments;
mod compact;
mod envelope;
mod handler;
mod tools;

pub use handler::{Ask, Asked, Asking, Handler, http_service, serve_stdio};
