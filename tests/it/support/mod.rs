//! What the tests share.
pub(crate) mod binary;
pub(crate) mod child;
pub(crate) mod connection;
pub(crate) mod engine;
pub(crate) mod rows;
