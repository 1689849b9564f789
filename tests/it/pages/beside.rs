//! A run knows the list one came from, the runs beside it there, its session, and who worked on it when.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::kind::Kind;
use recount::domain::step::Step;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

fn read(number: u8, agent: &str, session: Option<&str>) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(u64::from(number)));
    facts.run_id = Some(format!("run-{number}"));
    (facts.kind, facts.name) = (Kind::Read, format!("look {number}"));
    facts.agent = Some(agent.to_owned());
    facts.session_id = session.map(str::to_owned);
    facts.started_ns = NOW_NS + u64::from(number) * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    step
}

/// Where `rel="prev"` and `rel="next"` of the page's head lead.
fn beside(html: &str) -> [Option<String>; 2] {
    let head = html.split("class=\"crumbs\"").nth(1).unwrap().split("</nav>").next().unwrap();
    ["prev", "next"].map(|rel| {
        let link = head.split(&format!("rel=\"{rel}\" href=\"")).nth(1)?;
        Some(link.split('"').next().unwrap().replace("&#38;", "&"))
    })
}

#[tokio::test]
async fn the_runs_beside_it_are_those_of_the_list_one_came_from() {
    let site = Site::new().await;
    let agents = ["shop", "bank", "shop", "bank", "shop"];
    let steps = (1..).zip(agents).map(|(number, agent)| read(number, agent, None));
    site.keep(steps.collect()).await;
    let of = |path: &str| format!("/runs/run-{path}");
    let alone = site.page(&of("3")).await;
    assert_eq!(beside(&alone), [Some(of("4")), Some(of("2"))], "newest first, as the list");
    let list = site.page("/runs?q=agent:shop&tz=Europe/Berlin").await;
    let href = list.split("/runs/run-3").nth(1).unwrap().split('"').next().unwrap();
    assert!(href.starts_with("?list="), "{href}");
    let html = site.page(&of(&format!("3{href}"))).await;
    assert_eq!(beside(&html), [Some(of(&format!("5{href}"))), Some(of(&format!("1{href}")))]);
    let back = "<a href=\"/runs?q=agent%3Ashop&#38;tz=Europe%2FBerlin\">Runs</a>";
    assert!(html.contains(back), "{html}");
    // Every link within the page keeps it, so that a look at a step does not lose the list.
    let kept = html.split("href=\"?").skip(1).filter(|link| !link.contains("list=q%3Dagent"));
    assert_eq!(kept.count(), 0);
    assert_eq!(beside(&site.page(&of(&format!("5{href}"))).await)[0], None, "the first has none above");
    // The one below may be days away.
    let mut old = read(9, "shop", None);
    old.facts.started_ns = NOW_NS - 40 * 86_400 * SECOND_NS;
    old.facts.ended_ns = Some(old.facts.started_ns + SECOND_NS);
    site.keep(vec![old]).await;
    assert_eq!(beside(&site.page(&of(&format!("1{href}"))).await)[1], Some(of(&format!("9{href}"))));
    // What is no list any more, or too long to be carried, is the list of all.
    for list in ["q%3Dnonsense%3A1".to_owned(), "x".repeat(2_000)] {
        let html = site.page(&of(&format!("3?list={list}"))).await;
        let [newer, older] = beside(&html).map(|link| link.unwrap_or_default());
        assert!(newer.starts_with(&of("4")) && older.starts_with(&of("2")), "{newer} {older}");
    }
}

#[tokio::test]
async fn the_other_runs_of_its_session_stand_with_it() {
    let site = Site::new().await;
    let steps = (1..=9).map(|number| read(number, "shop", (number != 2).then_some("chat-7")));
    site.keep(steps.collect()).await;
    let html = site.page("/runs/run-9").await;
    let session = html.split("session-runs").nth(1).unwrap().split("</details>").next().unwrap();
    assert_eq!(session.matches("<li>").count(), 6);
    assert!(session.contains("more than 6 runs") && session.contains("All runs of this session"));
    assert!(session.contains("href=\"/runs/run-9\" aria-current=\"page\""), "{session}");
    assert!(!session.contains("run-2\""), "it is of no session");
    assert!(!site.page("/runs/run-2").await.contains("session-runs"));
    // A part of the page stands beside nothing.
    assert!(!site.page("/runs/run-9?part=inspector").await.contains("session-runs"));
}

#[tokio::test]
async fn several_workers_have_lanes() {
    let site = Site::new().await;
    let by = |number: u8, worker: &str, epoch: u64| {
        let mut step = read(number, "shop", None);
        let facts = &mut step.facts;
        facts.run_id = Some("shared".to_owned());
        (facts.trace_id, facts.worker, facts.epoch) = (trace(1), Some(worker.to_owned()), Some(epoch));
        step
    };
    site.keep(vec![by(1, "w-a", 1), by(2, "w-a", 1), by(9, "w-b", 2)]).await;
    let html = site.page("/runs/shared").await;
    let lanes = html.split("class=\"lanes\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(lanes.matches("class=\"lane-name\"").count(), 2);
    assert!(lanes.contains("w-a") && lanes.contains("epoch 2") && lanes.contains("2 attempts"), "{lanes}");
}
