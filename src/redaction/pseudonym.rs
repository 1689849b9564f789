//! Keyed pseudonyms: what stands for an identifying value, the same wherever the value stood.
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::secret::SecretKey;
use crate::redaction::fold::Folded;

/// The pseudonym of a value: `rule(length):v<key version>.<hex>`.
///
/// It depends on the value and the rule only, not on the field, so that a run id, a target and an account
/// that are the same value stay the same. Made from the folded, trimmed value (an e-mail address in lower
/// case): spellings of one value meet, and a search can make it again from what somebody typed.
pub fn pseudonym(key: &SecretKey, rule: &str, value: &str) -> String {
    let folded = Folded::of(value);
    let mut normal = folded.view().trim().to_owned();
    if normal.contains('@') {
        normal = normal.to_lowercase();
    }
    let mut block = [0; 64];
    block.iter_mut().zip(key.expose()).for_each(|(to, from)| *to = *from);
    let mac: Hmac<Sha256> = Hmac::new(&block.into());
    let hash: [u8; 32] = mac
        .chain_update(b"recount pseudonym 1 ")
        .chain_update(normal.as_bytes())
        .finalize()
        .into_bytes()
        .into();
    let hex = data_encoding::HEXLOWER.encode(hash.get(..16).unwrap_or_default());
    format!("{rule}({}):v{}.{hex}", normal.chars().count(), key.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_meet_and_keys_do_not() {
        let (one, two) = (SecretKey::new(1, [1; 32]), SecretKey::new(2, [2; 32]));
        let bob = pseudonym(&one, "email", "bob@x.com");
        assert!(bob.starts_with("email(9):v1.") && bob.len() == "email(9):v1.".len() + 32, "{bob}");
        assert_eq!(bob, pseudonym(&one, "email", " BOB＠x.com"));
        assert_ne!(bob, pseudonym(&one, "email", "rob@x.com"));
        assert!(pseudonym(&two, "email", "bob@x.com").starts_with("email(9):v2."));
    }
}
