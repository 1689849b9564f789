//! The built-in rules: their form, their packs and the checks that a match has to pass.

/// The version of the packs; goes up with every change that could change a result.
pub(crate) const PACK_VERSION: &str = "2";

/// A built-in rule. What is redacted is the last group of the pattern that took part, else the whole match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    /// Its name, shown in marks.
    pub(crate) name: &'static str,
    /// The pack it belongs to.
    pub(crate) pack: &'static str,
    /// What it finds, for people.
    pub(crate) about: &'static str,
    /// What has to be in the text before the pattern is tried.
    pub(crate) words: Words,
    /// `{keys}` stands for the names of secret keys.
    pub(crate) pattern: &'static str,
    /// What else has to hold for a match to count.
    pub(crate) check: Check,
}

/// What has to be in a text before a pattern is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Words {
    /// One of these, in lower case.
    Any(&'static [&'static str]),
    /// The name of a secret key.
    Keys,
    /// A digit: the pattern has no words of its own.
    Digits,
}

/// What else has to hold for a match.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Nothing.
    Any,
    /// The value satisfies this.
    Value(fn(&str) -> bool),
    /// The value has at least so many tenths of a bit of entropy a character.
    Entropy(u32),
    /// The word before the value is a secret key as a whole, and the value is no placeholder.
    Assigned,
}

/// Rules that are found without a pattern, by name, pack and what they find.
pub(crate) const SCANNED: &[(&str, &str, &str)] = &[
    ("card-number", "cards", "13 to 19 digits of a known issuer that pass the Luhn check"),
    ("iban", "iban", "account numbers of a known country whose check digits are right"),
    ("base64", "base64", "blobs of 1 KB and more; what is left says type, length and SHA-256"),
];

/// `password=…`, `"api_key": "…"` and the same behind one or two layers of escapes.
pub(crate) const ASSIGNED: &str = concat!(
    r#"(?i)({keys})["'\\]{0,6}\s{0,3}(=>|[:=])\s{0,3}"#,
    r#"(?:\\*"((?:[^"\\]|\\+[^"\\])+)|\\*'([^'\\\r\n]+)|([^\s"'\\,;&<>{}\[\]()]+))"#,
);

/// `--token …` in a command line.
pub(crate) const FLAG: &str = r#"(?i)--?([a-z0-9_\-]*{keys})([ \t]+)["']?([^\s"'\-][^\s"']{2,})"#;

/// Bits of Shannon entropy a character, in tenths.
pub(crate) fn entropy_tenths(value: &str) -> u32 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX)).max(1.0);
    let bits: f64 = counts
        .into_iter()
        .filter(|count| *count > 0)
        .map(|count| f64::from(count) / length)
        .map(|share| -share * share.log2())
        .sum();
    // Never more than eight bits.
    (0..=80).rev().find(|tenths| f64::from(*tenths) <= bits * 10.0).unwrap_or_default()
}

pub(crate) fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Not just a word, as in "bearer certificates".
pub(crate) fn is_token(value: &str) -> bool {
    let upper = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    has_digit(value) || (upper && lower)
}

/// `user:password` in base64, as in no English sentence with the word "basic".
pub(crate) fn is_basic(value: &str) -> bool {
    let value = value.trim_end_matches('=');
    data_encoding::BASE64_NOPAD.decode(value.as_bytes()).is_ok_and(|decoded| decoded.contains(&b':'))
}

/// Whether an assigned value may be a secret: no placeholder; a bare word after a colon, as in
/// "password: incorrect", needs something that words do not have.
pub(crate) fn is_secret_value(value: &str, separator: &str, quoted: bool) -> bool {
    const PLACEHOLDERS: &[&str] =
        &["true", "false", "null", "none", "nil", "undefined", "required", "string", "number", "object"];
    let placeholder = value.starts_with(['$', '<', '*', '[', '{', '%'])
        || ["os.", "process.", "env."].iter().any(|start| value.starts_with(start))
        || PLACEHOLDERS.iter().any(|word| value.eq_ignore_ascii_case(word));
    let long_enough = value.chars().count() >= 4;
    let odd = value.len() >= 6
        && (value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+/~|".contains(&byte))
            || value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()));
    let assigned = matches!(separator.trim(), "=" | "=>" | "");
    !placeholder && long_enough && (quoted || assigned || odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_secrets() {
        for (value, separator, quoted, secret) in [
            ("incorrect", ":", false, false),
            ("incorrect", ":", true, true),
            ("hunter", "=", false, true),
            ("hunter2", ":", false, true),
            ("$TOKEN", "=", false, false),
            ("true", "=", false, false),
            ("SECRET-1001", " ", false, true),
        ] {
            assert_eq!(is_secret_value(value, separator, quoted), secret, "{value}");
        }
        assert!(entropy_tenths("aaaaaaaa") == 0 && entropy_tenths("abcdefgh") == 30);
        assert!(is_basic("dXNlcjpwYXNz") && !is_basic("information") && !is_basic("knowledge"));
        assert!(!is_token("certificates") && is_token("plain-value-6"));
    }
}
