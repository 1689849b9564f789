//! Keys, digests and leaves: what makes a record recognisable and provable.
mod canon;
mod digest;
mod key_file;
mod leaf;
mod leaf_writer;
mod record_id;

pub use digest::{CanonicalDigests, ContentDigests, canonical_digest, canonical_json};
pub use digest::{content_digest, salted_digest};
pub use key_file::{Fingerprint, KeyError, KeyFile, KeyFilePolicy, ProjectKeys};
pub use leaf::{LEAF_SALT_BYTES, Leaf, LeafSalt, leaf_hash, leaf_json, leaf_salt};
pub use record_id::{RecordIds, log_record_id, span_record_id};
