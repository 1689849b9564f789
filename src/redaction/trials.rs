//! What redaction leaves of steps: each rule, nested JSON, look-alikes, identity, echoes, failures.
use crate::domain::content::{Content, ContentKind};
use crate::domain::entity::Entity;
use crate::domain::finding::Code;
use crate::domain::outcome::Outcome;
use crate::domain::secret::SecretKey;
use crate::domain::step::Facts;
use crate::domain::step::{Event, Step};
use crate::domain::value::Value;
use crate::redaction::clean::{Clean, Redactor};
use crate::redaction::compile::built;
use crate::redaction::pack::{Builtin, Check, Words};
use crate::redaction::settings::{Finds, Method, Mode, RuleSpec, Settings};

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
    let mut settings = Settings::with_pack("email");
    settings.rules.push(RuleSpec::keys("iban-key", &["iban"]));
    settings.rules.push(RuleSpec::pattern("secret-no", "SECRET-[0-9]{4}"));
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
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(), "private-key"),
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
    let rule = Builtin {
        name: "boom",
        pack: "secrets",
        about: "",
        words: Words::Any(&["boom"]),
        pattern: "boom[0-9]*",
        check: Check::Value(fail),
    };
    let built = built([rule].iter()).unwrap();
    let settings = Settings { packs: Vec::new(), ..Settings::default() };
    let redactor = Redactor::over(&settings, &built).unwrap();
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
    assert_eq!(redactor.clean_text("boom", &key()).get(), "[withheld]");
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
    let refused = |rule: RuleSpec| {
        let rule = RuleSpec { origin: "rules.toml, line 7".to_owned(), ..rule };
        Redactor::new(&Settings::with_rules(vec![rule])).unwrap_err().to_string()
    };
    for (rule, named) in [
        (RuleSpec::pattern("a b", "x"), "lower-case"),
        (RuleSpec::pattern("open", "("), "`open` (rules.toml, line 7)"),
        (RuleSpec::pattern("empty", "x*"), "empty text"),
        (RuleSpec::pattern("huge", "[a-z]{1000}{1000}"), "`huge`"),
        (RuleSpec::pattern("long", &"x".repeat(5000)), "more than 4096"),
        (RuleSpec::pattern("looks", "(?=a)"), "look-around"),
        (RuleSpec::new("group", Finds::Pattern { pattern: "a".to_owned(), groups: vec![1] }), "group 1"),
        (RuleSpec::pattern("where", "x").at("a.."), "at character 3"),
        (RuleSpec::keys("keyless", &["--"]), "no letter"),
        (RuleSpec::new("nowhere", Finds::Anything), "needs a selector"),
        (RuleSpec::new("unknown", Finds::Builtin("emial".to_owned())), "there are:"),
        (RuleSpec::pattern("email", "x"), "another rule"),
        (RuleSpec::pattern("shows", "x").does(Method::Mask(5)), "at most 4"),
    ] {
        let error = refused(rule);
        assert!(error.contains(named), "{error}");
    }
    let rules = (0..201).map(|at| RuleSpec::pattern(&format!("r{at}"), "x")).collect();
    assert!(Redactor::new(&Settings::with_rules(rules)).unwrap_err().to_string().contains("201 rules"));
    let unlisted = Settings { mode: Mode::Allow(vec!["a b".to_owned()]), ..Settings::default() };
    assert!(Redactor::new(&unlisted).unwrap_err().to_string().contains("`allow`"));
}

#[test]
fn the_version_says_which_rules_these_are() {
    let version = |settings: &Settings| Redactor::new(settings).unwrap().rules_version().to_owned();
    let own = Settings::with_rules(vec![RuleSpec::keys("own", &["own"])]);
    let newer = Settings::with_rules(vec![RuleSpec { version: 2, ..RuleSpec::keys("own", &["own"]) }]);
    let all = [
        version(&Settings::default()),
        version(&Settings::with_pack("email")),
        version(&own),
        version(&newer),
    ];
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert!(different.len() == 4 && all.iter().all(|version| version.starts_with("2-")), "{all:?}");
    assert_eq!(version(&own), all[2]);
}

fn with(rules: Vec<RuleSpec>, step: Step) -> Clean<Step> {
    Redactor::new(&Settings::with_rules(rules)).unwrap().clean(step, &key())
}

