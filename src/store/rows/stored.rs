//! Which bodies are surely in the store, so that an agent loop that re-sends its history costs one row a
//! message.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::ids::{Digest, TraceId};
use crate::store::rows::cell::Day;
use crate::store::rows::contents::ContentKey;

/// A bounded memory of confirmed bodies. Forgetting one costs a row that collapses in the store;
/// remembering one that is not there would lose a body: so only confirmed inserts come in.
#[derive(Debug)]
pub(in crate::store) struct Stored {
    generation_max: usize,
    generations: Mutex<Generations>,
}

/// What was used lately, and what was used before that: when the first is full it becomes the second.
#[derive(Debug, Default)]
struct Generations {
    young: HashMap<(TraceId, Digest), Day>,
    old: HashMap<(TraceId, Digest), Day>,
}

impl Stored {
    /// Remembers at most this many bodies, about 100 bytes each.
    pub(in crate::store) fn new(bodies_max: usize) -> Self {
        Self { generation_max: bodies_max / 2, generations: Mutex::default() }
    }

    /// Keeps the keys that are not known to be stored until their day, and none of them twice.
    pub(in crate::store) fn retain_unknown<T>(&self, wanted: &mut Vec<T>, key: impl Fn(&T) -> ContentKey) {
        let mut generations = self.lock();
        let mut seen: HashMap<(TraceId, Digest), Day> = HashMap::with_capacity(wanted.len());
        wanted.retain(|item| {
            let ContentKey { trace_id, digest, expires } = key(item);
            let id = (trace_id, digest);
            let known = generations.find(id, self.generation_max).max(seen.get(&id).copied());
            let keep = known.is_none_or(|until| until.week() < expires.week());
            if keep {
                seen.insert(id, expires);
            }
            keep
        });
    }

    /// These are in the store now.
    pub(in crate::store) fn confirm(&self, keys: impl IntoIterator<Item = ContentKey>) {
        let mut generations = self.lock();
        for ContentKey { trace_id, digest, expires } in keys {
            let until = generations.find((trace_id, digest), self.generation_max).unwrap_or_default();
            generations.put((trace_id, digest), until.max(expires), self.generation_max);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        // Whatever a panicking thread left is still a set of confirmed bodies.
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn find(&mut self, id: (TraceId, Digest), max: usize) -> Option<Day> {
        if let Some(until) = self.young.get(&id) {
            return Some(*until);
        }
        let until = self.old.get(&id).copied()?;
        self.put(id, until, max);
        Some(until)
    }

    fn put(&mut self, id: (TraceId, Digest), until: Day, max: usize) {
        if self.young.len() >= max {
            self.old = std::mem::take(&mut self.young);
        }
        if max > 0 {
            self.young.insert(id, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(body: u8, expires: u16) -> ContentKey {
        ContentKey { trace_id: TraceId([1; 16]), digest: Digest([body; 16]), expires: Day(expires) }
    }

    fn unknown(stored: &Stored, keys: &[ContentKey]) -> Vec<ContentKey> {
        let mut wanted = keys.to_vec();
        stored.retain_unknown(&mut wanted, |key| *key);
        wanted
    }

    #[test]
    fn a_body_is_kept_once_and_again_only_to_live_longer() {
        let stored = Stored::new(100);
        assert_eq!(unknown(&stored, &[key(1, 4), key(1, 4), key(2, 4)]), vec![key(1, 4), key(2, 4)]);
        // Nothing is known before it is confirmed.
        assert_eq!(unknown(&stored, &[key(1, 4)]), vec![key(1, 4)]);
        stored.confirm([key(1, 4)]);
        assert_eq!(unknown(&stored, &[key(1, 4), key(2, 4)]), vec![key(2, 4)]);
        // 1970-01-05 is a Monday: day 4 and day 10 are dropped together, day 11 a week later.
        assert_eq!(unknown(&stored, &[key(1, 10)]), vec![]);
        assert_eq!(unknown(&stored, &[key(1, 11)]), vec![key(1, 11)]);
    }

    #[test]
    fn memory_is_bounded_and_keeps_what_is_used() {
        let stored = Stored::new(4);
        stored.confirm([key(1, 4), key(2, 4)]);
        assert_eq!(unknown(&stored, &[key(1, 4)]), vec![]);
        stored.confirm([key(3, 4)]);
        assert_eq!(unknown(&stored, &[key(1, 4)]), vec![]);
        stored.confirm([key(4, 4), key(5, 4)]);
        assert_eq!(unknown(&stored, &[key(2, 4)]), vec![key(2, 4)]);
        let generations = stored.lock();
        assert!(generations.young.len() + generations.old.len() <= 4);
        drop(generations);
        let none = Stored::new(0);
        none.confirm([key(1, 4)]);
        assert_eq!(unknown(&none, &[key(1, 4)]), vec![key(1, 4)]);
    }
}
