//! Adding to the signed log.
use bytes::Bytes;

use crate::evidence::Subtree;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::{Table, Writer};

/// A node of the tree on its way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNode {
    /// Where.
    pub at: Subtree,
    /// Its hash.
    pub hash: [u8; 32],
    /// Of a leaf: its frame and its place in the frame.
    pub leaf: (u64, u32),
}

/// Adds nodes, in one insert: all of them or none. Leaves get their places from this one on.
///
/// # Errors
/// As for any insert; repeating it with the same nodes adds nothing.
pub async fn write_tree(
    store: &Store,
    log_id: [u8; 16],
    from: u64,
    nodes: &[TreeNode],
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for node in nodes {
        out.raw(&log_id);
        out.u8(node.at.level);
        out.u64(node.at.index);
        out.raw(&node.hash);
        out.u64(node.leaf.0);
        out.u32(node.leaf.1);
    }
    let token = format!("tree {} {from} {}", data_encoding::HEXLOWER.encode(&log_id), nodes.len());
    let rows = Bytes::from(out.into_bytes());
    store.insert_rows(Table::Tree.name(), &Table::Tree.columns(), rows, &token).await
}
