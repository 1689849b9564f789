//! Repeatable chance: the same seed plays the same demo.

/// A stream of numbers (SplitMix64).
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// The stream of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high.saturating_sub(low) + 1)
    }

    /// One of a list; the fallback when it is empty.
    pub(super) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T], fallback: &'a T) -> &'a T {
        let count = u64::try_from(list.len()).unwrap_or(1).max(1);
        let at = usize::try_from(self.next() % count).unwrap_or_default();
        list.get(at).copied().unwrap_or(fallback)
    }

    /// An id such as `call_4f1c…`, with this many hex digits (up to 16).
    pub(super) fn id(&mut self, prefix: &str, digits: usize) -> String {
        let hex = format!("{:016x}", self.next());
        format!("{prefix}{}", hex.get(..digits.min(16)).unwrap_or_default())
    }
}
