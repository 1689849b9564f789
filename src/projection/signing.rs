//! Whose turn it is to sign, of several servers over one store: one at a time, the others wait until it has
//! been silent for a while.
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::store::queries::{SigningTurn, claim_signing, signing_turn};
use crate::store::{Store, StoreError};

/// So long a turn holds after the last claim; a third of it later it is claimed again.
const TURN: Duration = Duration::from_secs(60);
/// A server with another key takes over after so long only: its signatures need another trust file.
const OTHER_KEY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Who signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signing {
    /// This server: no other can use its store.
    Alone,
    /// This server, of those over the store.
    Mine,
    /// Another server, and whether it has the same key.
    Other {
        /// Which.
        name: String,
        /// Whether evidence of the one is evidence of the other.
        same_key: bool,
    },
    /// Not known yet.
    Unknown,
}

/// This server among others over the same store.
pub(in crate::projection) struct Turns {
    store: Store,
    me: SigningTurn,
    turn: Duration,
    last: Mutex<Option<SigningTurn>>,
}

/// What to do when the last claim is this.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// It is mine, and fresh.
    Go,
    /// It is mine and ages, or nobody's.
    Claim,
    /// It is another's.
    Wait,
}

fn next(last: Option<&SigningTurn>, me: &SigningTurn, turn: Duration) -> Next {
    let Some(last) = last else { return Next::Claim };
    let age = Duration::from_millis(last.age_ms);
    if last.server == me.server {
        return if age < turn / 3 { Next::Go } else { Next::Claim };
    }
    let silent_for = match (last.key == me.key, last.server.is_empty()) {
        (true, true) => Duration::ZERO,
        (true, false) => turn,
        (false, _) => OTHER_KEY_AFTER,
    };
    if age >= silent_for { Next::Claim } else { Next::Wait }
}

impl Turns {
    /// A server with an id and a name, that signs with this public key.
    pub(in crate::projection) fn new(store: Store, (server, name): (String, String), key: String) -> Self {
        let me = SigningTurn { server, name, key, ..SigningTurn::default() };
        Self { store, me, turn: TURN, last: Mutex::default() }
    }

    /// Whether it is this server's turn; claims it when it is nobody's.
    ///
    /// # Errors
    /// As for any read and insert; then it is not.
    pub(in crate::projection) async fn is_mine(&self) -> Result<bool, StoreError> {
        let mut last = self.look().await?;
        if next(last.as_ref(), &self.me, self.turn) == Next::Claim {
            self.claim(last.as_ref(), &self.me.server).await?;
            last = self.look().await?;
        }
        Ok(next(last.as_ref(), &self.me, self.turn) == Next::Go)
    }

    /// Whether what this server signs is believed by whoever trusts who signs the log.
    ///
    /// # Errors
    /// As for any read.
    pub(in crate::projection) async fn same_key(&self) -> Result<bool, StoreError> {
        Ok(self.look().await?.is_none_or(|last| last.key == self.me.key))
    }

    /// Gives the turn back, so that another server need not wait until it has run out.
    pub(in crate::projection) async fn give_back(&self) {
        let mine = matches!(self.standing(), Signing::Mine);
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if mine && let Err(error) = self.claim(last.as_ref(), "").await {
            tracing::warn!(%error, "the turn to sign could not be given back; it runs out by itself");
        }
    }

    /// Who signs, as far as this server knows.
    pub(in crate::projection) fn standing(&self) -> Signing {
        match &*self.last.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Signing::Unknown,
            Some(last) if last.server == self.me.server => Signing::Mine,
            Some(last) => Signing::Other { name: last.name.clone(), same_key: last.key == self.me.key },
        }
    }

    async fn look(&self) -> Result<Option<SigningTurn>, StoreError> {
        let last = signing_turn(&self.store).await?;
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&last);
        Ok(last)
    }

    async fn claim(&self, last: Option<&SigningTurn>, server: &str) -> Result<(), StoreError> {
        let turn = last.map_or(1, |last| last.turn + 1);
        claim_signing(&self.store, &SigningTurn { turn, server: server.to_owned(), ..self.me.clone() }).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_signs_until_it_is_silent_and_another_key_waits_longer() {
        let turn = Duration::from_secs(60);
        let of = |server: &str, key: &str, age_s: u64| SigningTurn {
            server: server.to_owned(),
            key: key.to_owned(),
            age_ms: age_s * 1_000,
            ..SigningTurn::default()
        };
        let me = of("me", "k", 0);
        assert_eq!(next(None, &me, turn), Next::Claim);
        for (last, expected) in [
            (of("me", "k", 0), Next::Go),
            (of("me", "k", 19), Next::Go),
            (of("me", "k", 20), Next::Claim),
            (of("me", "k", 900), Next::Claim),
            (of("other", "k", 59), Next::Wait),
            (of("other", "k", 60), Next::Claim),
            (of("", "k", 0), Next::Claim),
            (of("other", "l", 3_600), Next::Wait),
            (of("", "l", 3_600), Next::Wait),
            (of("other", "l", 86_400), Next::Claim),
        ] {
            assert_eq!(next(Some(&last), &me, turn), expected, "{last:?}");
        }
    }
}
