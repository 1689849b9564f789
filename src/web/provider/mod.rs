//! Signing in by an OpenID Connect provider: code flow with PKCE, state and nonce; groups become roles.
pub(in crate::web) mod client;
mod flow;

pub use client::{Provider, ProviderSettings};
pub(in crate::web) use flow::{back, go};
