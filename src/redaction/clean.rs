//! A value that has passed redaction. Only this file can make one.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::domain::step::Step;
use crate::redaction::echo::Echoes;
use crate::redaction::finder::Finder;
use crate::redaction::pack::{Builtin, PACK};
use crate::redaction::place::Place;
use crate::redaction::rules::Rules;
use crate::redaction::scrub;
use crate::redaction::settings::{Limits, RuleError, Settings};
use crate::redaction::values::Scrubber;
use crate::redaction::withhold;

/// A value with nothing in it that a rule hits. Only a [`Redactor`] makes one, and only it can be kept.
///
/// ```compile_fail
/// use recount::domain::step::Step;
/// use recount::redaction::Clean;
/// let forged = Clean { value: Step::default(), redactions: vec![], rules_version: "".into() };
/// ```
///
/// ```compile_fail
/// use recount::domain::step::Step;
/// let forged: recount::redaction::Clean<Step> = Step::default().into();
/// ```
#[derive(Debug, Clone)]
pub struct Clean<T> {
    value: T,
    redactions: Vec<Redaction>,
    rules_version: Arc<str>,
}

impl<T> Clean<T> {
    /// The value.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// What was done to it.
    pub fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// The version of the rules it went through.
    pub fn rules_version(&self) -> &str {
        &self.rules_version
    }
}

/// The rules, ready to use. Made once; shared by all that receive.
#[derive(Debug)]
pub struct Redactor {
    rules: Rules,
    limits: Limits,
}

impl Redactor {
    /// Compiles the built-in rules and the operator's. An error names the rule that can't be used.
    pub fn new(settings: &Settings) -> Result<Self, RuleError> {
        Self::with_pack(settings, PACK)
    }

    fn with_pack(settings: &Settings, pack: &[Builtin]) -> Result<Self, RuleError> {
        Ok(Self { rules: Rules::new(settings, pack)?, limits: settings.limits.clone() })
    }

    /// The version of the rules: stored with every record that went through them.
    pub fn rules_version(&self) -> &str {
        self.rules.version()
    }

    /// Redacts a step: every string and every key of it. Pseudonyms are made with the project's key.
    ///
    /// It never fails and never lets through what it could not look at: if a rule panics or a field costs
    /// more than it may, content is withheld and a finding says so, while identity and outcome stay.
    pub fn clean(&self, mut step: Step, key: &SecretKey) -> Clean<Step> {
        let scrubbed =
            catch_unwind(AssertUnwindSafe(|| scrub::step(&mut step, &self.rules, &self.limits, key)));
        let (value, redactions) = match scrubbed {
            Ok(Ok(redactions)) => (step, redactions),
            Ok(Err(_)) | Err(_) => withhold::step(step, &self.rules, &self.limits, key),
        };
        Clean { value, redactions, rules_version: Arc::clone(self.rules.version()) }
    }

