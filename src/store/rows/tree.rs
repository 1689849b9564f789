//! Tables `tree` and `checkpoints`: the signed log, which says nothing of records but their hashes.

/// The columns of `tree` and their types, in the order of a row on its way in.
pub(in crate::store) const TREE: [(&str, &str); 6] = [
    ("log_id", "FixedString(16)"),
    ("level", "UInt8"),
    ("place", "UInt64"),
    ("hash", "FixedString(32)"),
    ("frame", "UInt64"),
    ("position", "UInt32"),
];
/// The columns of `checkpoints`.
pub(in crate::store) const CHECKPOINTS: [(&str, &str); 4] =
    [("log_id", "FixedString(16)"), ("size", "UInt64"), ("at_ns", "UInt64"), ("note", "String")];
