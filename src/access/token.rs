//! Secrets that we make and others carry: API keys and the tokens of sessions. Only their hash is kept.
use std::fmt;

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};

/// How every API key begins.
pub const KEY_MARK: &str = "rcn_";
/// Bytes of a key's public id, and of a secret.
const ID_BYTES: usize = 10;
const SECRET_BYTES: usize = 32;
const ID_CHARS: usize = 16;
const SECRET_CHARS: usize = 52;

/// An API key as its holder carries it: `rcn_<id>_<secret>`. Shown once, never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    id: String,
    text: String,
}

/// The hash of a secret. A secret is 256 random bits, so a plain hash can't be guessed back.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretHash(pub String);

/// Why no secret can be made.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes ({0})")]
pub struct NoRandom(getrandom::Error);

impl ApiKey {
    /// A new one.
    ///
    /// # Errors
    /// [`NoRandom`].
    pub fn make() -> Result<Self, NoRandom> {
        let (id, secret) = (random::<ID_BYTES>()?, random::<SECRET_BYTES>()?);
        let id = lower(&id);
        Ok(Self { text: format!("{KEY_MARK}{id}_{}", lower(&secret)), id })
    }

    /// Reads a key; `None` when it is not of our form.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, secret) = text.strip_prefix(KEY_MARK)?.split_once('_')?;
        let plain = |text: &str| text.bytes().all(|c| c.is_ascii_lowercase() || (b'2'..=b'7').contains(&c));
        let fits = id.len() == ID_CHARS && secret.len() == SECRET_CHARS && plain(id) && plain(secret);
        fits.then(|| Self { id: id.to_owned(), text: text.to_owned() })
    }

    /// Its public id: what lists, logs and rows name it by.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The key itself, to show it to its holder.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// What is kept of it.
    pub fn hash(&self) -> SecretHash {
        hash("key", &self.text)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({}, hidden)", self.id)
    }
}

impl SecretHash {
    /// Whether both are equal, in a time that does not tell where they differ.
    pub fn matches(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), other.0.as_bytes());
        ours.len() == theirs.len() && ours.iter().zip(theirs).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(hidden)")
    }
}

/// A random token of 256 bits, as text.
///
/// # Errors
/// [`NoRandom`].
pub fn random_token() -> Result<String, NoRandom> {
    Ok(lower(&random::<SECRET_BYTES>()?))
}

/// A random id of 80 bits, as text.
///
/// # Errors
/// [`NoRandom`].
pub fn random_id() -> Result<String, NoRandom> {
    Ok(lower(&random::<ID_BYTES>()?))
}

/// What is kept of a secret that is used for one purpose.
pub fn hash(purpose: &str, secret: &str) -> SecretHash {
    let digest = Sha256::new()
        .chain_update(b"recount ")
        .chain_update(purpose)
        .chain_update([0])
        .chain_update(secret)
        .finalize();
    SecretHash(HEXLOWER.encode(&digest))
}

fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(NoRandom)?;
    Ok(bytes)
}

fn lower(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_and_never_shown_by_accident() {
        let key = ApiKey::make().unwrap();
        assert_eq!(ApiKey::parse(key.expose()).unwrap(), key);
        assert!(!format!("{key:?} {:?}", key.hash()).contains(&key.expose()[21..]));
        assert!(key.hash().matches(&key.hash()));
        let other = ApiKey::make().unwrap();
        assert!(!key.hash().matches(&other.hash()) && key.id() != other.id());
        let text = key.expose();
        for wrong in ["", "rcn_", "k-live-EXAMPLE", &text[1..], &text[..60], &text.to_uppercase()] {
            assert_eq!(ApiKey::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_hash_is_good_for_one_purpose() {
        assert_ne!(hash("key", "x"), hash("session", "x"));
        assert_eq!(random_token().unwrap().len(), SECRET_CHARS);
    }
}
