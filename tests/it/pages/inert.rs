//! Whatever senders write, in whatever field: on a page it is text and nothing else.
use recount::domain::content::{Content, ContentKind};
use recount::domain::entity::Entity;
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::Gate;
use recount::domain::step::{Event, Failure, Link, Proposal, Step};
use recount::domain::value::Value;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

const HOSTILE: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</title></textarea></style><svg onload=alert(1)>",
    "a\u{202e}evil\u{202c}\0\u{1b}[31m\r",
    "{{7*7}} {% raw %} ${7*7} <!-- ]]>",
];

fn body(step: &mut Step, kind: ContentKind, text: String, is_json: bool) -> usize {
    step.add_body(Content { kind, role: "user".to_owned(), is_json, body: text, cut_from: None })
}

/// A step whose every text is hostile.
fn hostile(number: u64, kind: Kind, evil: &str) -> Step {
    let own = |name: &str| format!("{name} {evil}");
    let mut step = Step::default();
    let json = serde_json::json!({"role": evil, "content": [
        {"type": "text", "text": evil},
        {"type": "tool_use", "name": evil, "input": {evil: evil}},
        {"type": "image_url", "image_url": {"url": format!("https://evil.test/{evil}")}},
        {"type": evil, evil: evil},
    ]});
    let message = body(&mut step, ContentKind::Message, json.to_string(), true);
    let plain = body(&mut step, ContentKind::System, own("system"), false);
    let result = body(&mut step, ContentKind::Result, own("result"), false);
    let arguments =
        body(&mut step, ContentKind::Arguments, serde_json::json!({evil: evil}).to_string(), true);
    step.context = vec![plain, message];
    step.output = vec![message];
    (step.arguments, step.result) = (Some(arguments), Some(result));
    step.proposed = vec![Proposal {
        call_id: Some(own("call")),
        tool: own("tool"),
        arguments: Some(arguments),
        complete: false,
    }];
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(66), span(number));
    facts.parent_span_id = (number > 0).then(|| span(0));
    (facts.kind, facts.name) = (kind, own("name"));
    (facts.started_ns, facts.ended_ns) =
        (NOW_NS + number * SECOND_NS, Some(NOW_NS + (number + 1) * SECOND_NS));
    for field in [
        &mut facts.session_id,
        &mut facts.user_id,
        &mut facts.agent,
        &mut facts.agent_version,
        &mut facts.worker,
        &mut facts.service,
        &mut facts.environment,
        &mut facts.model,
        &mut facts.model_requested,
        &mut facts.provider,
        &mut facts.tool,
        &mut facts.tool_call_id,
        &mut facts.target,
        &mut facts.key,
        &mut facts.value,
        &mut facts.downstream_id,
        &mut facts.compensates,
        &mut facts.approver,
        &mut facts.policy_version,
        &mut facts.context_ref,
    ] {
        *field = Some(own("field"));
    }
    facts.run_id = Some(own("run"));
    facts.parameters = vec![(own("parameter"), Value::String(own("value")))];
    facts.finish_reasons = vec![own("finish")];
    facts.gate = Gate::New;
    facts.entities = vec![Entity::account(own("account"))];
    (facts.status, facts.status_message) = (Status::Error, own("status"));
    facts.error = Some(Failure { kind: own("kind"), message: own("message") });
    facts.links = vec![Link { attributes: vec![(own("link"), Value::String(own("to")))], ..Link::default() }];
    let value = || Value::Map(vec![(own("key"), Value::Array(vec![Value::String(own("value"))]))]);
    step.attributes = vec![(own("attribute"), value()), (own("again"), Value::String(own("text")))];
    step.events = vec![Event { name: own("event"), at_ns: NOW_NS, attributes: vec![(own("e"), value())] }];
    step.resource = vec![(own("resource"), value())];
    (step.scope.name, step.scope.version) = (own("scope"), own("version"));
    step
}

/// What no page may contain outside of what we wrote ourselves.
fn assert_inert(html: &str, of: &str) {
    let lower = html.to_lowercase();
    for tag in ["<script", "<img", "<iframe", "<object", "<style", "<base", "<svg onload"] {
        // The page's own script is the only one.
        let ours = if tag == "<script" { lower.matches("<script src=\"/static/recount.").count() } else { 0 };
        assert_eq!(lower.matches(tag).count(), ours, "{of}: {tag}");
    }
    for element in html.split('<').skip(1) {
        let inside = element.split('>').next().unwrap_or_default();
        // Quoted values may hold anything; names of attributes may not.
        let names: String = inside.split('"').step_by(2).collect();
        for name in [" onerror", " onload", " onmouseover", " style=", "javascript:"] {
            assert!(!names.to_lowercase().contains(name), "{of}: {inside}");
        }
        for value in inside.split("href=\"").skip(1).chain(inside.split("src=\"").skip(1)) {
            assert!(value.starts_with(['/', '#', '?', '"']), "{of}: {inside}");
        }
    }
    for hidden in ['\u{202e}', '\0', '\u{1b}', '\r'] {
        assert!(!html.contains(hidden), "{of}: {hidden:?}");
    }
    assert!(!lower.contains("url=\"http") && !lower.contains("src=\"http"), "{of}");
}

#[tokio::test]
async fn hostile_text_is_text_everywhere() {
    let site = Site::new().await;
    let mut compared = 0;
    for evil in HOSTILE {
        let steps = vec![
            hostile(0, Kind::Agent, evil),
            hostile(1, Kind::Think, evil),
            hostile(2, Kind::Act, evil),
            hostile(3, Kind::Act, evil),
            hostile(4, Kind::Read, evil),
        ];
        let runs = site.keep(steps).await;
        let encoded: String = runs[0].run_id.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/runs/{encoded}");
        assert_inert(&site.page(&path).await, evil);
        for number in 0..5 {
            for tab in ["saw", "proposed", "happened", "model", "gate", "raw"] {
                let view = format!("{path}?span={}&tab={tab}&messages=all", span(number));
                assert_inert(&site.page(&view).await, evil);
            }
        }
        for pair in [(1, 1), (2, 3), (1, 4)] {
            let asked = format!("run={encoded}&a={}&b={}", span(pair.0), span(pair.1));
            let got = site.get(&format!("/compare?{asked}")).await;
            assert!(!got.status.is_server_error(), "{asked}: {}", got.body);
            compared += usize::from(got.status.is_success());
            assert_inert(&got.body, evil);
        }
        assert_inert(&site.page(&format!("/compare?run={encoded}&run={encoded}")).await, evil);
        // The API gives the text as it is, as JSON that no browser takes for a page.
        let run = site.get(&format!("/api/v1{path}")).await;
        assert!(run.is("application/json"));
        assert_eq!(run.headers["x-content-type-options"], "nosniff");
        assert_eq!(run.json()["run_id"], runs[0].run_id.as_str());
        let query: String = evil.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for path in [format!("/runs?q={query}"), format!("/runs?q=%22{query}%22"), format!("/runs/{query}")] {
            let got = site.get(&path).await;
            assert!(!got.status.is_server_error(), "{path}: {}", got.body);
            assert_inert(&got.body, &path);
        }
    }
    assert!(compared >= 3, "{compared} comparisons were drawn");
    assert_inert(&site.page("/runs").await, "the list");
}
