//! What agents did on or for an entity: read, told in sentences, and limited by what is known to be
//! missing.
pub(in crate::web) mod bundle;
pub(in crate::web) mod coverage;
pub(in crate::web) mod erase;
pub(in crate::web) mod gather;
pub(in crate::web) mod names;
pub(in crate::web) mod phrase;
pub(in crate::web) mod stream;
pub(in crate::web) mod told;
pub(in crate::web) mod tools;