    /// Redacts one text on its own, such as the service of a refused span.
    pub fn clean_text(&self, text: &str) -> Clean<String> {
        let scrubbed = catch_unwind(AssertUnwindSafe(|| {
            let echoes = Echoes::default();
            let mut pass = Scrubber::new(Finder { rules: Some(&self.rules), echoes: &echoes }, &self.limits);
            let mut text = text.to_owned();
            pass.text(&Place::field("text"), &mut text);
            (text, pass.redactions().collect())
        }));
        let (value, redactions) = scrubbed.unwrap_or_else(|_| ("[withheld]".to_owned(), Vec::new()));
        Clean { value, redactions, rules_version: Arc::clone(self.rules.version()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::content::{Content, ContentKind};
    use crate::domain::entity::Entity;
    use crate::domain::finding::Code;
    use crate::domain::outcome::Outcome;
    use crate::domain::step::Facts;
    use crate::domain::value::Value;
    use crate::redaction::pack::Check;
    use crate::redaction::settings::PatternRule;

    fn key() -> SecretKey {
        SecretKey::new(1, [7; 32])
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn body(text: &str, is_json: bool) -> Content {
        let (role, body) = ("user".to_owned(), text.to_owned());
        Content { kind: ContentKind::Message, role, is_json, body, cut_from: None }
    }

    fn cleaned(step: Step) -> Clean<Step> {
        let settings = Settings {
            email: true,
            keys: vec!["iban".to_owned()],
            patterns: vec![PatternRule {
                name: "secret-no".to_owned(),
                pattern: "SECRET-[0-9]{4}".to_owned(),
            }],
            ..Settings::default()
        };
        Redactor::new(&settings).unwrap().clean(step, &key())
    }

    fn cleaned_text(text: &str) -> String {
        let step = Step { bodies: vec![body(text, false)], ..Step::default() };
        Redactor::new(&Settings::default()).unwrap().clean(step, &key()).get().bodies[0].body.clone()
    }

    #[test]
    fn each_builtin_rule_hits_what_it_is_for() {
        let digits = "0123456789abcdefghijABCDEFGHIJ0123456789";
        for (secret, rule) in [
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(),
                "private-key",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE cut off".to_owned(), "private-key"),
            (format!("Bearer {digits}"), "bearer-token"),
            ("Basic dXNlcjpwYXNz".to_owned(), "basic-auth"),
            (format!("sk-ant-api03-{digits}"), "anthropic-key"),
            (format!("sk-proj-{digits}"), "openai-key"),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "aws-key"),
            (format!("ghp_{digits}"), "github-token"),
            (format!("github_pat_{digits}"), "github-token"),
            (format!("glpat-{digits}"), "gitlab-token"),
            ("xoxb-123456789012-abcdef".to_owned(), "slack-token"),
            (format!("sk_live_{digits}"), "stripe-key"),
            (format!("AIza{}", &digits[..35]), "google-key"),
            (format!("ya29.{digits}"), "google-token"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_".to_owned(), "jwt"),
            (format!("npm_{}", &digits[..36]), "npm-token"),
            (format!("hf_{digits}"), "hugging-face-token"),
            (format!("SG.{digits}.{digits}"), "sendgrid-key"),
            (format!("rcn_{digits}"), "recount-key"),
            ("4111 1111 1111 1111".to_owned(), "card-number"),
        ] {
            let clean = cleaned_text(&format!("see {secret}"));
            let mark = format!("[redacted:{rule}]");
            assert!(clean.contains(&mark), "{secret} gave {clean}");
            assert!(!clean.contains(&secret[secret.len().saturating_sub(5)..]), "{secret} gave {clean}");
        }
        for (text, clean) in [
            ("see https://bob:hunter@x.com/a?b", "see https://[redacted:url-credentials]@x.com/a?b"),
            ("run --api-key hunter2 now", "run --api-key [redacted:secret] now"),
            ("DB_PASSWORD=hunter retries=3", "DB_PASSWORD=[redacted:secret] retries=3"),
            ("say \"token\": \"hunter two\" twice", "say \"token\": \"[redacted:secret]\" twice"),
            (r#"cut {"a":{"password":"hunter tw"#, r#"cut {"a":{"password":"[redacted:secret]"#),
            (r#"cut "{\"api_key\":\"hunter\",\"b"#, r#"cut "{\"api_key\":\"[redacted:secret]\",\"b"#),
            ("GET /?token=hunter&max_tokens=4096", "GET /?token=[redacted:secret]&max_tokens=4096"),
            ("cookie: sid=hunter; b=c", "cookie: [redacted:secret]"),
            ("Authorization: Token hunter", "Authorization: [redacted:secret]"),
        ] {
            assert_eq!(cleaned_text(text), clean);
        }
    }

    #[test]
    fn everyday_text_is_left_alone() {
        for text in [
            "The bearer certificates and basic information are in order 4812.",
            "password: incorrect, the token: expired; authorization: pending",
            r#"{"max_tokens":4096,"usage":{"input_tokens":4111},"next_page_token":"abcdefgh12345"}"#,
            "ids 1764444444000000000 and 5b8efff798038103d269b633813fc60c, task-list-of-things-to-do-now",
            "mail bob@example.com about https://example.com/@bob:8080/x",
            r#"{"properties":{"token":{"type":"string","description":"the token"}}}"#,
            "größe 你好 😀",
        ] {
            assert_eq!(cleaned_text(text), text);
        }
    }

    #[test]
    fn clean_bodies_are_not_copied() {
        let step = Step { bodies: vec![body("{\"token_count\": 5}", true)], ..Step::default() };
        let before = step.bodies[0].body.as_ptr();
        assert_eq!(cleaned(step).get().bodies[0].body.as_ptr(), before);
    }

    #[test]
    fn nested_json_is_opened_and_stays_json() {
        let mut nested = r#"{"api_key":"sk-1","n":1.50,"q":"SECRET-1008"}"#.to_owned();
        for depth in 0..6 {
            nested = format!("{{\"body\":{}, \"n\": 1.50}}", serde_json::Value::from(nested));
            let clean = cleaned_text(&nested);
            assert!(!clean.contains("sk-1"), "depth {depth}: {clean}");
            assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "depth {depth}: {clean}");
            assert!(clean.ends_with(", \"n\": 1.50}"));
        }
        assert_eq!(
            cleaned_text(r#"{"a":"bob 4111\u00201111\u00201111\u00201111"}"#),
            r#"{"a":"bob [redacted:card-number]"}"#
        );
        let step = Step { bodies: vec![body(" 4111111111111111", true)], ..Step::default() };
        assert_eq!(cleaned(step).get().bodies[0].body, "\" [redacted:card-number]\"");
        assert_eq!(cleaned_text(r#"{"a":4111111111111111}"#), r#"{"a":"[redacted:card-number]"}"#);
    }

    #[test]
    fn look_alikes_hide_nothing() {
        for spelling in [
            "４１１１１１１１１１１１１１１１",
            "4111\u{200b}1111\u{200b}1111\u{200b}1111",
            "4111\u{ad}111111111111",
            "4111\u{a0}1111\u{a0}1111\u{a0}1111",
            "4111–1111–1111–1111",
            "𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏",
            "٤١١١١١١١١١١١١١١١",
            "\u{2066}4111111111111111\u{2069}",
        ] {
            let clean = cleaned_text(&format!("😀 card {spelling} é"));
            assert!(clean.contains("[redacted:card-number]") && clean.ends_with(" é"), "{clean}");
        }
        for spelling in [
            "bob＠x.com",
            "bob@x\u{200b}.com",
            "b\u{ad}ob@x.com",
            "ｂｏｂ@x.com",
            "bob@x．com",
            "𝐛𝐨𝐛@x.com",
            "bob@x.com",
        ] {
            let step = Step { bodies: vec![body(spelling, false)], ..Step::default() };
            assert_eq!(cleaned(step).get().bodies[0].body, "[redacted:email]", "{spelling}");
        }
    }

    #[test]
    fn identity_becomes_a_pseudonym_everywhere() {
        let card = "4111111111111111";
        let facts = Facts {
            run_id: Some(format!("run-{card}-1").replace('-', " ")),
            key: Some("run-7:refund".to_owned()),
            target: Some(format!("card:{card}")),
            entities: vec![Entity { kind: "card".to_owned(), id: card.to_owned() }],
            link_keys: vec![format!("langgraph={card}")],
            ..Facts::default()
        };
        let step = Step {
            facts,
            bodies: vec![body(&format!(r#"{{"card":"{card}","note":"pay {card}"}}"#), true)],
            attributes: vec![("recount.action.target".to_owned(), text(&format!("card:{card}")))],
            ..Step::default()
        };
        let clean = cleaned(step);
        let id = pseudonym_of(card);
        let facts = &clean.get().facts;
        assert_eq!(facts.entities[0].id, id);
        assert_eq!(facts.target, Some(format!("card:{id}")));
        assert_eq!(facts.link_keys, [format!("langgraph={id}")]);
        assert_eq!(facts.key.as_deref(), Some("run-7:refund"));
        assert!(facts.run_id.as_ref().unwrap().starts_with("card-number("));
        assert_eq!(clean.get().bodies[0].body, format!(r#"{{"card":"{id}","note":"pay {id}"}}"#));
        assert_eq!(clean.get().attributes[0].1, text(&format!("card:{id}")));
        assert!(clean.redactions().iter().any(|redaction| redaction.method == "pseudonym"));
    }

    fn pseudonym_of(value: &str) -> String {
        crate::redaction::pseudonym(&key(), "card-number", value)
    }

    #[test]
    fn a_secret_given_away_by_its_key_is_gone_elsewhere_too() {
        let step = Step {
            facts: Facts {
                session_id: Some("hunter-the-second".to_owned()),
                status_message: "login with hunter-the-second failed".to_owned(),
                ..Facts::default()
            },
            bodies: vec![body(r#"{"q":"try hunter-the-\u0073econd"}"#, true)],
            attributes: vec![(
                "config".to_owned(),
                Value::Map(vec![("API-KEY".to_owned(), Value::Array(vec![text("hunter-the-second")]))]),
            )],
            ..Step::default()
        };
        let clean = cleaned(step);
        assert!(!format!("{clean:?}").contains("hunter-the"), "{clean:?}");
        assert_eq!(
            clean.get().facts.status_message,
            "login with [redacted:secret] failed"
                .replace("[redacted:secret]", clean.get().facts.session_id.as_ref().unwrap())
        );
        assert!(clean.get().facts.session_id.as_ref().unwrap().starts_with("secret(17):v1."));
    }

    #[test]
    fn a_failing_rule_withholds_content_and_keeps_identity_and_outcome() {
        fn fail(value: &str) -> bool {
            assert!(!value.contains("boom"));
            false
        }
        let rule =
            Builtin { name: "boom", keywords: &["boom"], pattern: "boom[0-9]*", check: Check::Value(fail) };
        let redactor = Redactor::with_pack(&Settings::default(), &[rule]).unwrap();
        let facts = Facts {
            run_id: Some("run-7".to_owned()),
            key: Some("k-boom".to_owned()),
            outcome: Some(Outcome::Unknown),
            name: "refund boom".to_owned(),
            ..Facts::default()
        };
        let step = Step { facts, bodies: vec![body("boom1", false)], ..Step::default() };
        let clean = redactor.clean(step, &key());
        assert!(!format!("{clean:?}").contains("boom"), "{clean:?}");
        let facts = &clean.get().facts;
        assert_eq!(facts.run_id.as_deref(), Some("run-7"));
        assert_eq!(facts.outcome, Some(Outcome::Unknown));
        assert!(facts.key.as_ref().unwrap().starts_with("withheld(6):"));
        assert_eq!(facts.findings[0].code, Code::ContentWithheld);
        assert_eq!(redactor.clean_text("boom").get(), "[withheld]");
    }

    #[test]
    fn a_field_beyond_its_budget_is_withheld_alone() {
        let mut settings = Settings::default();
        settings.limits.field_bytes_max = 1000;
        settings.limits.field_hits_max = 3;
        let redactor = Redactor::new(&settings).unwrap();
        let cards = "4111111111111111 / ".repeat(4);
        let bodies =
            vec![body(&"x".repeat(1001), false), body(&format!("[\"{cards}\"]"), true), body("fine", false)];
        let clean = redactor.clean(Step { bodies, ..Step::default() }, &key());
        let kept: Vec<&str> = clean.get().bodies.iter().map(|body| body.body.as_str()).collect();
        assert_eq!(kept, ["[withheld:budget]", "\"[withheld:budget]\"", "fine"]);
        assert_eq!(clean.get().facts.findings.len(), 2);
    }

    #[test]
    fn bad_rules_are_refused_by_name() {
        let with = |name: &str, pattern: &str| {
            let pattern = PatternRule { name: name.to_owned(), pattern: pattern.to_owned() };
            Redactor::new(&Settings { patterns: vec![pattern], ..Settings::default() })
                .unwrap_err()
                .to_string()
        };
        assert!(with("a b", "x").contains("lower-case"));
        assert!(with("open", "(").contains("`open`"));
        assert!(with("empty", "x*").contains("empty text"));
        assert!(with("huge", "[a-z]{1000}{1000}").contains("`huge`"));
        let one = Settings { keys: vec!["iban".to_owned()], ..Settings::default() };
        let versions = [Settings::default(), Settings { email: true, ..Settings::default() }, one]
            .map(|settings| Redactor::new(&settings).unwrap().rules_version().to_owned());
        assert!(versions[0] == "1" && versions[1] == "1+email" && versions[2].len() == 10, "{versions:?}");
    }
}
