//! Every key that any dialect reads, and the index of one record's attributes by them.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::conventions::field::Read;
use crate::domain::value::Value;

/// All keys, built once. Keys that several dialects read share a slot.
#[derive(Debug)]
pub(in crate::conventions) struct Lexicon {
    exact: HashMap<&'static str, usize, BuildHasherDefault<KeyHasher>>,
    /// Prefixes and their slots.
    prefixes: Vec<(&'static str, usize)>,
    /// For each slot, the dialects that a key in it is a sign of.
    signs: Vec<u64>,
    /// For each slot, its rows in order of precedence.
    read_as: Vec<Vec<&'static Read>>,
    /// For each dialect and each row of its table, the slot.
    rows: Vec<Vec<usize>>,
}

impl Lexicon {
    /// Gathers the tables, which are in order of precedence; at most 64 of them.
    pub(in crate::conventions) fn new(tables: &[&'static [Read]]) -> Self {
        let mut lexicon = Self {
            exact: HashMap::default(),
            prefixes: Vec::new(),
            signs: Vec::new(),
            read_as: Vec::new(),
            rows: Vec::new(),
        };
        for (dialect, table) in tables.iter().enumerate() {
            let rows = table.iter().map(|row| lexicon.admit(row, dialect)).collect();
            lexicon.rows.push(rows);
        }
        lexicon
    }

    fn admit(&mut self, row: &'static Read, dialect: usize) -> usize {
        let next = self.signs.len();
        let slot = *self.exact.entry(row.key).or_insert(next);
        if slot == next {
            self.signs.push(0);
            self.read_as.push(Vec::new());
            if let Some(prefix) = row.key.strip_suffix('*') {
                self.prefixes.push((prefix, slot));
            }
        }
        if let Some(signs) = self.signs.get_mut(slot).filter(|_| row.sign) {
            *signs |= 1 << (dialect & 63);
        }
        if let Some(rows) = self.read_as.get_mut(slot) {
            rows.push(row);
        }
        slot
    }

    /// Goes through the attributes once.
    pub(in crate::conventions) fn index(&self, attributes: &[(String, Value)]) -> Index {
        let mut index = Index { places: vec![0; self.signs.len()], ..Index::default() };
        let mut hashes = Vec::with_capacity(attributes.len());
        for (at, (key, value)) in attributes.iter().enumerate() {
            hashes.push((hash(key), at));
            if *value == Value::Empty {
                continue;
            }
            if let Some(slot) = self.exact.get(key.as_str()) {
                index.note(self, *slot, at);
            }
            for (prefix, slot) in self.prefixes.iter().filter(|(prefix, _)| key.starts_with(prefix)) {
                index.prefixed.push((prefix, at));
                index.note(self, *slot, at);
            }
        }
        hashes.sort_unstable();
        index.repeated = hashes.windows(2).find_map(|pair| match pair {
            [(a, first), (b, second)] if a == b => {
                let same = attributes.get(*first)?.0 == attributes.get(*second)?.0;
                same.then_some(*first)
            }
            _ => None,
        });
        index
    }

    /// The rows that read a key, in order of precedence.
    pub(in crate::conventions) fn rows_of(&self, key: &str) -> impl Iterator<Item = &'static Read> {
        let slot = self.exact.get(key).copied();
        slot.and_then(|slot| self.read_as.get(slot)).into_iter().flatten().copied()
    }

    /// Where the record has a key of a dialect's row.
    pub(in crate::conventions) fn place(&self, index: &Index, dialect: usize, row: usize) -> Option<usize> {
        index.at(*self.rows.get(dialect)?.get(row)?)
    }

    /// Where the record has a key; `None` also when no table lists the key.
    pub(in crate::conventions) fn find(&self, index: &Index, key: &str) -> Option<usize> {
        let slot = self.exact.get(key);
        debug_assert!(slot.is_some(), "{key} is read and stands in no dialect's table");
        index.at(*slot?)
    }
}

/// Where one record has which keys.
#[derive(Debug, Default)]
pub(in crate::conventions) struct Index {
    /// For each slot, one more than the place of the last attribute with that key; 0 when there is none.
    places: Vec<usize>,
    /// Attributes whose key begins with a listed prefix, in order.
    prefixed: Vec<(&'static str, usize)>,
    /// The dialects whose signs were seen.
    pub(in crate::conventions) spoken: u64,
    /// An attribute whose key comes again.
    pub(in crate::conventions) repeated: Option<usize>,
}

impl Index {
    fn note(&mut self, lexicon: &Lexicon, slot: usize, at: usize) {
        if let Some(place) = self.places.get_mut(slot) {
            *place = at + 1;
        }
        self.spoken |= lexicon.signs.get(slot).copied().unwrap_or_default();
    }

    fn at(&self, slot: usize) -> Option<usize> {
        self.places.get(slot)?.checked_sub(1)
    }

    /// The places of the attributes whose key begins with a prefix that a table lists, in order.
    pub(in crate::conventions) fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = usize> {
        self.prefixed.iter().filter(move |(found, _)| *found == prefix).map(|(_, at)| *at)
    }
}

/// FNV-1a by eight bytes: quick, and safe here because the senders' keys never enter the table.
#[derive(Debug)]
struct KeyHasher(u64);

impl Default for KeyHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
            self.0 ^= self.0 >> 32;
        }
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn hash(key: &str) -> u64 {
    let mut hasher = KeyHasher::default();
    hasher.write(key.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::field::{Text, code, text};

    const ONE: &[Read] = &[text("a.id", Text::Run), code("a.list.*", "a list")];
    const TWO: &[Read] = &[text("a.id", Text::Step).no_sign(), text("b", Text::User)];

    fn attributes(keys: &[&str]) -> Vec<(String, Value)> {
        keys.iter().map(|key| ((*key).to_owned(), Value::Int(1))).collect()
    }

    #[test]
    fn last_of_a_repeated_key_counts_and_it_is_noticed() {
        let lexicon = Lexicon::new(&[ONE, TWO]);
        let index = lexicon.index(&attributes(&["x", "a.id", "y", "a.id"]));
        assert_eq!((lexicon.place(&index, 0, 0), lexicon.place(&index, 1, 0)), (Some(3), Some(3)));
        assert_eq!((index.spoken, index.repeated), (1, Some(1)));
    }

    #[test]
    fn prefixes_gather_in_order() {
        let lexicon = Lexicon::new(&[ONE, TWO]);
        let index = lexicon.index(&attributes(&["a.list.1", "b", "a.list.0.x", "a.list"]));
        assert_eq!(index.with_prefix("a.list.").collect::<Vec<_>>(), [0, 2]);
        assert_eq!((index.spoken, lexicon.find(&index, "b")), (3, Some(1)));
    }
}
