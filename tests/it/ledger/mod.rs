//! Acts, keys and cases, as gates, reconcilers and people meet them: through the program's sockets.
mod alerts;
mod cases;
mod closing;
mod keys;
mod queue;
mod ready;
pub(crate) mod sending;
mod webhooks;
