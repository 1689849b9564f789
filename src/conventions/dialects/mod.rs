//! One file per dialect; they never use one another.
pub(in crate::conventions) mod gen_ai;
pub(in crate::conventions) mod http;
pub(in crate::conventions) mod mcp;
pub(in crate::conventions) mod openinference;
pub(in crate::conventions) mod otel;
pub(in crate::conventions) mod plain;
pub(in crate::conventions) mod recount;
