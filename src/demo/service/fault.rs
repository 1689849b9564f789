//! What goes wrong with a request.
use std::time::Duration;

/// What goes wrong with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::demo) enum Fault {
    /// It is applied, and the answer never arrives.
    LoseAnswer,
    /// Not now: 429, come back after this many seconds.
    Throttle(u32),
    /// It is answered as if it had been done, and nothing is done.
    Forget,
    /// It is refused with this status.
    Refuse(u16),
    /// It is answered late.
    Slow(Duration),
    /// Nothing is wrong; holds the place of a request that goes well.
    Well,
}
