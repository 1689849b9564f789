//! Digests of bodies, keyed per project: equal bodies meet, and nobody can guess a body by its digest.
use serde_json::{Number, Value as Json};

use crate::domain::content::ContentKind;
use crate::domain::ids::Digest;
use crate::domain::secret::SecretKey;
use crate::evidence::canon::{Canon, mac};

/// The largest integer up to which every integer is a double (2^53), hence the same in every JSON reader.
const INTEGER_MAX: u64 = 9_007_199_254_740_992;

/// Makes digests of bodies under one key.
pub struct ContentDigests(Canon);

impl ContentDigests {
    /// A maker of digests under the project's content key.
    pub fn new(key: &SecretKey) -> Self {
        Self(Canon::new(key, "recount content 1"))
    }

    /// The digest under which a body is kept: HMAC-SHA256 over kind, role and body, the first 16 bytes.
    ///
    /// Kind and role are in it because the same words said by a user and by a tool are two contents.
    pub fn of(&self, kind: ContentKind, role: &str, body: &str) -> Digest {
        let mut canon = self.0.clone();
        canon.text(kind.word());
        canon.text(role);
        canon.text(body);
        Digest(canon.finish_half())
    }
}

/// Makes digests of canonical forms under one key.
pub struct CanonicalDigests(Canon);

impl CanonicalDigests {
    /// A maker of digests under the project's content key.
    pub fn new(key: &SecretKey) -> Self {
        Self(Canon::new(key, "recount canonical 1"))
    }

    /// The digest of a JSON text's canonical form, equal for equal JSON values; `None` when it is no JSON.
    pub fn of(&self, json: &str) -> Option<Digest> {
        let mut canon = self.0.clone();
        canon.text(&canonical_json(json)?);
        Some(Digest(canon.finish_half()))
    }
}

/// The digest under which one body is kept; for many of one request use [`ContentDigests`].
pub fn content_digest(key: &SecretKey, kind: ContentKind, role: &str, body: &str) -> Digest {
    ContentDigests::new(key).of(kind, role, body)
}

/// The digest of one canonical form; for many of one request use [`CanonicalDigests`].
pub fn canonical_digest(key: &SecretKey, json: &str) -> Option<Digest> {
    CanonicalDigests::new(key).of(json)
}

/// The canonical form of a JSON text (RFC 8785); `None` when it is not one whole JSON value.
///
/// Integers that not every reader can tell apart (beyond 2^53) become strings of their digits, as the RFC
/// advises: written as doubles, two order numbers that differ in the last digit would become one.
/// Of a repeated key the last value counts.
pub fn canonical_json(json: &str) -> Option<String> {
    let mut value: Json = serde_json::from_str(json).ok()?;
    spell_large_integers(&mut value);
    serde_json_canonicalizer::to_string(&value).ok()
}

/// What a leaf holds in a body's place: worthless for guessing the body once body and salt are erased.
pub fn salted_digest(salt: &[u8; 16], body: Digest) -> [u8; 32] {
    use hmac::Mac;

    let mut key = [0; 32];
    key.iter_mut().zip(salt).for_each(|(to, from)| *to = *from);
    mac(&key).chain_update(b"recount leaf body 1").chain_update(body.0).finalize().into_bytes().into()
}

fn spell_large_integers(value: &mut Json) {
    match value {
        Json::Number(number) if is_large_integer(number) => *value = Json::String(number.to_string()),
        Json::Array(values) => values.iter_mut().for_each(spell_large_integers),
        Json::Object(entries) => entries.values_mut().for_each(spell_large_integers),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn is_large_integer(number: &Number) -> bool {
    number.as_u64().is_some_and(|int| int > INTEGER_MAX)
        || number.as_i64().is_some_and(|int| int.unsigned_abs() > INTEGER_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_json_values_have_one_canonical_form() {
        for (json, canonical) in [
            (r#"{"b":1,"a":[1.0,1e2,"x"]}"#, Some(r#"{"a":[1,100,"x"],"b":1}"#)),
            (" { \"a\" : [ 1 , 100.0 , \"\\u0078\" ], \"b\":1.00 } ", Some(r#"{"a":[1,100,"x"],"b":1}"#)),
            (r#"{"id":9007199254740993}"#, Some(r#"{"id":"9007199254740993"}"#)),
            (r#"{"id":-9007199254740993}"#, Some(r#"{"id":"-9007199254740993"}"#)),
            ("\"text\"", Some("\"text\"")),
            ("order 4812", None),
            ("{\"cut\": ", None),
            ("", None),
        ] {
            assert_eq!(canonical_json(json).as_deref(), canonical, "{json}");
        }
    }

    #[test]
    fn digests_differ_by_key_kind_role_and_border() {
        let (one, two) = (SecretKey::new(1, [1; 32]), SecretKey::new(1, [2; 32]));
        let digest = content_digest(&one, ContentKind::Message, "user", "hi");
        assert_eq!(digest, content_digest(&one, ContentKind::Message, "user", "hi"));
        for other in [
            content_digest(&two, ContentKind::Message, "user", "hi"),
            content_digest(&one, ContentKind::Output, "user", "hi"),
            content_digest(&one, ContentKind::Message, "tool", "hi"),
            content_digest(&one, ContentKind::Message, "userh", "i"),
        ] {
            assert_ne!(digest, other);
        }
        assert_eq!(canonical_digest(&one, r#"{"a":1,"b":2}"#), canonical_digest(&one, r#"{"b":2,"a":1.0}"#));
        assert_eq!(canonical_digest(&one, "no json"), None);
    }
}
