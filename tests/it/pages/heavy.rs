//! Bodies that would flood a page, and runs that nest without end: the page stays usable, small, and says what it
//! leaves out.
use recount::domain::content::{Content, ContentKind};
use recount::domain::kind::Kind;
use recount::domain::step::Step;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

const PAGE_BYTES_MAX: usize = 2 << 20;

fn step(number: u64, parent: Option<u64>, kind: Kind) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(81), span(number));
    facts.parent_span_id = parent.map(span);
    facts.run_id = Some("heavy".to_owned());
    (facts.kind, facts.name) = (kind, format!("level {number}"));
    facts.started_ns = NOW_NS + number * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    step
}

fn add(step: &mut Step, kind: ContentKind, body: String) -> usize {
    let is_json = body.starts_with(['{', '[']);
    step.add_body(Content { kind, role: "user".to_owned(), is_json, body, cut_from: None })
}

#[tokio::test]
async fn a_hundred_and_thirty_levels_are_listed_and_fold() {
    let site = Site::new().await;
    let steps = (0..130).map(|n| step(n, n.checked_sub(1), if n == 129 { Kind::Act } else { Kind::Agent }));
    site.keep(steps.collect()).await;
    let html = site.page("/runs/heavy").await;
    assert!(html.len() < PAGE_BYTES_MAX, "{}", html.len());
    assert_eq!(html.matches("<li class=\"step\" id=\"step-").count(), 130);
    // However deep, the row is moved no further than people can follow.
    let deepest = html.split("data-depth=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok());
    assert_eq!(deepest.max(), Some(8_u32));
    let folded = html.split("Fold 128 steps").next().unwrap().rsplit("href=\"").next().unwrap();
    let folded = folded.split('"').next().unwrap().replace("&#38;", "&");
    let html = site.page(&format!("/runs/heavy{folded}")).await;
    assert!(html.matches("<li class=\"step\" id=\"step-").count() <= 3, "{folded}");
}

#[tokio::test]
async fn bodies_never_flood_a_page_and_each_is_one_link_away() {
    let site = Site::new().await;
    let long = |n: usize, unit: &str| format!("{n:04} {}", unit.repeat(60_000 / unit.len()));
    let deep = format!("{}\"the middle\"{}", r#"{"in": ["#.repeat(65), "]}".repeat(65));
    let wide = format!(
        "[{}]",
        vec![r#"{"a": "<b>", "c": ["d", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"]}"#; 900].join(",")
    );
    let parts = format!(
        r#"{{"role": "user", "content": [{}]}}"#,
        vec![r#"{"type":"text","text":"&"}"#; 60_000].join(",")
    );
    let mut call = step(1, None, Kind::Think);
    let mut context: Vec<String> = [
        "<\"'&",
        "\u{202e}",
        "\0",
        "[",
        "one line ",
        "# *Markdown* <img src=x> ![i](http://evil.test/i.png) ",
        "語",
    ]
    .iter()
    .flat_map(|unit| (0..15).map(move |n| long(n, unit)))
    .collect();
    context.extend([deep.clone(), wide.clone(), parts]);
    call.context = context.iter().map(|body| add(&mut call, ContentKind::Message, body.clone())).collect();
    let tool = |n: usize| {
        let schema = wide.get(..40_000).unwrap_or_default();
        serde_json::json!({"name": format!("tool_{n}"), "description": schema, "parameters": {}}).to_string()
    };
    let tools: Vec<usize> = (0..40).map(|n| add(&mut call, ContentKind::ToolDefinition, tool(n))).collect();
    call.context.extend(tools);
    call.output =
        (0..40).map(|n| add(&mut call, ContentKind::Output, long(n + 100, "said \"it\" "))).collect();
    let mut act = step(2, None, Kind::Act);
    act.facts.tool = Some("tool_7".to_owned());
    act.arguments = Some(add(&mut act, ContentKind::Arguments, deep));
    act.result = Some(add(&mut act, ContentKind::Result, wide));
    site.keep(vec![call, act]).await;
    for (of, tab) in [(1, "saw"), (1, "proposed"), (1, "raw"), (2, "happened"), (2, "saw")] {
        let all = site.page(&format!("/runs/heavy?span={}&tab={tab}&messages=all", span(of))).await;
        assert!(all.len() < PAGE_BYTES_MAX, "{tab}: {}", all.len());
        assert!(!all.contains('\u{202e}') && !all.contains('\0') && !all.contains("<img"), "{tab}");
    }
    let saw = site.page(&format!("/runs/heavy?span={}&tab=saw", span(1))).await;
    assert!(saw.contains("more, folded to keep the page small"), "what is left out is said");
    assert!(saw.contains("data-load=\"/contents/"), "and loaded when it is unfolded");
    assert!(saw.contains("40, 1 used in this run") && saw.contains(">tool_39</b>"), "every tool is named");
    let part = saw.rsplit("data-load=\"").next().unwrap().split('"').next().unwrap().to_owned();
    assert!(site.page(&part).await.contains("class=\"message\""));
    // Laid out, folded to a depth that can be followed, whole to the innermost value.
    let happened = site.page(&format!("/runs/heavy?span={}&tab=happened", span(2))).await;
    assert!(happened.contains("<details open><summary data-folded=") && happened.contains("the middle"));
    for transcript in ["", "&show=acts"] {
        let html = site.page(&format!("/runs/heavy?view=transcript{transcript}")).await;
        assert!(html.len() < PAGE_BYTES_MAX, "transcript: {}", html.len());
    }
}
