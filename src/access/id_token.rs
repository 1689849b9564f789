//! Judges the token by which an OpenID Connect provider says who somebody is.
use std::collections::BTreeMap;

use data_encoding::BASE64URL_NOPAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use serde_json::Value;

/// How far the provider's clock may be from ours, in seconds.
const LEEWAY_S: u64 = 60;
/// A token longer than this is not read.
const TOKEN_BYTES_MAX: usize = 64 << 10;

/// The provider's keys, as it publishes them.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ProviderKeys {
    keys: Vec<ProviderKey>,
}

#[derive(Debug, Clone, Deserialize)]
struct ProviderKey {
    kty: String,
    #[serde(default)]
    kid: String,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
    #[serde(default)]
    crv: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
}

/// What a token must say to be for us, now, and for this sign-in.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Who gave it.
    pub issuer: &'a str,
    /// For whom.
    pub client_id: &'a str,
    /// For which sign-in.
    pub nonce: &'a str,
    /// Now, seconds since 1970.
    pub now_s: u64,
}

/// What a provider says of somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    /// Theirs at the provider for good.
    pub subject: String,
    /// Everything it says.
    pub all: BTreeMap<String, Value>,
}

/// Why a token is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Not of the form.
    #[error("the provider's token can't be read")]
    Unreadable,
    /// Signed by another method, or by none.
    #[error("the provider's token is not signed by RS256 or ES256")]
    Method,
    /// By a key that the provider does not publish.
    #[error("the provider's token is signed by a key that it does not publish")]
    Key,
    /// The signature does not fit.
    #[error("the signature of the provider's token is wrong")]
    Signature,
    /// By another provider.
    #[error("the token is of another provider")]
    Issuer,
    /// For another client.
    #[error("the token is for another client")]
    Audience,
    /// For another sign-in.
    #[error("the token is for another sign-in")]
    Nonce,
    /// Over, or not yet.
    #[error("the token is not of now; compare the clocks")]
    Time,
}

/// Believes a token, or says why not.
///
/// # Errors
/// [`TokenError`]; [`TokenError::Key`] may pass when the keys are asked for again.
pub fn judge(token: &str, keys: &ProviderKeys, expected: Expected<'_>) -> Result<Claims, TokenError> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(TokenError::Unreadable);
    }
    let [head, body, signature] = token.split('.').collect::<Vec<_>>()[..] else {
        return Err(TokenError::Unreadable);
    };
    let decode = |part: &str| BASE64URL_NOPAD.decode(part.as_bytes()).or(Err(TokenError::Unreadable));
    let head: BTreeMap<String, Value> =
        serde_json::from_slice(&decode(head)?).or(Err(TokenError::Unreadable))?;
    let text = |name: &str| head.get(name).and_then(Value::as_str).unwrap_or_default();
    let signed = token.rsplit_once('.').map(|(signed, _)| signed).unwrap_or_default();
    keys.check(text("alg"), text("kid"), signed.as_bytes(), &decode(signature)?)?;
    let all: BTreeMap<String, Value> =
        serde_json::from_slice(&decode(body)?).or(Err(TokenError::Unreadable))?;
    claims(all, expected)
}

impl ProviderKeys {
    fn check(&self, method: &str, kid: &str, signed: &[u8], signature: &[u8]) -> Result<(), TokenError> {
        let kind = match method {
            "RS256" => "RSA",
            "ES256" => "EC",
            // `none`, and methods whose key would be our own secret.
            _ => return Err(TokenError::Method),
        };
        let fits = |key: &&ProviderKey| key.kty == kind && (kid.is_empty() || key.kid == kid);
        let mut found = self.keys.iter().filter(fits).peekable();
        if found.peek().is_none() {
            return Err(TokenError::Key);
        }
        let right = |key: &ProviderKey| key.verifies(signed, signature).unwrap_or(false);
        if found.any(right) { Ok(()) } else { Err(TokenError::Signature) }
    }
}

impl ProviderKey {
    fn verifies(&self, signed: &[u8], signature: &[u8]) -> Option<bool> {
        let decode = |part: &str| BASE64URL_NOPAD.decode(part.as_bytes()).ok();
        if self.kty == "RSA" {
            let key = RsaPublicKeyComponents { n: decode(&self.n)?, e: decode(&self.e)? };
            return Some(key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).is_ok());
        }
        if self.crv != "P-256" {
            return None;
        }
        let point = [vec![4], decode(&self.x)?, decode(&self.y)?].concat();
        Some(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature).is_ok())
    }
}

