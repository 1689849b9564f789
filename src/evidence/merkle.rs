//! The Merkle tree of RFC 6962 (RFC 9162, section 2.1): its root, and what proves leaves and earlier trees.
//!
//! A proof is the smallest set of subtrees that together with the leaves in question make up the tree, so
//! that one proof serves any number of leaves and of earlier sizes. For one leaf it is its audit path, for
//! one earlier size the consistency proof.
use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

/// The hash of a leaf or a node.
pub type Hash = [u8; 32];

/// So many nodes of one stored level make one node of the next: levels 0, 8, 16 and so on are stored.
pub const TILE: u64 = 256;
/// What a stored level is a multiple of.
pub const TILE_LEVELS: u8 = 8;
/// A tree cannot be higher than its sizes can be counted.
const LEVEL_MAX: u8 = 63;

/// A perfect subtree: `2^level` leaves from `index * 2^level` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subtree {
    /// Its height.
    pub level: u8,
    /// Its place among those of its height.
    pub index: u64,
}

/// The hash of a node over two others.
pub(crate) fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of an empty tree.
pub(crate) fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The hash over perfect subtrees of one height; their number is a power of two.
pub fn perfect_root(nodes: &[Hash]) -> Option<Hash> {
    let mut row: Vec<Hash> = nodes.to_vec();
    if !row.len().is_power_of_two() {
        return None;
    }
    while row.len() > 1 {
        row = row.chunks_exact(2).filter_map(|pair| Some(node_hash(pair.first()?, pair.last()?))).collect();
    }
    row.pop()
}

/// The right edge of a growing tree: enough to append and to say the root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edge {
    /// For each stored level the nodes that do not make one of the next yet.
    rows: Vec<Vec<Hash>>,
    size: u64,
}

impl Edge {
    /// The edge of a tree of this size, from its stored levels: of each the last, unfinished tile.
    pub fn of(size: u64, rows: Vec<Vec<Hash>>) -> Option<Self> {
        let mut left = size;
        for row in &rows {
            if row.len() as u64 != left % TILE {
                return None;
            }
            left /= TILE;
        }
        (left == 0).then_some(Self { rows, size })
    }

    /// How many leaves the tree has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf and gives the nodes that are stored for it: itself, and each that it finishes.
    pub fn push(&mut self, leaf: Hash) -> Vec<(Subtree, Hash)> {
        let mut stored = Vec::new();
        let (mut hash, mut place) = (leaf, self.size);
        for depth in 0_u8.. {
            let Some(level) = depth.checked_mul(TILE_LEVELS).filter(|level| *level <= LEVEL_MAX) else {
                break;
            };
            stored.push((Subtree { level, index: place }, hash));
            let at = usize::from(depth);
            if self.rows.len() <= at {
                self.rows.push(Vec::new());
            }
            let Some(row) = self.rows.get_mut(at) else { break };
            row.push(hash);
            if (row.len() as u64) < TILE {
                break;
            }
            let Some(above) = perfect_root(row) else { break };
            row.clear();
            (hash, place) = (above, place / TILE);
        }
        self.size += 1;
        stored
    }

    /// The root.
    pub fn root(&self) -> Hash {
        let mut peaks: Vec<(u64, Hash)> = Vec::new();
        for (depth, row) in self.rows.iter().enumerate().rev() {
            for hash in row {
                let mut peak = (TILE.saturating_pow(u32::try_from(depth).unwrap_or(u32::MAX)), *hash);
                while let Some((_, left)) = peaks.pop_if(|(width, _)| *width == peak.0) {
                    peak = (peak.0.saturating_mul(2), node_hash(&left, &peak.1));
                }
                peaks.push(peak);
            }
        }
        let root =
            peaks.into_iter().rev().map(|(_, hash)| hash).reduce(|right, left| node_hash(&left, &right));
        root.unwrap_or_else(empty_root)
    }
}

/// Which subtrees prove these leaves, and trees of these earlier sizes, in a tree of this size.
pub fn needed(size: u64, leaves: &BTreeSet<u64>, sizes: &BTreeSet<u64>) -> Vec<Subtree> {
    let mut found = Vec::new();
    collect((0, size), leaves, sizes, &mut found);
    found
}

fn collect((from, to): (u64, u64), leaves: &BTreeSet<u64>, sizes: &BTreeSet<u64>, found: &mut Vec<Subtree>) {
    let width = to.saturating_sub(from);
    if width == 0 {
        return;
    }
    let holds_leaf = leaves.range(from..to).next().is_some();
    let is_cut = sizes.range(from.saturating_add(1)..to).next().is_some();
    if !holds_leaf && !is_cut && width.is_power_of_two() {
        found.push(subtree(from, width));
    } else if width > 1 {
        let middle = from + split(width);
        collect((from, middle), leaves, sizes, found);
        collect((middle, to), leaves, sizes, found);
    }
}

