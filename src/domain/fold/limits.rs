//! The times and bounds that the fold decides by. All are constants: the same records always fold the same.

/// A minute in nanoseconds.
pub const MINUTE_NS: u64 = 60 * 1_000_000_000;
/// A day in nanoseconds.
pub(super) const DAY_NS: u64 = 24 * 60 * MINUTE_NS;

/// How long a submitted act may go without an answer before it reads as unknown.
pub const DEADLINE_NS: u64 = 15 * MINUTE_NS;
/// How long after the last receipt a run with something open is still called running.
pub const SILENCE_NS: u64 = 15 * MINUTE_NS;
/// How long an act that needs a read-back may go without one before that is a finding.
pub const READ_BACK_NS: u64 = 15 * MINUTE_NS;
/// Client clocks further ahead of the server's than this are a finding.
pub(super) const SKEW_NS: u64 = MINUTE_NS;
/// How many earlier steps with the same key are tried for a link: parallel calls share keys.
pub(super) const LINK_CANDIDATES_MAX: usize = 32;
/// How many missing attempts of one step get a place of their own; a sentence counts the rest.
pub(super) const MISSING_SLOTS_MAX: usize = 64;
/// How many earlier acts on one target a look-up that names none is about: the latest.
pub(super) const LOOK_TARGETS_MAX: usize = 32;
