//! Texts that were looked at lately and found clean: names and models come with every span, and a loop sends
//! its whole history again with every model call.
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

/// A longer text is known by its SHA-256.
const BYTES_MAX: usize = 64;
/// An even longer one is looked at each time: it rarely comes twice.
const LONG_BYTES_MAX: usize = 65_536;
const SLOTS: usize = 4096;

thread_local! {
    /// One memory a thread, so that nobody waits. A slot holds the owner and the text.
    static SLOTS_OF_THREAD: RefCell<Vec<(u64, Box<str>)>> = const { RefCell::new(Vec::new()) };
    /// The same for longer texts, by digest.
    static LONG_OF_THREAD: RefCell<Vec<(u64, Sum)>> = const { RefCell::new(Vec::new()) };
}

/// A SHA-256.
pub(crate) type Sum = [u8; 32];

/// What is known of a longer text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Long {
    /// This very text was found clean.
    Clean,
    /// Nothing; the digest is to be remembered once it was found clean.
    Unknown(Sum),
    /// Texts of this length are not remembered.
    NotKept,
}

/// The memory of one set of rules. A text that another set found clean is not known to this one.
#[derive(Debug)]
pub(crate) struct Known {
    owner: u64,
}

impl Known {
    /// A memory with nothing in it.
    pub(crate) fn new() -> Self {
        static OWNERS: AtomicU64 = AtomicU64::new(1);
        Self { owner: OWNERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Whether this very text was found clean.
    pub(crate) fn is_clean(&self, text: &str) -> bool {
        if text.len() > BYTES_MAX {
            return false;
        }
        SLOTS_OF_THREAD.with_borrow(|slots| {
            slots.get(slot(text)).is_some_and(|(owner, known)| *owner == self.owner && **known == *text)
        })
    }

    /// What is known of a text that is too long to be remembered as it is.
    pub(crate) fn long(&self, text: &str) -> Long {
        if !(BYTES_MAX + 1..=LONG_BYTES_MAX).contains(&text.len()) {
            return Long::NotKept;
        }
        let sum: Sum = Sha256::digest(text.as_bytes()).into();
        let known =
            LONG_OF_THREAD.with_borrow(|slots| slots.get(long_slot(&sum)) == Some(&(self.owner, sum)));
        if known { Long::Clean } else { Long::Unknown(sum) }
    }

    /// That longer text is clean.
    pub(crate) fn remember_long(&self, sum: Sum) {
        LONG_OF_THREAD.with_borrow_mut(|slots| {
            if slots.is_empty() {
                slots.resize(SLOTS, (0, Sum::default()));
            }
            if let Some(known) = slots.get_mut(long_slot(&sum)) {
                *known = (self.owner, sum);
            }
        });
    }

    /// This text is clean.
    pub(crate) fn remember(&self, text: &str) {
        if text.len() > BYTES_MAX {
            return;
        }
        SLOTS_OF_THREAD.with_borrow_mut(|slots| {
            if slots.is_empty() {
                slots.resize(SLOTS, (0, Box::default()));
            }
            if let Some(known) = slots.get_mut(slot(text)) {
                *known = (self.owner, text.into());
            }
        });
    }
}

/// Where a digest is remembered.
fn long_slot(sum: &Sum) -> usize {
    let first = sum.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    usize::try_from(first % SLOTS as u64).unwrap_or_default()
}

/// Where a text is remembered. Any spread will do: the text itself is compared.
fn slot(text: &str) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = text.len() as u64;
    let mut chunks = text.as_bytes().chunks_exact(8);
    for chunk in chunks.by_ref() {
        let word = chunk.try_into().map_or(0, u64::from_le_bytes);
        hash = (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    }
    for byte in chunks.remainder() {
        hash = (hash.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(FACTOR);
    }
    usize::try_from(hash >> 40).unwrap_or_default() % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_text_is_known_and_only_to_its_owner() {
        let (one, two) = (Known::new(), Known::new());
        assert!(!one.is_clean("gen_ai.request.model"));
        one.remember("gen_ai.request.model");
        assert!(one.is_clean("gen_ai.request.model"));
        assert!(!one.is_clean("gen_ai.request.mode1") && !two.is_clean("gen_ai.request.model"));
        one.remember(&"x".repeat(65));
        assert!(!one.is_clean(&"x".repeat(65)));
    }

    #[test]
    fn longer_texts_are_known_by_their_digest() {
        let (one, two) = (Known::new(), Known::new());
        let text = "x".repeat(65);
        let Long::Unknown(sum) = one.long(&text) else { panic!("known before it was seen") };
        one.remember_long(sum);
        assert_eq!(one.long(&text), Long::Clean);
        assert_eq!(two.long(&text), Long::Unknown(sum));
        assert_ne!(one.long(&"y".repeat(65)), Long::Clean);
        assert_eq!(one.long("short"), Long::NotKept);
        assert_eq!(one.long(&"x".repeat(65_537)), Long::NotKept);
    }
}
