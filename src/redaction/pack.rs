//! The built-in pack: what a secret looks like, with the words that must be there before it is looked for.

/// The version of the pack; goes up with every change that could change a result.
pub(crate) const PACK_VERSION: &str = "1";

/// A built-in rule. What is redacted is the last group of the pattern that took part, else the whole match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    /// Its name, shown in markers.
    pub(crate) name: &'static str,
    /// In lower case; without one of them in the text the pattern is not tried.
    pub(crate) keywords: &'static [&'static str],
    /// `{keys}` stands for the names of secret keys.
    pub(crate) pattern: &'static str,
    /// What else has to hold for a match to count.
    pub(crate) check: Check,
}

/// What else has to hold for a match.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Nothing.
    Any,
    /// The value satisfies this.
    Value(fn(&str) -> bool),
    /// The word before the value is a secret key as a whole, and the value is no placeholder.
    Assigned,
}

const fn rule(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
) -> Builtin {
    Builtin { name, keywords, pattern, check }
}

/// Addresses; a switch, since many agents work on them.
pub(crate) const EMAIL: Builtin = rule(
    "email",
    &["@"],
    r"[\p{L}\p{N}][\p{L}\p{N}._%+'\-]*@[\p{L}\p{N}](?:[\p{L}\p{N}\-]*\.)+[\p{L}]{2,}",
    Check::Any,
);

/// The rules that are always on, the more precise ones first. Card numbers are found without a pattern.
pub(crate) const PACK: &[Builtin] = &[
    rule(
        "private-key",
        &["-----begin"],
        concat!(
            r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)",
            r"(?:-----END[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        ),
        Check::Any,
    ),
    rule("bearer-token", &["bearer"], r"(?i)\bbearer\s+([a-z0-9\-._~+/]{8,}=*)", Check::Value(is_token)),
    rule("basic-auth", &["basic"], r"(?i)\bbasic\s+([a-z0-9+/]{8,}={0,2})", Check::Value(is_basic)),
    rule("anthropic-key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_\-]{20,}", Check::Any),
    rule("openai-key", &["sk-"], r"\bsk-[A-Za-z0-9_\-]{20,}", Check::Value(has_digit)),
    rule(
        "aws-key",
        &["akia", "asia", "abia", "acca"],
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
        Check::Any,
    ),
    rule(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\bgh[pousr]_[A-Za-z0-9]{36,}",
        Check::Any,
    ),
    rule("github-token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{22,}", Check::Any),
    rule("gitlab-token", &["glpat-"], r"\bglpat-[A-Za-z0-9_\-]{20,}", Check::Any),
    rule(
        "slack-token",
        &["xoxa", "xoxb", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs", "xapp-"],
        r"\b(?:xox[abeoprs](?:\.xox[bp])?-|xapp-)[A-Za-z0-9\-]{10,}",
        Check::Any,
    ),
    rule(
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows)/([\w/]+)",
        Check::Any,
    ),
    rule(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"\b(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}",
        Check::Any,
    ),
    rule("google-key", &["aiza"], r"\bAIza[A-Za-z0-9_\-]{35}", Check::Any),
    rule("google-token", &["ya29."], r"\bya29\.[A-Za-z0-9_\-]{20,}", Check::Any),
    rule(
        "jwt",
        &["eyj"],
        r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*){1,3}",
        Check::Any,
    ),
    rule("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}", Check::Any),
    rule("pypi-token", &["pypi-ageichlwas5vcmc"], r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_\-]{50,}", Check::Any),
    rule("hugging-face-token", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}", Check::Any),
    rule("sendgrid-key", &["sg."], r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}", Check::Any),
    rule("recount-key", &["rcn_"], r"\brcn_[A-Za-z0-9_]{16,}", Check::Any),
    rule(
        "url-credentials",
        &["://"],
        r#"://([^\s/@:"'<>\\]*:[^\s/@"'<>\\]+|[^\s/@:"'<>\\]{20,})@"#,
        Check::Any,
    ),
    rule(
        "secret",
        &["authorization"],
        concat!(
            r#"(?i)authorization["'\\]{0,6}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,6}"#,
            r"((?:apikey|aws4-hmac-sha256|basic|bearer|bot|digest|negotiate|signature|token)",
            r#"\s[^\r\n"'\\]+)"#,
        ),
        Check::Any,
    ),
    rule(
        "secret",
        &["cookie"],
        r#"(?i)cookies?["'\\]{0,6}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,6}([^\s=;"'\\]+=[^\r\n"'\\]+)"#,
        Check::Any,
    ),
    // `password=…`, `"api_key": "…"` and the same behind one or two layers of escapes.
    rule(
        "secret",
        &[],
        concat!(
            r#"(?i)({keys})["'\\]{0,6}\s{0,3}(=>|[:=])\s{0,3}"#,
            r#"(?:\\*"((?:[^"\\]|\\+[^"\\])+)|\\*'([^'\\\r\n]+)|([^\s"'\\,;&<>{}\[\]()]+))"#,
        ),
        Check::Assigned,
    ),
    // `--token …` in a command line.
    rule("secret", &[], r#"(?i)--?([a-z0-9_\-]*{keys})([ \t]+)["']?([^\s"'\-][^\s"']{2,})"#, Check::Assigned),
];

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Not just a word, as in "bearer certificates".
fn is_token(value: &str) -> bool {
    let upper = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    let lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    has_digit(value) || (upper && lower)
}

/// `user:password` in base64, as in no English sentence with the word "basic".
fn is_basic(value: &str) -> bool {
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
        assert!(is_basic("dXNlcjpwYXNz") && !is_basic("information") && !is_basic("knowledge"));
        assert!(!is_token("certificates") && is_token("plain-value-6"));
    }
}
