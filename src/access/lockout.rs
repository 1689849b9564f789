//! Slows down who guesses passwords: by name and by address, whether or not the name exists.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Wrong tries of one name, or of one address, before the first wait.
const FREE_BY_NAME: u32 = 5;
const FREE_BY_ADDRESS: u32 = 20;
const SECOND_NS: u64 = 1_000_000_000;
/// The first wait; each further wrong try doubles it, up to the last.
const FIRST_WAIT_NS: u64 = 30 * SECOND_NS;
const LAST_WAIT_NS: u64 = 900 * SECOND_NS;
/// Wrong tries are forgotten after this long without one.
const FORGET_NS: u64 = 3_600 * SECOND_NS;
/// No more names and addresses are remembered.
const REMEMBERED_MAX: usize = 50_000;

#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    wrong: u32,
    last_ns: u64,
    until_ns: u64,
}

/// Who has to wait.
#[derive(Debug, Default)]
pub struct Lockout(Mutex<HashMap<String, Tries>>);

impl Lockout {
    /// How many seconds a try has to wait; 0 when it may be made now.
    pub fn wait_s(&self, name: &str, address: &str, now_ns: u64) -> u64 {
        let tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = keys(name, address)
            .iter()
            .filter_map(|(key, _)| tries.get(key))
            .map(|one| one.until_ns)
            .max()
            .unwrap_or_default();
        until.saturating_sub(now_ns).div_ceil(SECOND_NS)
    }

    /// A try was wrong.
    pub fn wrong(&self, name: &str, address: &str, now_ns: u64) {
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tries.len() >= REMEMBERED_MAX {
            tries.retain(|_, one| one.last_ns + FORGET_NS > now_ns);
        }
        for (key, free) in keys(name, address) {
            if tries.len() >= REMEMBERED_MAX && !tries.contains_key(&key) {
                continue;
            }
            let one = tries.entry(key).or_default();
            if one.last_ns + FORGET_NS <= now_ns {
                *one = Tries::default();
            }
            one.wrong += 1;
            one.last_ns = now_ns;
            if let Some(over) = one.wrong.checked_sub(free) {
                let wait = FIRST_WAIT_NS.saturating_mul(1 << over.min(10)).min(LAST_WAIT_NS);
                one.until_ns = now_ns + wait;
            }
        }
    }

    /// A try was right: the name's wrong ones are forgotten, the address's are not.
    pub fn right(&self, name: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&format!("name {name}"));
    }
}

fn keys(name: &str, address: &str) -> [(String, u32); 2] {
    [(format!("name {name}"), FREE_BY_NAME), (format!("address {address}"), FREE_BY_ADDRESS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixth_wrong_try_waits_and_each_further_one_longer() {
        let lockout = Lockout::default();
        for _ in 0..4 {
            lockout.wrong("ada", "10.0.0.1", SECOND_NS);
        }
        assert_eq!(lockout.wait_s("ada", "10.0.0.1", SECOND_NS), 0);
        lockout.wrong("ada", "10.0.0.1", SECOND_NS);
        assert_eq!(lockout.wait_s("ada", "10.9.9.9", SECOND_NS), 30, "from anywhere");
        assert_eq!(lockout.wait_s("bob", "10.0.0.1", SECOND_NS), 0, "others may");
        assert_eq!(lockout.wait_s("ada", "10.0.0.1", 32 * SECOND_NS), 0, "after the wait");
        lockout.wrong("ada", "10.0.0.1", 32 * SECOND_NS);
        assert_eq!(lockout.wait_s("ada", "", 32 * SECOND_NS), 60);
        lockout.right("ada");
        assert_eq!(lockout.wait_s("ada", "", 32 * SECOND_NS), 0);
    }

    #[test]
    fn an_address_that_tries_many_names_waits_too() {
        let lockout = Lockout::default();
        for number in 0..20 {
            lockout.wrong(&format!("name{number}"), "10.0.0.1", SECOND_NS);
        }
        assert_eq!(lockout.wait_s("fresh", "10.0.0.1", SECOND_NS), 30);
        assert_eq!(lockout.wait_s("fresh", "10.0.0.2", SECOND_NS), 0);
        assert_eq!(lockout.wait_s("fresh", "10.0.0.1", SECOND_NS + LAST_WAIT_NS), 0);
    }
}
