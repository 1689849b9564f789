//! The pack `secrets`: credentials by the form they have, and by the word before them.
use crate::redaction::pack::{ASSIGNED, Builtin, Check, FLAG, Words, has_digit, is_basic, is_token};

const fn form(
    name: &'static str,
    about: &'static str,
    words: &'static [&'static str],
    pattern: &'static str,
) -> Builtin {
    checked(name, about, words, pattern, Check::Any)
}

const fn checked(
    name: &'static str,
    about: &'static str,
    words: &'static [&'static str],
    pattern: &'static str,
    check: Check,
) -> Builtin {
    Builtin { name, pack: "secrets", about, words: Words::Any(words), pattern, check }
}

/// By the names of keys.
const fn named(pattern: &'static str) -> Builtin {
    Builtin {
        name: "secret",
        pack: "secrets",
        about: "values under keys such as password, api_key, authorization, cookie, token",
        words: Words::Keys,
        pattern,
        check: Check::Assigned,
    }
}

/// The rules, the more precise ones first.
pub(crate) const SECRETS: &[Builtin] = &[
    form(
        "private-key",
        "private keys in PEM",
        &["-----begin"],
        concat!(
            r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)",
            r"(?:-----END[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
        ),
    ),
    checked(
        "bearer-token",
        "Bearer credentials",
        &["bearer"],
        r"(?i)\bbearer\s+([a-z0-9\-._~+/]{8,}=*)",
        Check::Value(is_token),
    ),
    checked(
        "basic-auth",
        "Basic credentials",
        &["basic"],
        r"(?i)\bbasic\s+([a-z0-9+/]{8,}={0,2})",
        Check::Value(is_basic),
    ),
    form("anthropic-key", "Anthropic keys", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_\-]{20,}"),
    form("openrouter-key", "OpenRouter keys", &["sk-or-"], r"\bsk-or-(?:v1-)?[A-Za-z0-9]{20,}"),
    form("langfuse-key", "Langfuse secret keys", &["sk-lf-"], r"\bsk-lf-[A-Za-z0-9\-]{20,}"),
    checked("openai-key", "OpenAI keys", &["sk-"], r"\bsk-[A-Za-z0-9_\-]{20,}", Check::Value(has_digit)),
    form("langsmith-key", "LangSmith keys", &["lsv2_"], r"\blsv2_(?:pt|sk)_[A-Za-z0-9_]{20,}"),
    form("groq-key", "Groq keys", &["gsk_"], r"\bgsk_[A-Za-z0-9]{30,}"),
    form("xai-key", "xAI keys", &["xai-"], r"\bxai-[A-Za-z0-9]{40,}"),
    form("perplexity-key", "Perplexity keys", &["pplx-"], r"\bpplx-[A-Za-z0-9]{30,}"),
    form("replicate-token", "Replicate tokens", &["r8_"], r"\br8_[A-Za-z0-9]{30,}"),
    form("pinecone-key", "Pinecone keys", &["pcsk_"], r"\bpcsk_[A-Za-z0-9_]{30,}"),
    form("tavily-key", "Tavily keys", &["tvly-"], r"\btvly-[A-Za-z0-9\-]{20,}"),
    form("firecrawl-key", "Firecrawl keys", &["fc-"], r"\bfc-[0-9a-f]{32}\b"),
    form(
        "aws-key",
        "AWS access key ids",
        &["akia", "asia", "abia", "acca"],
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    form(
        "github-token",
        "GitHub tokens",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\bgh[pousr]_[A-Za-z0-9]{36,}",
    ),
    form("github-token", "GitHub tokens", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    form(
        "gitlab-token",
        "GitLab tokens",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-"],
        r"\bgl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_\-]{20,}",
    ),
    form(
        "slack-token",
        "Slack tokens",
        &["xoxa", "xoxb", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs", "xapp-"],
        r"\b(?:xox[abeoprs](?:\.xox[bp])?-|xapp-)[A-Za-z0-9\-]{10,}",
    ),
    form(
        "slack-webhook",
        "Slack webhooks",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/]+)",
    ),
    form(
        "discord-webhook",
        "Discord webhooks",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/\d+/([\w\-]{20,})",
    ),
    form("telegram-token", "Telegram bot tokens", &[":aa"], r"\b\d{8,10}:AA[A-Za-z0-9_\-]{33}\b"),
    form(
        "stripe-key",
        "Stripe keys",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"\b(?:(?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}",
    ),
    form(
        "square-token",
        "Square tokens",
        &["sq0atp-", "sq0csp-", "eaaa"],
        r"\bsq0(?:atp|csp)-[A-Za-z0-9_\-]{22,}|\bEAAA[A-Za-z0-9_\-]{60}",
    ),
    form(
        "shopify-token",
        "Shopify tokens",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    ),
    checked("mailgun-key", "Mailgun keys", &["key-"], r"\bkey-[0-9a-f]{32}\b", Check::Entropy(28)),
    checked(
        "mailchimp-key",
        "Mailchimp keys",
        &["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
        r"\b[0-9a-f]{32}-us\d{1,2}\b",
        Check::Entropy(28),
    ),
    form("sendgrid-key", "SendGrid keys", &["sg."], r"\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}"),
    form("resend-key", "Resend keys", &["re_"], r"\bre_[A-Za-z0-9]{8,}_[A-Za-z0-9]{16,}\b"),
    form("google-key", "Google keys", &["aiza"], r"\bAIza[A-Za-z0-9_\-]{35}"),
    form("google-token", "Google tokens", &["ya29."], r"\bya29\.[A-Za-z0-9_\-]{20,}"),
    form("google-secret", "Google client secrets", &["gocspx-"], r"\bGOCSPX-[A-Za-z0-9_\-]{24,}"),
    form(
        "azure-key",
        "Azure account keys and SAS signatures",
        &["accountkey=", "sharedaccesskey=", "sig="],
        r"(?i)(?:\b(?:shared)?a(?:ccount|ccess)key=|[?&]sig=)([A-Za-z0-9+/%]{40,}=*)",
    ),
    form("databricks-token", "Databricks tokens", &["dapi"], r"\bdapi[a-f0-9]{32}\b"),
    form(
        "digitalocean-token",
        "DigitalOcean tokens",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"\bdo[opr]_v1_[a-f0-9]{64}",
    ),
    form("cloudflare-token", "Cloudflare origin keys", &["v1.0-"], r"\bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b"),
    form("vault-token", "Vault tokens", &["hvs.", "hvb.", "hvr."], r"\bhv[sbr]\.[A-Za-z0-9_\-]{24,}"),
    form(
        "terraform-token",
        "Terraform tokens",
        &[".atlasv1."],
        r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}",
    ),
    form("grafana-token", "Grafana tokens", &["glsa_", "glc_"], r"\bgl(?:sa|c)_[A-Za-z0-9+/_=]{32,}"),
    form("newrelic-key", "New Relic keys", &["nrak-", "nrii-"], r"\bNR(?:AK|II)-[A-Za-z0-9_\-]{20,}"),
    form("sentry-token", "Sentry tokens", &["sntrys_", "sntryu_"], r"\bsntry[su]_[A-Za-z0-9+/_=]{40,}"),
    form("linear-key", "Linear keys", &["lin_api_"], r"\blin_api_[A-Za-z0-9]{32,}"),
    form(
        "notion-token",
        "Notion tokens",
        &["ntn_", "secret_"],
        r"\b(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b)",
    ),
    form("figma-token", "Figma tokens", &["figd_"], r"\bfigd_[A-Za-z0-9_\-]{36,}"),
    form("postman-key", "Postman keys", &["pmak-"], r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    form(
        "doppler-token",
        "Doppler tokens",
        &["dp.pt.", "dp.st.", "dp.sa."],
        r"\bdp\.(?:pt|st|sa)\.[A-Za-z0-9._\-]{40,}",
    ),
    form(
        "supabase-key",
        "Supabase keys",
        &["sbp_", "sb_secret_"],
        r"\bsb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_\-]{20,})",
    ),
    form("docker-token", "Docker tokens", &["dckr_pat_"], r"\bdckr_pat_[A-Za-z0-9_\-]{20,}"),
    form("rubygems-key", "RubyGems keys", &["rubygems_"], r"\brubygems_[a-f0-9]{48}"),
    form("npm-token", "npm tokens", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}"),
    form(
        "pypi-token",
        "PyPI tokens",
        &["pypi-ageichlwas5vcmc"],
        r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_\-]{50,}",
    ),
    form("hugging-face-token", "Hugging Face tokens", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}"),
    form("age-key", "age secret keys", &["age-secret-key-1"], r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}"),
    form("recount-key", "keys of Recount itself", &["rcn_"], r"\brcn_[A-Za-z0-9_]{16,}"),
    form(
        "jwt",
        "JSON web tokens",
        &["eyj"],
        r"\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*){1,3}",
    ),
    form(
        "url-credentials",
        "user and password in an address",
        &["://"],
        r#"://([^\s/@:"'<>\\]*:[^\s/@"'<>\\]+|[^\s/@:"'<>\\]{20,})@"#,
    ),
    form(
        "secret",
        "authorization headers",
        &["authorization"],
        concat!(
            r#"(?i)authorization["'\\]{0,6}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,6}"#,
            r"((?:apikey|aws4-hmac-sha256|basic|bearer|bot|digest|negotiate|signature|token)",
            r#"\s[^\r\n"'\\]+)"#,
        ),
    ),
    form(
        "secret",
        "cookies",
        &["cookie"],
        r#"(?i)cookies?["'\\]{0,6}\s{0,3}(?:=>|[:=])\s{0,3}["'\\]{0,6}([^\s=;"'\\]+=[^\r\n"'\\]+)"#,
    ),
    named(ASSIGNED),
    named(FLAG),
];
