//! Ten thousand steps in one run: the page stays small and quick, and every step can be reached.
use std::time::Instant;

use recount::domain::content::{Content, ContentKind};
use recount::domain::kind::{Kind, Status};
use recount::domain::step::{Failure, Step};

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

const STEPS: u64 = 10_000;
/// The span ids of a refund with three attempts, far down.
const REFUNDS: [u64; 3] = [9_731, 9_732, 9_733];

fn step(number: u64) -> Step {
    let mut step = Step::default();
    let is_refund = REFUNDS.contains(&number);
    let text = |kind, what: &str| Content {
        kind,
        role: String::new(),
        is_json: false,
        body: format!("{what} of step {number}, {}", "x".repeat(400)),
        cut_from: None,
    };
    step.arguments = Some(step.add_body(text(ContentKind::Arguments, "arguments")));
    step.result = Some(step.add_body(text(ContentKind::Result, "result")));
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(77), span(number));
    // Three levels: the agent, sub-agents of a hundred steps, the steps.
    facts.parent_span_id = match number {
        0 => None,
        _ if number.is_multiple_of(100) => Some(span(0)),
        _ => Some(span(number / 100 * 100)),
    };
    facts.run_id = Some("big".to_owned());
    facts.kind = match number {
        _ if is_refund => Kind::Act,
        _ if number.is_multiple_of(100) => Kind::Agent,
        _ if number.is_multiple_of(3) => Kind::Think,
        _ => Kind::Read,
    };
    facts.tool = Some(if is_refund { "issue_refund".to_owned() } else { format!("look_{}", number % 7) });
    facts.target = is_refund.then(|| "order:4812".to_owned());
    facts.name = format!("step number {number}");
    facts.started_ns = NOW_NS + number * SECOND_NS / 10;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS / 20);
    if is_refund {
        facts.step_id = Some("refund".to_owned());
        facts.status = Status::Error;
        facts.error = Some(Failure { kind: "409".to_owned(), message: "refused".to_owned() });
    }
    step
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the measured times are of use to who reads the log")]
async fn ten_thousand_steps_stay_readable() {
    let site = Site::new().await;
    site.keep((0..STEPS).map(step).collect()).await;
    for path in ["/runs/big", "/runs/big?from=9501", "/runs/big?show=everything", "/runs/big?view=transcript"]
    {
        let start = Instant::now();
        let html = site.page(path).await;
        println!("{path}: {} bytes in {:?}", html.len(), start.elapsed());
        assert!(html.len() <= 2 << 20, "{path}: {} bytes", html.len());
    }
    let html = site.page("/runs/big").await;
    assert!(html.contains("Showing 1–500 of 9,998 steps"), "the window is said");
    // By id, by paging, by filter: always the three attempts together.
    let refund = span(REFUNDS[1]);
    for path in [
        format!("/runs/big?span={refund}"),
        "/runs/big?show=failed".to_owned(),
        "/runs/big?from=9501".to_owned(),
    ] {
        let html = site.page(&path).await;
        let of_refund = html.split("id=\"step-").skip(1).find(|step| step.contains("issue_refund")).unwrap();
        assert_eq!(of_refund.matches("class=\"row attempt\"").count(), 3, "{path}");
    }
    // At a glance, and with the steps of a sub-agent folded away.
    let html = site.page("/runs/big").await;
    assert_eq!(
        html.matches("data-state=\"failed\" title=\"Steps").count(),
        1,
        "the refund is seen from afar"
    );
    let agent = html.split("Fold 99 steps").next().unwrap().rsplit("href=\"").next().unwrap();
    let closed = agent.split('#').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    let folded = site.page(&format!("/runs/big{closed}")).await;
    assert!(folded.contains("Unfold 99 steps") && folded.contains("of 9,899 steps"), "{closed}");
    let told = site.page("/runs/big?view=transcript&from=9501").await;
    assert!(told.contains("class=\"transcript\"") && told.contains("arguments of step"));
    let step = site.get("/api/v1/runs/big/steps/refund").await.json();
    assert_eq!(step["attempts"].as_array().unwrap().len(), 3);
    let start = Instant::now();
    let run = site.get("/api/v1/runs/big").await;
    println!("/api/v1/runs/big: {} bytes in {:?}", run.body.len(), start.elapsed());
    assert_eq!(run.json()["steps"].as_array().unwrap().len(), 9_998);
}
