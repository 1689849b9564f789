//! How much memory the records of one request may take.
use crate::otlp::fault::Fault;

/// Bytes that the decoded records of one request may take in memory, resource and scope counted once for
/// each record: a small request can unfold into very many empty values or copies of a large resource.
const MEMORY_BYTES_MAX: u64 = 512 << 20;
/// What one value costs beside its text: the enum, its key and the allocation.
const VALUE_COST: u64 = 64;
/// What one span or log record costs beside its attributes.
const ITEM_COST: u64 = 512;

/// The memory that is left for the records of one request.
#[derive(Debug)]
pub(crate) struct Budget {
    left: u64,
}

impl Budget {
    /// The full budget of a request.
    pub(crate) fn new() -> Self {
        Self { left: MEMORY_BYTES_MAX }
    }

    /// Takes one value with this much text.
    pub(crate) fn value(&mut self, bytes: usize) -> Result<(), Fault> {
        self.take(VALUE_COST + bytes as u64)
    }

    /// Takes one span or log record whose resource and scope are this big.
    pub(crate) fn item(&mut self, frame_bytes: u64) -> Result<(), Fault> {
        self.take(ITEM_COST + frame_bytes)
    }

    /// What has been spent so far, in bytes.
    pub(crate) fn spent(&self) -> u64 {
        MEMORY_BYTES_MAX - self.left
    }

    fn take(&mut self, bytes: u64) -> Result<(), Fault> {
        self.left = self.left.checked_sub(bytes).ok_or(Fault::TooLarge)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_ends() {
        let mut budget = Budget::new();
        assert_eq!(budget.item(MEMORY_BYTES_MAX - 1_000), Ok(()));
        assert_eq!(budget.value(1_000), Err(Fault::TooLarge));
    }
}
