//! Gives leaves their places in the signed log, and signs what it has come to.
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::evidence::{Checkpoint, Edge, Signer, Subtree, TILE, TILE_LEVELS};
use crate::projection::error::ProjectionError;
use crate::projection::signing::{Signing, Turns};
use crate::store::queries::{
    KeptCheckpoint, TreeSize, checkpoints, record_checkpoint, tree_nodes, tree_size, unplaced_leaves,
};
use crate::store::{Store, TreeNode, write_tree};

/// Leaves that get their places at once.
const LEAVES_AT_ONCE: u32 = 20_000;
/// So many frames back the sequencer looks for leaves that came late: an insert may become visible in parts.
const FRAMES_BACK: u64 = 5_000;

/// Where checkpoints are written besides the database.
pub type Outside = Arc<dyn Fn(&str) + Send + Sync>;

/// The sequencer.
#[derive(Clone)]
pub struct Sequencer {
    store: Store,
    signer: Arc<Signer>,
    outside: Outside,
    /// One at a time: places are given once.
    turn: Arc<tokio::sync::Mutex<()>>,
    /// Where other servers use the store too.
    turns: Option<Arc<Turns>>,
}

impl std::fmt::Debug for Sequencer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sequencer").field("signer", &self.signer).finish_non_exhaustive()
    }
}

impl Sequencer {
    /// A sequencer of all logs in this store. `outside` gets every signed note.
    pub fn new(store: Store, signer: Arc<Signer>, outside: Outside) -> Self {
        Self { store, signer, outside, turn: Arc::default(), turns: None }
    }

    /// The same among others over the same store, under an id of its own and a name for people: one of them
    /// signs at a time.
    #[must_use]
    pub fn among_others(mut self, me: (String, String)) -> Self {
        let turns = Turns::new(self.store.clone(), me, self.signer.trust().public_key);
        self.turns = Some(Arc::new(turns));
        self
    }

    /// Who signs, as far as is known.
    pub fn signing(&self) -> Signing {
        self.turns.as_ref().map_or(Signing::Alone, |turns| turns.standing())
    }

    /// Whether what this server signs is believed by whoever trusts who signs the log.
    ///
    /// # Errors
    /// As for any read.
    pub async fn may_sign(&self) -> Result<bool, ProjectionError> {
        match &self.turns {
            Some(turns) => Ok(turns.same_key().await?),
            None => Ok(true),
        }
    }

    /// Lets another server sign, for when this one stops.
    pub async fn give_back(&self) {
        if let Some(turns) = &self.turns {
            turns.give_back().await;
        }
    }

    async fn is_mine(&self) -> Result<bool, ProjectionError> {
        match &self.turns {
            Some(turns) => Ok(turns.is_mine().await?),
            None => Ok(true),
        }
    }

    /// Who signs.
    pub fn signer(&self) -> &Signer {
        &self.signer
    }

    /// Gives every leaf its place, and signs each log that has grown. Gives the number of new leaves: none
    /// while it is another server's turn.
    ///
    /// # Errors
    /// What the store says; what was placed until then stands, and doing it again goes on. Nothing is
    /// signed over a log with holes: somebody has cut it.
    pub async fn run(&self, now_ns: u64) -> Result<u64, ProjectionError> {
        let turn = self.turn.lock().await;
        if !self.is_mine().await? {
            return Ok(0);
        }
        let mut placed = 0;
        for log in tree_size(&self.store, None).await? {
            if log.placed != log.size {
                tracing::error!(
                    log.size,
                    log.placed,
                    "the signed log has holes: leaves were deleted; it is not signed"
                );
                continue;
            }
            placed += self.grow(&log, now_ns).await?;
        }
        drop(turn);
        Ok(placed)
    }

