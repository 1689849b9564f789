//! Keyed pseudonyms: what stands for an identifying value, the same wherever the value stood.
use aes_siv::siv::Aes128Siv;
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
    let hash = keyed(key, &[b"recount pseudonym 1 ", normal.as_bytes()]);
    let hex = data_encoding::HEXLOWER.encode(hash.get(..16).unwrap_or_default());
    format!("{rule}({}):v{}.{hex}", normal.chars().count(), key.version)
}

/// A value under the project's key, `rule(length):e<key version>.<base64>`: AES-SIV (RFC 5297), so the same
/// value gives the same text. [`opened`] brings it back.
pub(crate) fn sealed(key: &SecretKey, rule: &str, value: &str) -> String {
    let mut cipher = Aes128Siv::new(&keyed(key, &[b"recount seal 1"]).into());
    // It fails only for more headers than there are, and then the value must not stay.
    let Ok(sealed) = cipher.encrypt(SEAL, value.as_bytes()) else { return "[withheld:seal]".to_owned() };
    let text = data_encoding::BASE64URL_NOPAD.encode(&sealed);
    format!("{rule}({}):e{}.{text}", value.chars().count(), key.version)
}

/// The value behind an encrypted text, when one of these keys made it.
pub fn opened(keys: &[SecretKey], text: &str) -> Option<String> {
    let (_, sealed) = text.split_once("):e")?;
    let (version, sealed) = sealed.split_once('.')?;
    let version: u32 = version.parse().ok()?;
    let key = keys.iter().find(|key| key.version == version)?;
    let sealed = data_encoding::BASE64URL_NOPAD.decode(sealed.as_bytes()).ok()?;
    let mut cipher = Aes128Siv::new(&keyed(key, &[b"recount seal 1"]).into());
    String::from_utf8(cipher.decrypt(SEAL, &sealed).ok()?).ok()
}

const SEAL: [&[u8]; 1] = [b"recount redaction"];

fn keyed(key: &SecretKey, parts: &[&[u8]]) -> [u8; 32] {
    let mut block = [0; 64];
    block.iter_mut().zip(key.expose()).for_each(|(to, from)| *to = *from);
    let mac: Hmac<Sha256> = Hmac::new(&block.into());
    parts.iter().fold(mac, |mac, part| mac.chain_update(part)).finalize().into_bytes().into()
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

    #[test]
    fn what_is_sealed_opens_with_its_own_key_only() {
        let (one, two) = (SecretKey::new(1, [1; 32]), SecretKey::new(2, [2; 32]));
        let sealed_bob = sealed(&one, "mail", "bob@x.com");
        assert_eq!(sealed_bob, sealed(&one, "mail", "bob@x.com"));
        assert!(sealed_bob.starts_with("mail(9):e1.") && !sealed_bob.contains("bob"), "{sealed_bob}");
        assert_eq!(opened(&[two.clone(), one.clone()], &sealed_bob).as_deref(), Some("bob@x.com"));
        assert_eq!(opened(&[SecretKey::new(1, [3; 32]), two], &sealed_bob), None);
        assert_eq!(opened(&[one], "mail(9):e1.AAAA"), None);
    }
}
