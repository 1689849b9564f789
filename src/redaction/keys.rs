//! Names of keys whose values are secret, however they are spelt: `api_key`, `API-KEY`, `x.apiKey`.
use std::collections::BTreeSet;

use crate::redaction::fold::Folded;
use crate::redaction::settings::Wrong;

/// Names in words. A key is secret when its last words are one of these, plural or not.
const NAMES: &[&str] = &[
    "access key",
    "account key",
    "api key",
    "auth key",
    "authorization",
    "basic auth",
    "bearer",
    "connection string",
    "cookie",
    "credential",
    "cvc",
    "cvv",
    "encryption key",
    "jwt",
    "master key",
    "passphrase",
    "passwd",
    "password",
    "private key",
    "pwd",
    "secret",
    "secret key",
    "shared key",
    "signing key",
    "token",
];

/// `token` after one of these is a place in a list or a piece of text, not a secret.
const HARMLESS_BEFORE_TOKEN: &[&str] = &[
    "bos",
    "cached",
    "cancellation",
    "completion",
    "continuation",
    "each",
    "eos",
    "first",
    "input",
    "last",
    "mask",
    "max",
    "min",
    "next",
    "output",
    "pad",
    "page",
    "per",
    "prompt",
    "reasoning",
    "special",
    "stop",
    "sync",
    "total",
    "unk",
];

/// Words that may follow a secret's name and still mean the secret itself.
const TRAILING: &[&str] =
    &["current", "hash", "hdr", "header", "new", "old", "plain", "raw", "text", "value"];

/// The names in use.
#[derive(Debug)]
pub(crate) struct KeyNames {
    /// In words, for building patterns.
    names: Vec<Vec<String>>,
    /// The words joined, for comparing.
    joined: BTreeSet<String>,
    words_max: usize,
}

impl KeyNames {
    /// The built-in names.
    pub(crate) fn builtin() -> Self {
        Self::of(NAMES.iter().map(|name| words(name)).collect())
    }

    /// These names.
    pub(crate) fn new(given: &[String]) -> Result<Self, Wrong> {
        let mut names = Vec::new();
        for name in given {
            let words = words(name);
            if words.is_empty() {
                return Err(Wrong::Key(name.clone()));
            }
            names.push(words);
        }
        Ok(Self::of(names))
    }

    fn of(names: Vec<Vec<String>>) -> Self {
        let joined = names.iter().map(|name| name.concat()).collect();
        let words_max = names.iter().map(Vec::len).max().unwrap_or(1);
        Self { names, joined, words_max }
    }

    /// Spellings to look for in raw text, in lower case: if none is in it, no secret key is.
    pub(crate) fn spellings(&self) -> BTreeSet<String> {
        let joints = ["", " ", "_", "-", "."];
        self.names.iter().flat_map(|name| joints.map(|joint| name.join(joint))).collect()
    }

    /// A regular expression that matches the end of a secret key.
    pub(crate) fn pattern(&self) -> String {
        let names: Vec<String> = self
            .names
            .iter()
            .map(|name| name.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("[-_. ]?"))
            .collect();
        format!("(?:{})s?", names.join("|"))
    }

    /// Whether the value under this key is secret.
    pub(crate) fn is_secret(&self, key: &str) -> bool {
        let mut words = words(Folded::of(key).view());
        while words.len() > 1 && words.last().is_some_and(|last| is_trailing(last)) {
            words.pop();
        }
        let tail = words.len().saturating_sub(self.words_max);
        let tail = words.get(tail..).unwrap_or_default();
        (0..tail.len()).any(|from| {
            let name = tail.get(from..).unwrap_or_default().concat();
            let known = self.joined.contains(&name)
                || name.strip_suffix('s').is_some_and(|name| name != "token" && self.joined.contains(name));
            known && !(name == "token" && follows_harmless(&words))
        })
    }
}

fn is_trailing(word: &str) -> bool {
    TRAILING.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

fn follows_harmless(words: &[String]) -> bool {
    let before = words.len().checked_sub(2).and_then(|at| words.get(at));
    before.is_some_and(|word| HARMLESS_BEFORE_TOKEN.contains(&word.as_str()))
}

/// The words of a key in lower case, split at everything that is no letter or digit and at humps.
fn words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut chars = key.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_alphanumeric() {
            let hump = char.is_uppercase()
                && (before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase())));
            if hump || !before.is_alphanumeric() || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(char.to_lowercase());
            }
        }
        before = char;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_keys_are_known_in_every_spelling() {
        let (builtin, own) =
            (KeyNames::builtin(), KeyNames::new(&["IBAN".to_owned(), "pin-code".to_owned()]).unwrap());
        let is_secret = |key: &str| builtin.is_secret(key) || own.is_secret(key);
        for key in [
            "password",
            "Password",
            "API-KEY",
            "api_key",
            "apiKey",
            "APIKey",
            "x.api.key",
            "xapikey_value",
            "OPENAI_API_KEY",
            "http.request.header.authorization",
            "Proxy-Authorization",
            "set-cookie",
            "cookies",
            "clientSecret",
            "access_token",
            "refreshToken",
            "user.password",
            "passwords",
            "iban",
            "customer_iban",
            "pinCode",
            "aws_secret_access_key",
            "credentials",
            "db_password_2",
            "ｐassword",
            "password\u{200b}",
        ] {
            let expected = key != "xapikey_value";
            assert_eq!(is_secret(key), expected, "{key}");
        }
        for key in [
            "gen_ai.usage.input_tokens",
            "max_tokens",
            "token_count",
            "time_to_first_token",
            "next_page_token",
            "eos_token",
            "recount.action.key",
            "authorization_status",
            "password_reset_url",
            "secretary",
            "key",
            "idempotency_key",
            "",
            "tokenizer",
            "order.id",
            "tokens",
        ] {
            assert!(!is_secret(key), "{key}");
        }
        assert!(matches!(KeyNames::new(&["--".to_owned()]), Err(Wrong::Key(_))));
    }
}