    async fn grow(&self, log: &TreeSize, now_ns: u64) -> Result<u64, ProjectionError> {
        let mut edge = self.edge(log).await?;
        let mut last_frame = log.last_frame;
        loop {
            let from = last_frame.saturating_sub(FRAMES_BACK);
            let leaves = unplaced_leaves(&self.store, log.log_id, from, LEAVES_AT_ONCE).await?;
            let Some(last) = leaves.last() else { break };
            last_frame = last_frame.max(last.frame);
            if !self.is_mine().await? {
                // It took so long that another server goes on.
                return Ok(edge.size().saturating_sub(log.size));
            }
            let begun = edge.size();
            let mut nodes = Vec::with_capacity(leaves.len() + leaves.len() / 128);
            for leaf in &leaves {
                for (at, hash) in edge.push(leaf.leaf_hash) {
                    let of_leaf = if at.level == 0 { (leaf.frame, leaf.position) } else { (0, 0) };
                    nodes.push(TreeNode { at, hash, leaf: of_leaf });
                }
            }
            write_tree(&self.store, log.log_id, begun, &nodes).await?;
        }
        let grown = edge.size().saturating_sub(log.size);
        if !self.is_mine().await? {
            return Ok(grown);
        }
        if grown > 0 || (edge.size() > 0 && !self.is_signed(log.log_id, edge.size()).await?) {
            self.sign(log.log_id, &edge, now_ns).await?;
        }
        Ok(grown)
    }

    async fn is_signed(&self, log_id: [u8; 16], size: u64) -> Result<bool, ProjectionError> {
        let newest = checkpoints(&self.store, Some(log_id), None, 1).await?;
        Ok(newest.first().is_some_and(|checkpoint| checkpoint.size == size))
    }

    async fn sign(&self, log_id: [u8; 16], edge: &Edge, at_ns: u64) -> Result<(), ProjectionError> {
        let at = jiff::Timestamp::from_nanosecond(i128::from(at_ns)).unwrap_or_default();
        let checkpoint = Checkpoint {
            log: data_encoding::HEXLOWER.encode(&log_id),
            size: edge.size(),
            root: edge.root(),
            at: at.to_string(),
            clock: "system clock of the server".to_owned(),
        };
        let note = self.signer.sign(&checkpoint.text());
        // Outside first: a checkpoint that only the database knows proves nothing against who rewrites it.
        (self.outside)(&note);
        record_checkpoint(&self.store, &KeptCheckpoint { log_id, size: edge.size(), at_ns, note }).await?;
        Ok(())
    }

    /// The right edge of a log as it is stored.
    async fn edge(&self, log: &TreeSize) -> Result<Edge, ProjectionError> {
        let mut rows = Vec::new();
        let (mut left, mut level) = (log.size, 0_u8);
        while left > 0 {
            let nodes: BTreeMap<u64, [u8; 32]> =
                tree_nodes(&self.store, log.log_id, level, &[left / TILE]).await?;
            let first = left / TILE * TILE;
            rows.push((first..left).filter_map(|place| nodes.get(&place).copied()).collect());
            left /= TILE;
            level = level.saturating_add(TILE_LEVELS);
        }
        Edge::of(log.size, rows).ok_or(ProjectionError::Broken)
    }
}

/// The hashes of these subtrees, from stored nodes.
///
/// # Errors
/// As for any read. A subtree whose nodes were deleted is left out: a proof without it fails.
pub async fn subtree_hashes(
    store: &Store,
    log_id: [u8; 16],
    subtrees: &[Subtree],
) -> Result<BTreeMap<Subtree, [u8; 32]>, ProjectionError> {
    let mut by_level: BTreeMap<u8, Vec<Subtree>> = BTreeMap::new();
    for subtree in subtrees {
        by_level.entry(subtree.level / TILE_LEVELS * TILE_LEVELS).or_default().push(*subtree);
    }
    let mut found = BTreeMap::new();
    for (level, wanted) in by_level {
        for some in wanted.chunks(2_000) {
            let first = |at: &Subtree| at.index << (at.level - level);
            let mut tiles: Vec<u64> = some.iter().map(|at| first(at) / TILE).collect();
            tiles.sort_unstable();
            tiles.dedup();
            let nodes = tree_nodes(store, log_id, level, &tiles).await?;
            for at in some {
                let from = first(at);
                let of = (from..from + (1 << (at.level - level))).map(|place| nodes.get(&place).copied());
                let of: Option<Vec<[u8; 32]>> = of.collect();
                if let Some(hash) = of.and_then(|of| crate::evidence::perfect_root(&of)) {
                    found.insert(*at, hash);
                }
            }
        }
    }
    Ok(found)
}
