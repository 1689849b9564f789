//! What the tests share.
pub(crate) mod child;
pub(crate) mod engine;
pub(crate) mod rows;