/// The root of the tree of this size, from leaves and subtrees; `None` where something is lacking.
pub fn root_of(size: u64, leaves: &BTreeMap<u64, Hash>, nodes: &BTreeMap<Subtree, Hash>) -> Option<Hash> {
    if size == 0 { Some(empty_root()) } else { range_root((0, size), leaves, nodes) }
}

fn range_root(
    (from, to): (u64, u64),
    leaves: &BTreeMap<u64, Hash>,
    nodes: &BTreeMap<Subtree, Hash>,
) -> Option<Hash> {
    let width = to.checked_sub(from).filter(|width| *width > 0)?;
    let known = if width == 1 { leaves.get(&from) } else { None };
    let known = known.or_else(|| nodes.get(&subtree(from, width)).filter(|_| width.is_power_of_two()));
    if let Some(hash) = known {
        return Some(*hash);
    }
    if width == 1 {
        return None;
    }
    let middle = from + split(width);
    // The left half first: a proof that lacks much ends early.
    let left = range_root((from, middle), leaves, nodes)?;
    Some(node_hash(&left, &range_root((middle, to), leaves, nodes)?))
}

fn subtree(from: u64, width: u64) -> Subtree {
    let level = u8::try_from(width.trailing_zeros()).unwrap_or(LEVEL_MAX);
    Subtree { level, index: from.checked_shr(u32::from(level)).unwrap_or_default() }
}

/// The largest power of two below a width of two or more.
fn split(width: u64) -> u64 {
    let half = width.next_power_of_two() / 2;
    half.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(number: u64) -> Hash {
        Sha256::new_with_prefix([0]).chain_update(number.to_le_bytes()).finalize().into()
    }

    /// The definition of RFC 6962, word for word.
    fn root(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => empty_root(),
            [one] => *one,
            many => {
                let (left, right) = many.split_at(usize::try_from(split(many.len() as u64)).unwrap());
                node_hash(&root(left), &root(right))
            }
        }
    }

    #[test]
    fn known_roots() {
        // The leaves of the test vectors of the Certificate Transparency reference implementation.
        let hex = |text: &str| data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap();
        let leaves: Vec<Hash> = [
            "",
            "00",
            "10",
            "2021",
            "3031",
            "40414243",
            "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ]
        .iter()
        .map(|text| Sha256::new_with_prefix([0]).chain_update(hex(text)).finalize().into())
        .collect();
        for (size, expected) in [
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ] {
            assert_eq!(data_encoding::HEXLOWER.encode(&root(&leaves[..size])), expected);
        }
    }

    #[test]
    fn an_edge_says_the_root_at_every_size() {
        let mut edge = Edge::default();
        let mut leaves = Vec::new();
        for number in 0..700 {
            assert_eq!(edge.root(), root(&leaves), "{number}");
            let stored = edge.push(leaf(number));
            assert_eq!(stored.len(), if (number + 1) % TILE == 0 { 2 } else { 1 });
            leaves.push(leaf(number));
            let rows = edge.rows.clone();
            assert_eq!(Edge::of(number + 1, rows), Some(edge.clone()));
        }
        assert_eq!(Edge::of(3, vec![vec![leaf(1)]]), None);
    }

    #[test]
    fn what_is_needed_proves_leaves_and_earlier_trees_and_nothing_else_does() {
        let all: Vec<Hash> = (0..300).map(leaf).collect();
        let node = |at: &Subtree| {
            let width = 1_usize << at.level;
            let from = usize::try_from(at.index).unwrap() * width;
            root(&all[from..from + width])
        };
        for size in [1_u64, 2, 3, 7, 8, 129, 256, 300] {
            for (chosen, cuts) in [
                (vec![0], vec![]),
                (vec![0, size / 2, size - 1], vec![size / 3, size / 2]),
                (vec![], vec![1, size]),
            ] {
                let chosen: BTreeSet<u64> = chosen.into_iter().collect();
                let cuts: BTreeSet<u64> = cuts.into_iter().filter(|cut| *cut > 0).collect();
                let mut nodes: BTreeMap<Subtree, Hash> =
                    needed(size, &chosen, &cuts).into_iter().map(|at| (at, node(&at))).collect();
                let mut leaves: BTreeMap<u64, Hash> = chosen.iter().map(|at| (*at, leaf(*at))).collect();
                let whole = root(&all[..usize::try_from(size).unwrap()]);
                assert_eq!(root_of(size, &leaves, &nodes), Some(whole), "{size}");
                for cut in &cuts {
                    let earlier = root(&all[..usize::try_from(*cut).unwrap()]);
                    assert_eq!(root_of(*cut, &leaves, &nodes), Some(earlier), "{cut} of {size}");
                }
                if let Some(first) = leaves.values_mut().next() {
                    first[0] ^= 1;
                    assert_ne!(root_of(size, &leaves, &nodes), Some(whole));
                }
                if let Some(lost) = nodes.keys().next().copied() {
                    nodes.remove(&lost);
                    assert_eq!(root_of(size, &leaves, &nodes), None);
                }
            }
        }
    }
}
