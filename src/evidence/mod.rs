//! Keys, digests and leaves: what makes a record recognisable and provable.