fn claims(all: BTreeMap<String, Value>, expected: Expected<'_>) -> Result<Claims, TokenError> {
    let text = |name: &str| all.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| all.get(name).and_then(Value::as_f64);
    if text("iss").trim_end_matches('/') != expected.issuer.trim_end_matches('/') {
        return Err(TokenError::Issuer);
    }
    let audience: Vec<&str> = match all.get("aud") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
    };
    let party = text("azp");
    let ours = audience.contains(&expected.client_id)
        && (audience.len() == 1 || party == expected.client_id)
        && (party.is_empty() || party == expected.client_id);
    if !ours {
        return Err(TokenError::Audience);
    }
    if expected.nonce.is_empty() || text("nonce") != expected.nonce {
        return Err(TokenError::Nonce);
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds of this age are whole in a double")]
    let (now, leeway) = (expected.now_s as f64, LEEWAY_S as f64);
    let lasts = number("exp").is_some_and(|at| at + leeway > now);
    let begun = number("iat").is_none_or(|at| at - leeway <= now)
        && number("nbf").is_none_or(|at| at - leeway <= now);
    if !lasts || !begun {
        return Err(TokenError::Time);
    }
    let subject = text("sub").to_owned();
    if subject.is_empty() {
        return Err(TokenError::Unreadable);
    }
    Ok(Claims { subject, all })
}

impl Claims {
    /// The texts under a claim: one, or a list.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.all.get(name) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
    use serde_json::json;

    use super::*;

    const EXPECTED: Expected<'_> =
        Expected { issuer: "https://id.example", client_id: "recount", nonce: "n", now_s: 1_000_000 };

    struct Provider {
        key: EcdsaKeyPair,
        random: SystemRandom,
    }

    impl Provider {
        fn new() -> Self {
            let random = SystemRandom::new();
            let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
            let key =
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap();
            Self { key, random }
        }

        fn keys(&self) -> ProviderKeys {
            let point = self.key.public_key().as_ref();
            let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
            let (x, y) = (encode(&point[1..33]), encode(&point[33..]));
            serde_json::from_value(
                json!({"keys": [{"kty": "EC", "crv": "P-256", "kid": "k", "x": x, "y": y}]}),
            )
            .unwrap()
        }

        fn token(&self, head: &Value, claims: &Value) -> String {
            let encode = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
            let signed = format!("{}.{}", encode(head), encode(claims));
            let signature = self.key.sign(&self.random, signed.as_bytes()).unwrap();
            format!("{signed}.{}", BASE64URL_NOPAD.encode(signature.as_ref()))
        }
    }

    fn said() -> Value {
        json!({"iss": "https://id.example/", "aud": "recount", "nonce": "n", "sub": "s1", "exp": 1_000_100,
            "iat": 999_990, "groups": ["ops"], "email": "ada@example"})
    }

    #[test]
    fn a_token_for_us_is_believed() {
        let provider = Provider::new();
        let token = provider.token(&json!({"alg": "ES256", "kid": "k"}), &said());
        let claims = judge(&token, &provider.keys(), EXPECTED).unwrap();
        assert_eq!((claims.subject.as_str(), claims.texts("groups")), ("s1", vec!["ops"]));
        assert_eq!(claims.texts("email"), ["ada@example"]);
    }

    #[test]
    fn anything_else_is_not() {
        let (provider, other) = (Provider::new(), Provider::new());
        let head = json!({"alg": "ES256", "kid": "k"});
        let with = |name: &str, value: Value| {
            let mut claims = said();
            claims[name] = value;
            provider.token(&head, &claims)
        };
        let none =
            format!("{}.", provider.token(&json!({"alg": "none"}), &said()).rsplit_once('.').unwrap().0);
        for (token, wrong) in [
            (other.token(&head, &said()), TokenError::Signature),
            (provider.token(&json!({"alg": "HS256", "kid": "k"}), &said()), TokenError::Method),
            (none, TokenError::Method),
            (provider.token(&json!({"alg": "ES256", "kid": "gone"}), &said()), TokenError::Key),
            (provider.token(&json!({"alg": "RS256", "kid": "k"}), &said()), TokenError::Key),
            (with("iss", json!("https://evil.example")), TokenError::Issuer),
            (with("aud", json!("another")), TokenError::Audience),
            (with("aud", json!(["recount", "another"])), TokenError::Audience),
            (with("azp", json!("another")), TokenError::Audience),
            (with("nonce", json!("m")), TokenError::Nonce),
            (with("exp", json!(999_000)), TokenError::Time),
            (with("iat", json!(1_000_900)), TokenError::Time),
            (with("sub", json!("")), TokenError::Unreadable),
            ("a.b".to_owned(), TokenError::Unreadable),
            (String::new(), TokenError::Unreadable),
        ] {
            assert_eq!(judge(&token, &provider.keys(), EXPECTED), Err(wrong), "{token}");
        }
    }
}