#[test]
fn a_selector_says_where_a_rule_looks() {
    let order = "ORD-[0-9]+";
    let step = || Step {
        bodies: vec![
            body(r#"{"note":"ORD-1","deep":{"ref":"ORD-2","n":7},"json":"{\"ref\":\"ORD-3\"}"}"#, true),
            body("ORD-4", false),
        ],
        arguments: Some(0),
        result: Some(1),
        attributes: vec![
            ("http.url".to_owned(), text("/ORD-5")),
            ("other".to_owned(), Value::Map(vec![("ref".to_owned(), text("ORD-6"))])),
        ],
        facts: Facts { status_message: "ORD-7".to_owned(), ..Facts::default() },
        ..Step::default()
    };
    for (selector, gone) in [
        ("arguments", "123"),
        ("arguments.deep", "2"),
        ("**.ref", "236"),
        ("arguments.**.ref || result", "234"),
        ("attributes.http.*", "5"),
        ("attributes && !attributes.other.ref", "5"),
        ("$number", ""),
        ("$event", ""),
        ("$span && !arguments", "4567"),
        ("status_message", "7"),
    ] {
        let clean = with(vec![RuleSpec::pattern("order", order).at(selector)], step());
        let left = format!("{:?}", clean.get());
        for at in 1..=7 {
            let expected = !gone.contains(&at.to_string());
            assert_eq!(left.contains(&format!("ORD-{at}")), expected, "{selector}: {at} in {left}");
        }
    }
}

#[test]
fn anything_takes_whole_values_and_remove_takes_the_pair() {
    let step = || Step {
        bodies: vec![body(r#"{"name":"Ana","age":7,"ok":true,"list":[{"x":"y"}]}"#, true)],
        arguments: Some(0),
        attributes: vec![("note".to_owned(), text("said Ana B")), ("kept".to_owned(), text("yes"))],
        ..Step::default()
    };
    let anything = |selector: &str| RuleSpec::new("all", Finds::Anything).at(selector);
    let clean = with(vec![anything("arguments")], step());
    assert_eq!(clean.get().bodies[0].body, "[redacted:all]".to_owned());
    let clean = with(vec![anything("arguments.name || arguments.list")], step());
    let expected = r#"{"name":"[redacted:all]","age":7,"ok":true,"list":[{"x":"[redacted:all]"}]}"#;
    assert_eq!(clean.get().bodies[0].body, expected);
    let clean = with(vec![anything("arguments && $number")], step());
    assert!(clean.get().bodies[0].body.contains(r#""name":"Ana","age":"[redacted:all]""#));
    let clean = with(vec![anything("attributes.note").does(Method::Remove)], step());
    assert_eq!(clean.get().attributes, [("kept".to_owned(), text("yes"))]);
    assert_eq!(
        (clean.redactions()[0].path.as_str(), clean.redactions()[0].rule.as_str()),
        ("attributes", "all@1")
    );
}

#[test]
fn allow_list_mode_keeps_what_is_listed_and_nothing_else() {
    let facts = Facts {
        tool: Some("refund".to_owned()),
        run_id: Some("run-7".to_owned()),
        status_message: "free text".to_owned(),
        ..Facts::default()
    };
    let step = Step {
        facts,
        bodies: vec![
            body(r#"{"order":"o-1","name":"Ana","card":"4111111111111111"}"#, true),
            body("said", false),
        ],
        arguments: Some(0),
        output: vec![1],
        attributes: vec![
            ("http.method".to_owned(), text("POST")),
            ("tool".to_owned(), text("refund")),
            ("secret key of Ana".to_owned(), text("x")),
        ],
        ..Step::default()
    };
    let listed = ["attributes.http", "arguments.order", "arguments.card"].map(str::to_owned).to_vec();
    let settings = Settings { mode: Mode::Allow(listed), ..Settings::default() };
    let clean = Redactor::new(&settings).unwrap().clean(step, &key());
    let (step, removed) = (clean.get(), "[removed:not-listed]");
    assert_eq!(step.attributes, [("http.method".to_owned(), text("POST"))]);
    let arguments = format!(r#"{{"order":"o-1","name":"{removed}","card":"[redacted:card-number]"}}"#);
    assert_eq!((&step.bodies[0].body, step.bodies[1].body.as_str()), (&arguments, removed));
    assert_eq!(step.facts.status_message, removed);
    assert_eq!((step.facts.tool.as_deref(), step.facts.run_id.as_deref()), (Some("refund"), Some("run-7")));
    assert!(!format!("{:?}", clean.redactions()).contains("Ana"));
}

#[test]
fn the_order_of_rules_is_the_one_that_is_written_down() {
    // The longest hit wins; of equal ones the operator's first; in what identifies, always the pseudonym.
    let email = |id: &str, method| RuleSpec::new(id, Finds::Builtin("email".to_owned())).does(method);
    let step = |said: &str| Step {
        facts: Facts { user_id: Some("bob@x.com".to_owned()), ..Facts::default() },
        bodies: vec![body(said, false)],
        ..Step::default()
    };
    let clean =
        with(vec![email("mine", Method::Encrypt), email("later", Method::Remove)], step("to eve@x.com"));
    assert!(clean.get().bodies[0].body.starts_with("to mine(9):e1."), "{clean:?}");
    assert!(clean.get().facts.user_id.as_ref().unwrap().starts_with("mine(9):v1."));
    let longer = RuleSpec::pattern("longer", "to [a-z@.]+");
    let clean = with(vec![email("mine", Method::Remove), longer], step("to eve@x.com"));
    assert_eq!(clean.get().bodies[0].body, "[redacted:longer]");
    let scoped = email("mine", Method::Remove).at("user_id");
    let clean = with(vec![scoped], step("to eve@x.com"));
    assert_eq!(clean.get().bodies[0].body, "to eve@x.com", "the pack is off, so the rule is all there is");
}

#[test]
fn account_ids_become_one_pseudonym_wherever_a_key_names_them() {
    let step = Step {
        facts: Facts {
            target: Some("account:2291".to_owned()),
            entities: vec![Entity { kind: "account".to_owned(), id: "2291".to_owned() }],
            ..Facts::default()
        },
        bodies: vec![body(r#"{"account_id":2291,"amount":40}"#, true)],
        arguments: Some(0),
        ..Step::default()
    };
    let rule = RuleSpec::keys("acct", &["account", "account_id"]).does(Method::Hash);
    let clean = with(vec![rule], step);
    let id = crate::redaction::pseudonym(&key(), "acct", "2291");
    assert_eq!(clean.get().facts.entities[0].id, id);
    assert_eq!(clean.get().facts.target, Some(format!("account:{id}")));
    assert_eq!(clean.get().bodies[0].body, format!(r#"{{"account_id":"{id}","amount":40}}"#));
    // A key that only the arguments have gives a short id away where it is all of an entity or target.
    let step = Step {
        facts: Facts {
            target: Some("order:2291".to_owned()),
            entities: vec![Entity { kind: "account".to_owned(), id: "2291".to_owned() }],
            key: Some("refund 2291".to_owned()),
            ..Facts::default()
        },
        bodies: vec![body(r#"{"customer":"2291","n":2291}"#, true)],
        ..Step::default()
    };
    let clean = with(vec![RuleSpec::keys("acct", &["customer"]).does(Method::Hash)], step);
    assert_eq!(clean.get().facts.entities[0].id, id);
    assert_eq!(clean.get().facts.target, Some(format!("order:{id}")));
    assert_eq!(clean.get().facts.key, Some(format!("refund {id}")), "what identifies is hidden all over");
}

#[test]
fn blobs_and_what_hides_in_base64() {
    let blob = data_encoding::BASE64.encode(&[b"\x89PNG".as_slice(), &[9; 3000]].concat());
    let clean = cleaned_text(&format!(r#"{{"url":"data:image/png;base64,{blob}"}}"#));
    assert!(clean.starts_with(r#"{"url":"[base64:image/png 3004 bytes sha256:"#), "{clean}");
    let hidden = data_encoding::BASE64.encode(b"login with Bearer abcdefgh12345678 please");
    assert_eq!(cleaned_text(&format!("x={hidden}!")), "x=[redacted:bearer-token]!");
    let harmless = data_encoding::BASE64.encode(b"nothing to see here, move on please");
    assert_eq!(cleaned_text(&harmless), harmless);
}

#[test]
fn a_key_that_came_in_pieces_is_gone_at_every_split() {
    let secret = "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789";
    let said = format!("take {secret} now");
    let piece = |name: &str, key: &str, piece: &str| {
        let attributes = vec![(key.to_owned(), text(piece))];
        Event { name: name.to_owned(), at_ns: 0, attributes }
    };
    for at in 1..said.len() {
        let (one, rest) = said.split_at(at);
        let (two, three) = rest.split_at(rest.len() / 2);
        let events = [one, two, three].map(|part| piece("chunk", "llm.delta", part)).to_vec();
        let clean = cleaned(Step { events, ..Step::default() });
        let values = clean.get().events.iter().map(|event| &event.attributes[0].1);
        let texts = values.map(|value| if let Value::String(text) = value { text } else { "" });
        let left: String = texts.collect();
        assert_eq!(left, "take [redacted:anthropic-key] now", "at {at}");
        assert_eq!(clean.redactions()[0].rule, "anthropic-key");
    }
    // Numbers that only stand one after the other are left.
    let events = ["41111111", "11111111"].map(|part| piece("retry", "attempt_id", part)).to_vec();
    assert_eq!(cleaned(Step { events: events.clone(), ..Step::default() }).get().events, events);
}
