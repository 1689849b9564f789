//! Keys, digests and leaves: what makes a record recognisable and provable.
mod bundle;
mod canon;
mod digest;
mod key_file;
mod leaf;
mod leaf_writer;
mod merkle;
mod note;
mod receipt;
mod record_id;
mod verify;

pub use bundle::{LogProof, Manifest, NodeHash, Proofs, RecordLine, manifest_text};
pub use digest::{CanonicalDigests, ContentDigests, canonical_digest, canonical_json};
pub use digest::{content_digest, salted_digest};
pub use key_file::{Fingerprint, KeyError, KeyFile, KeyFilePolicy, ProjectKeys};
pub use leaf::{LEAF_SALT_BYTES, Leaf, LeafSalt, leaf_hash, leaf_json, leaf_salt};
pub use merkle::{Edge, Hash, Subtree, TILE, TILE_LEVELS, needed, perfect_root, root_of};
pub use note::{Checkpoint, SignError, Signer, Trust};
pub use receipt::{ErasedRecord, Receipt, ReceiptFile, records_root};
pub use record_id::{RecordIds, log_record_id, span_record_id};
pub use verify::{Report, Unusable, verify};
