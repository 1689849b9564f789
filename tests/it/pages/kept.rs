//! What was kept is what is shown: bodies by their digest, values as sent, refusals with their reason.
use recount::domain::content::{Content, ContentKind};
use recount::domain::kind::Kind;
use recount::domain::step::Step;
use recount::domain::value::Value;
use recount::otlp::Refused;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

fn think(number: u64, texts: &[&str]) -> Step {
    let mut step = Step::default();
    for text in texts {
        let body = serde_json::json!({"role": "user", "content": text}).to_string();
        let content = Content {
            kind: ContentKind::Message,
            role: "user".to_owned(),
            is_json: true,
            body,
            cut_from: None,
        };
        let at = step.add_body(content);
        step.context.push(at);
    }
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(5), span(number));
    (facts.kind, facts.name) = (Kind::Think, "chat".to_owned());
    (facts.started_ns, facts.ended_ns) =
        (NOW_NS + number * SECOND_NS, Some(NOW_NS + number * SECOND_NS + SECOND_NS / 2));
    step.attributes = vec![("big".to_owned(), Value::Int(9_007_199_254_740_993))];
    step
}

#[tokio::test]
async fn what_is_new_to_the_model_is_open_and_the_rest_is_folded() {
    let site = Site::new().await;
    let first = ["the first message", "the second message"];
    let second = ["the first message", "the second message", "the third message"];
    site.keep(vec![think(1, &first), think(2, &second)]).await;
    let path = format!("/runs/{}?span={}&tab=saw", trace(5), span(2));
    let html = site.page(&path).await;
    let [_, folded, open] = html.split("class=\"messages\"").collect::<Vec<_>>()[..] else {
        panic!("{html}")
    };
    assert!(folded.contains("the first message") && folded.contains("the second message"));
    assert!(open.contains("the third message") && !open.contains("the first message"));
    assert!(html.contains("<b>1 new</b> of 3 messages") && html.contains("2 messages unchanged"));
    let part = html.split("data-load=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(site.page(&part).await.contains("the first message"));
    let all = site.page(&format!("{path}&messages=all")).await;
    assert!(!all.contains("unchanged since"));
}

#[tokio::test]
async fn bodies_and_values_come_back_as_sent() {
    let site = Site::new().await;
    let long = format!("before {} after", "words ".repeat(34_000));
    site.keep(vec![think(1, &["short", &long])]).await;
    let step = site.get(&format!("/api/v1/runs/{}/steps/{}", trace(5), span(1))).await.json();
    let context = step["attempts"][0]["context"].as_array().unwrap();
    let kept =
        site.get(&format!("/api/v1/contents/{}/{}", trace(5), context[0]["digest"].as_str().unwrap())).await;
    assert!(kept.is("application/json"));
    assert_eq!(kept.json(), serde_json::json!({"role": "user", "content": "short"}));
    assert_eq!(context[1]["body_cut"], true);
    let html = site.page(&format!("/runs/{}?tab=saw", trace(5))).await;
    assert!(html.len() < 200_000 && html.contains("Only the beginning is shown"), "{}", html.len());
    let whole = context[1]["digest"].as_str().unwrap();
    let whole = site.get(&format!("/api/v1/contents/{}/{whole}", trace(5))).await;
    assert!(whole.body.contains("after"));
    let span_answer = site.get(&format!("/api/v1/spans/{}/{}", trace(5), span(1))).await;
    assert!(span_answer.body.contains("\"value\":9007199254740993"));
    let otlp = site.get(&format!("/api/v1/spans/{}/{}?format=otlp", trace(5), span(1))).await;
    assert!(otlp.body.contains("\"intValue\":\"9007199254740993\""));
}

#[tokio::test]
async fn refusals_are_listed_with_their_reason() {
    let site = Site::new().await;
    let refused = Refused {
        reason: "the trace id has 15 bytes, not 16".to_owned(),
        class: "bad-id",
        service: Some("shop <b>".to_owned()),
        bytes: 812,
        items: 1,
        sha256: "ab".repeat(32),
    };
    let request = site.keeping.encode(NOW_NS, Vec::new(), &[refused.clone(), refused]);
    site.keeping.insert(&site.store, &request.to_frame()).await;
    let html = site.page("/status").await;
    assert!(html.contains("the trace id has 15 bytes, not 16") && html.contains("shop &lt;b&gt;"));
    let page = site.get("/api/v1/rejects?limit=1").await.json();
    assert_eq!(page["rejects"][0]["class"], "bad-id");
    let next = page["next"].as_str().unwrap();
    let page = site.get(&format!("/api/v1/rejects?limit=1&cursor={next}")).await.json();
    assert_eq!(page["rejects"].as_array().unwrap().len(), 1);
}
