//! The directory in force, shared by the rooms that ask it, and what they note about its use.
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::access::directory::{Account, Directory, Session};
use crate::access::lockout::Lockout;
use crate::access::token::SecretHash;

/// Who may come in now. Clones see the same.
#[derive(Clone, Default)]
pub struct Access(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Only loopback addresses are listened on, so it may be open to whoever reaches them.
    on_loopback: bool,
    directory: RwLock<Arc<Directory>>,
    /// The directory was read once.
    known: AtomicBool,
    /// Others vouch for people: a provider or a proxy.
    vouched: AtomicBool,
    lockout: Lockout,
    /// When a key or a session was last used, by its id or hash.
    used: Mutex<HashMap<String, u64>>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access").field("development", &self.is_development()).finish_non_exhaustive()
    }
}

impl Access {
    /// Of a server that listens on loopback only, or elsewhere too.
    pub fn new(on_loopback: bool) -> Self {
        Self(Arc::new(Shared { on_loopback, ..Shared::default() }))
    }

    /// Nobody has a credential, and that is known: what a server on loopback begins with.
    pub fn development() -> Self {
        let access = Self::new(true);
        access.set(Directory::default());
        access
    }

    /// The directory in force.
    pub fn directory(&self) -> Arc<Directory> {
        self.0.directory.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on this is in force.
    pub fn set(&self, directory: Directory) {
        *self.0.directory.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(directory);
        self.0.known.store(true, Ordering::SeqCst);
    }

    /// A provider or a proxy vouches for people, so there is somebody to sign in.
    pub fn vouch(&self) {
        self.0.vouched.store(true, Ordering::SeqCst);
    }

    /// Whether it is known who may come in. Until the store has been read once, it is not.
    pub fn is_known(&self) -> bool {
        self.0.known.load(Ordering::SeqCst)
    }

    /// Whether there is a credential, or somebody who vouches.
    pub fn has_credentials(&self) -> bool {
        self.0.vouched.load(Ordering::SeqCst) || !self.directory().is_empty()
    }

    /// Whether nobody was ever given a credential: whoever reaches the loopback address sees all.
    pub fn is_development(&self) -> bool {
        self.0.on_loopback
            && self.is_known()
            && !self.0.vouched.load(Ordering::SeqCst)
            && self.directory().is_empty()
    }

    /// Who slows down guessing.
    pub fn lockout(&self) -> &Lockout {
        &self.0.lockout
    }

    /// Notes that a key was used.
    pub fn used(&self, id: &str, now_ns: u64) {
        let mut used = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        match used.get_mut(id) {
            Some(at) => *at = now_ns,
            None => drop(used.insert(id.to_owned(), now_ns)),
        }
    }

    /// When each key and session that was used since the start was last used.
    pub fn uses(&self) -> HashMap<String, u64> {
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who the session of this hash belongs to, and the session; `None` when it is over or unknown. Counts as
    /// a use.
    pub fn session(&self, hash: &SecretHash, now_ns: u64) -> Option<(Account, Session)> {
        let found = self.session_unused(hash, now_ns)?;
        self.used(&hash.0, now_ns);
        Some(found)
    }

    /// The same without counting as a use: a page that only listens keeps nobody signed in.
    pub fn session_unused(&self, hash: &SecretHash, now_ns: u64) -> Option<(Account, Session)> {
        let directory = self.directory();
        let session = directory.session(hash)?;
        let seen_ns = {
            let used = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.get(&hash.0).copied().unwrap_or_default()
        };
        if session.is_over(seen_ns, now_ns) {
            return None;
        }
        let person = directory.person_by_id(&session.person_id)?;
        Some((person.account(), session.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::directory::Person;

    #[test]
    fn development_ends_with_the_first_credential() {
        let access = Access::default();
        assert!(!access.is_development(), "nothing is open before it is known that nobody has a credential");
        let access = Access::development();
        assert!(access.is_development());
        let person = Person { id: "p".to_owned(), disabled: true, ..Person::default() };
        access.set(Directory::of(Vec::new(), vec![person], Vec::new(), Vec::new()));
        assert!(!access.is_development());
        let access = Access::development();
        access.vouch();
        assert!(!access.is_development() && access.has_credentials());
        let elsewhere = Access::new(false);
        elsewhere.set(Directory::default());
        assert!(!elsewhere.is_development(), "never where strangers can reach it");
    }

    #[test]
    fn a_session_of_somebody_who_was_disabled_is_over() {
        let hash = SecretHash("x".to_owned());
        let session =
            Session { hash: hash.clone(), at_ns: 1, person_id: "p".to_owned(), started_ns: 1, ended: false };
        let person = Person { id: "p".to_owned(), name: "ada".to_owned(), ..Person::default() };
        let access = Access::default();
        let set = |disabled| {
            let people = vec![Person { disabled, ..person.clone() }];
            access.set(Directory::of(Vec::new(), people, Vec::new(), vec![session.clone()]));
        };
        set(false);
        assert_eq!(access.session(&hash, 2).unwrap().0.who.shown(), "ada");
        set(true);
        assert!(access.session(&hash, 2).is_none());
    }
}
