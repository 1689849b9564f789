//! So many in a second, and no more.
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lets so many through in each second.
#[derive(Debug)]
pub(crate) struct Throttle {
    per_second: u32,
    window: Mutex<(Instant, u32)>,
}

impl Throttle {
    /// This many in a second.
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second, window: Mutex::new((Instant::now(), 0)) }
    }

    /// Whether one more may pass now.
    pub(crate) fn allows(&self) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if window.0.elapsed() >= Duration::from_secs(1) {
            *window = (Instant::now(), 0);
        }
        window.1 += 1;
        window.1 <= self.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_pass_in_a_second() {
        let throttle = Throttle::new(3);
        assert_eq!((0..10).filter(|_| throttle.allows()).count(), 3);
        throttle.window.lock().unwrap().0 -= Duration::from_secs(2);
        assert!(throttle.allows());
    }
}
