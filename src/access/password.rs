//! Passwords of local users: argon2id, so that a stolen table is of little use.
use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use data_encoding::BASE64_NOPAD;

use crate::access::token::SecretHash;

/// Memory in KiB, passes and lanes: what OWASP asks for at least.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;
/// Least and most characters of a password. A longer one only costs time.
const CHARS_MIN: usize = 12;
const CHARS_MAX: usize = 256;

/// A password's hash in the usual form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; empty where there is none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PasswordHash(pub String);

/// Why a password can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too short.
    #[error("the password has {0} characters; at least {CHARS_MIN} are needed")]
    Short(usize),
    /// Too long.
    #[error("the password has more than {CHARS_MAX} characters")]
    Long,
    /// The name again.
    #[error("the password is the name")]
    Name,
    /// No randomness, or no memory.
    #[error("the password could not be hashed; see the server's log")]
    Failed,
}

impl PasswordHash {
    /// Hashes a password. Takes some 30 ms and 19 MiB: not on a thread that serves.
    ///
    /// # Errors
    /// Why it can't be used.
    pub fn make(name: &str, password: &str) -> Result<Self, PasswordError> {
        let chars = password.chars().count();
        if chars < CHARS_MIN {
            return Err(PasswordError::Short(chars));
        }
        if chars > CHARS_MAX {
            return Err(PasswordError::Long);
        }
        if password.eq_ignore_ascii_case(name) {
            return Err(PasswordError::Name);
        }
        let mut salt = [0; SALT_BYTES];
        getrandom::fill(&mut salt).or(Err(PasswordError::Failed))?;
        let cost = Cost { memory_kib: MEMORY_KIB, passes: PASSES, lanes: LANES };
        let hash = digest(password, &salt, &cost).ok_or(PasswordError::Failed)?;
        Ok(Self(format!(
            "$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${}${}",
            BASE64_NOPAD.encode(&salt),
            BASE64_NOPAD.encode(&hash)
        )))
    }

    /// Whether this is the password. Takes as long when there is no hash, so that its time does not tell
    /// whether a name exists.
    pub fn is_of(&self, password: &str) -> bool {
        let read = self.read();
        let (cost, salt, hash) = read.clone().unwrap_or((
            Cost { memory_kib: MEMORY_KIB, passes: PASSES, lanes: LANES },
            vec![0; SALT_BYTES],
            vec![0; HASH_BYTES],
        ));
        let password = if password.chars().count() > CHARS_MAX { "" } else { password };
        let found = digest(password, &salt, &cost).map(|found| BASE64_NOPAD.encode(&found));
        let kept = SecretHash(BASE64_NOPAD.encode(&hash));
        found.is_some_and(|found| SecretHash(found).matches(&kept)) && read.is_some()
    }

    fn read(&self) -> Option<(Cost, Vec<u8>, Vec<u8>)> {
        let rest = self.0.strip_prefix("$argon2id$v=19$")?;
        let [cost, salt, hash] = rest.split('$').collect::<Vec<_>>()[..] else { return None };
        let mut cost = cost.split(',').filter_map(|part| part.split_once('=')?.1.parse().ok());
        let cost = Cost { memory_kib: cost.next()?, passes: cost.next()?, lanes: cost.next()? };
        Some((cost, BASE64_NOPAD.decode(salt.as_bytes()).ok()?, BASE64_NOPAD.decode(hash.as_bytes()).ok()?))
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(hidden)")
    }
}

#[derive(Clone)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

fn digest(password: &str, salt: &[u8], cost: &Cost) -> Option<[u8; HASH_BYTES]> {
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(HASH_BYTES)).ok()?;
    let mut out = [0; HASH_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(password.as_bytes(), salt, &mut out)
        .ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_fits() {
        let hash = PasswordHash::make("ada", "correct horse battery").unwrap();
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(hash.is_of("correct horse battery"));
        assert!(!hash.is_of("correct horse batterz") && !hash.is_of(""));
        assert!(!PasswordHash::default().is_of("") && !PasswordHash("nonsense".to_owned()).is_of("x"));
        assert!(!format!("{hash:?}").contains("argon2id"));
    }

    #[test]
    fn weak_passwords_are_refused_with_the_reason() {
        for (name, password, wrong) in [
            ("ada", "short", PasswordError::Short(5)),
            ("administrator", "Administrator", PasswordError::Name),
            ("ada", &"x".repeat(300), PasswordError::Long),
        ] {
            assert_eq!(PasswordHash::make(name, password), Err(wrong));
        }
    }
}
