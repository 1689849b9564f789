//! The list of runs: what a filter finds, what its pages say, and that no run is skipped or shown twice.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;

use recount::domain::entity::Entity;
use recount::domain::kind::{Kind, Status};
use recount::domain::step::{Failure, Step};

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

fn refund(number: u8, agent: &str, error: Option<&str>) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(u64::from(number)));
    facts.run_id = Some(format!("run-{number:03}"));
    (facts.kind, facts.tool) = (Kind::Act, Some("issue_refund".to_owned()));
    facts.target = Some(format!("order:{number}"));
    facts.name = "issue_refund".to_owned();
    facts.agent = Some(agent.to_owned());
    facts.entities = vec![Entity::account(number.to_string())];
    // Many share one moment: ties must not be skipped.
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + u64::from(number) * SECOND_NS));
    if let Some(kind) = error {
        facts.status = Status::Error;
        facts.error = Some(Failure { kind: kind.to_owned(), message: String::new() });
    }
    step
}

fn names(html: &str) -> Vec<String> {
    let rows = html.split("<td role=\"cell\" class=\"run-name\">").skip(1);
    rows.map(|row| row.split("/runs/").nth(1).unwrap().split(['"', '?']).next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_empty_store_says_how_to_send() {
    let site = Site::new().await;
    let html = site.page("/runs").await;
    assert!(html.contains("No runs yet") && html.contains("OTEL_EXPORTER_OTLP_ENDPOINT"));
    assert!(site.page("/runs?q=lamp").await.contains("No run matches"));
}

#[tokio::test]
async fn filters_find_what_they_say() {
    let site = Site::new().await;
    site.keep(vec![
        refund(1, "shop", None),
        refund(2, "shop", Some("ReadTimeout")),
        refund(3, "bank", Some("409")),
        refund(40, "bank", None),
    ])
    .await;
    for (q, found) in [
        ("", "run-001 run-002 run-003 run-040"),
        ("outcome:unknown", "run-002"),
        ("outcome:failed", "run-003"),
        ("-outcome:confirmed", "run-002 run-003"),
        ("agent:bank", "run-003 run-040"),
        ("agent:bank agent:shop", "run-001 run-002 run-003 run-040"),
        ("agent:bank took:>30s", "run-040"),
        ("took:<=2", "run-001 run-002"),
        ("account:3", "run-003"),
        ("entity:account:3", "run-003"),
        ("tool:issue_refund -agent:shop", "run-003 run-040"),
        ("has:error", "run-002 run-003"),
        ("RUN-040", "run-040"),
        ("run:run-001", "run-001"),
        ("acts:1 retries:0", "run-001 run-002 run-003 run-040"),
        ("nowhere", ""),
    ] {
        let encoded: String = q.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let mut shown = names(&site.page(&format!("/runs?q={encoded}")).await);
        shown.sort();
        assert_eq!(shown.join(" "), found, "{q}");
        let listed = site.get(&format!("/api/v1/runs?q={encoded}")).await.json();
        assert_eq!(listed["runs"].as_array().unwrap().len(), shown.len(), "{q}");
    }
    let html = site.page("/runs?q=outcome:unknown").await;
    assert!(html.contains("1 of 1 unknown"));
    // The tallies count without the chosen outcome, so that one can go from one to the other.
    let tallies: Vec<&str> =
        html.split("tally-n\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert_eq!(tallies, ["4", "1", "1", "0", "2", "0"]);
    let listed = site.get("/api/v1/runs?outcome=failed&agent=bank").await.json();
    assert_eq!(listed["runs"][0]["run_id"], "run-003");
}

#[tokio::test]
async fn pages_skip_no_tie_and_repeat_none() {
    let site = Site::new().await;
    site.keep((1..=120).map(|number| refund(number, "shop", None)).collect()).await;
    let mut seen = BTreeSet::new();
    let mut path = "/runs".to_owned();
    let mut pages = 0;
    loop {
        let html = site.page(&path).await;
        pages += 1;
        for name in names(&html) {
            assert!(seen.insert(name.clone()), "{name} twice");
        }
        let older = html.split("rel=\"next\">Older").next().filter(|before| before.len() < html.len());
        let Some(before) = older else { break };
        path = before.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&#38;", "&");
    }
    assert_eq!((seen.len(), pages), (120, 3));
    let mut seen = BTreeSet::new();
    let mut cursor = String::new();
    loop {
        let page = site.get(&format!("/api/v1/runs?limit=7&cursor={cursor}")).await.json();
        for run in page["runs"].as_array().unwrap() {
            assert!(seen.insert(run["run_id"].as_str().unwrap().to_owned()));
        }
        let Some(next) = page["next"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(seen.len(), 120);
}

#[tokio::test]
async fn the_page_and_the_api_are_asked_alike() {
    let site = Site::new().await;
    site.keep((1..=4).map(|n| refund(n, if n < 3 { "shop" } else { "bank" }, None)).collect()).await;
    for (query, runs) in [
        ("agent=bank", 2),
        ("q=run-003&agent=bank", 1),
        ("entity=account:2", 1),
        ("outcome=confirmed&limit=3", 3),
        ("from=2026-01-01T00:00:00Z&to=2030-01-01T00:00:00Z", 4),
        ("to=2020-01-01T00:00:00Z", 0),
        ("t=1h&agent=nobody", 0),
    ] {
        let shown = names(&site.page(&format!("/runs?{query}")).await);
        let listed = site.get(&format!("/api/v1/runs?{query}")).await.json();
        assert_eq!((shown.len(), listed["runs"].as_array().unwrap().len()), (runs, runs), "{query}");
    }
    for query in ["agnet=bank", "limit=0", "from=soon", "t=now", "cursor=AAAA"] {
        let page = site.get(&format!("/runs?{query}")).await;
        let api = site.get(&format!("/api/v1/runs?{query}")).await;
        assert_eq!((page.status.as_u16(), api.status.as_u16()), (400, 400), "{query}");
        let name = format!("`{}`", query.split('=').next().unwrap());
        assert!(page.body.contains(&name) && api.body.contains(&name), "{query}: {}", api.body);
    }
    let html = site.page("/runs?agent=bank&from=2026-01-01T00:00:00Z").await;
    assert!(html.contains("value=\"agent:bank\"") && html.contains("Started at"), "{html}");
}

#[tokio::test]
async fn a_cursor_is_refused_under_other_filters() {
    let site = Site::new().await;
    site.keep((1..=4).map(|number| refund(number, "shop", None)).collect()).await;
    let first = site.get("/api/v1/runs?agent=shop&limit=2").await.json();
    let cursor = first["next"].as_str().unwrap();
    let same = site.get(&format!("/api/v1/runs?q=agent:shop&limit=1&cursor={cursor}")).await.json();
    assert_eq!(same["runs"].as_array().unwrap().len(), 1);
    for other in ["limit=2", "agent=bank&limit=2", "agent=shop&outcome=confirmed"] {
        let got = site.get(&format!("/api/v1/runs?{other}&cursor={cursor}")).await;
        assert_eq!(got.status.as_u16(), 400, "{other}");
        assert!(got.body.contains("`cursor`"), "{other}: {}", got.body);
    }
}

/// The address of a link, unescaped.
fn hrefs(html: &str) -> impl Iterator<Item = String> {
    html.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().replace("&#38;", "&"))
}

#[tokio::test]
async fn columns_and_clocks_are_those_that_are_asked_for() {
    let site = Site::new().await;
    let mut step = refund(1, "shop", None);
    step.facts.session_id = Some("chat-1".to_owned());
    site.keep(vec![step]).await;
    let html = site.page("/runs").await;
    assert!(html.contains("times in UTC") && html.contains("data-name=\"Cost\""));
    assert!(!html.contains("data-name=\"Session\""));
    let html = site.page("/runs?cols=session,errors&tz=asia/kolkata&q=agent:shop").await;
    assert!(html.contains("data-name=\"Session\"") && html.contains("data-name=\"Errors\""));
    assert!(!html.contains("data-name=\"Cost\"") && html.contains("times in Asia/Kolkata"));
    assert!(html.contains("name=\"cols\" value=\"session\" checked"));
    // Every link of the list keeps how it is shown, and so does the form that changes the filter.
    let kept = "cols=session%2Cerrors&tz=Asia%2FKolkata";
    assert!(hrefs(&html).filter(|href| href.starts_with("/runs?")).all(|href| href.contains(kept)), "{html}");
    assert!(html.contains("type=\"hidden\" name=\"tz\" value=\"Asia/Kolkata\""));
    // As a form of boxes sends it.
    let boxes = site.page("/runs?cols=session&cols=errors").await;
    assert!(boxes.contains("data-name=\"Errors\"") && !boxes.contains("data-name=\"Cost\""));
    for time in site.page("/runs?tz=Europe/Berlin").await.split("<time ").skip(1) {
        let tag = time.split("</time>").next().unwrap();
        assert!(
            tag.contains("datetime=\"20") && tag.contains("Europe/Berlin\"") && tag.contains("class=\"ago\"")
        );
    }
    for query in ["cols=colour", "tz=Mars/Olympus", "group=agent"] {
        let got = site.get(&format!("/runs?{query}")).await;
        let name = format!("`{}`", query.split('=').next().unwrap());
        assert!(got.status.as_u16() == 400 && got.body.contains(&name), "{query}");
    }
}

#[tokio::test]
async fn sessions_stand_together_and_no_run_is_lost() {
    let site = Site::new().await;
    let of = |number: u8, session: Option<&str>, started: u64| {
        let mut step = refund(number, "shop", None);
        step.facts.session_id = session.map(str::to_owned);
        step.facts.started_ns = NOW_NS + started * SECOND_NS;
        step.facts.ended_ns = Some(step.facts.started_ns + SECOND_NS);
        step
    };
    let mut steps: Vec<Step> = (1..=7).map(|n| of(n, Some("chat-a"), u64::from(n))).collect();
    steps.extend([of(8, None, 20), of(9, Some("chat-b"), 3), of(10, Some("chat-b"), 30)]);
    site.keep(steps).await;
    let html = site.page("/runs?group=session").await;
    assert_eq!(
        names(&html),
        ["run-010", "run-009", "run-008", "run-007", "run-006", "run-005", "run-004", "run-003"]
    );
    assert_eq!(html.matches("class=\"group-head\"").count(), 2);
    assert!(html.contains("2 more runs of this session") && html.contains("confirmed in 7 runs"));
    let all = hrefs(&html).find(|href| href.contains("session%3Achat-a")).unwrap();
    assert_eq!(names(&site.page(&all).await).len(), 7, "{all}");
    let mut seen = Vec::new();
    let mut path = "/runs?group=session&limit=1".to_owned();
    loop {
        let html = site.page(&path).await;
        seen.extend(names(&html));
        let older = html.split("rel=\"next\">Older").next().filter(|before| before.len() < html.len());
        let Some(before) = older else { break };
        path = before.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&#38;", "&");
    }
    assert_eq!(seen, names(&html), "page by page the same");
    let cursor = path.split("cursor=").nth(1).unwrap().to_owned();
    assert_eq!(site.get(&format!("/runs?cursor={cursor}")).await.status.as_u16(), 400, "of another list");
}

#[tokio::test]
async fn every_bar_leads_to_its_runs() {
    let site = Site::new().await;
    let at = |number: u8, second: u64| {
        let mut step = refund(number, "shop", None);
        step.facts.started_ns = NOW_NS + second * SECOND_NS;
        step.facts.ended_ns = Some(step.facts.started_ns + SECOND_NS);
        step
    };
    site.keep(vec![at(1, 0), at(2, 1), at(3, 400), at(4, 3_600)]).await;
    let html = site.page("/runs?q=agent:shop").await;
    let bars: Vec<String> =
        hrefs(html.split("class=\"histogram\"").nth(1).unwrap().split("</svg>").next().unwrap())
            .filter(|href| href.contains("from="))
            .collect();
    assert_eq!(bars.len(), 3);
    let mut found = Vec::new();
    for bar in &bars {
        let html = site.page(bar).await;
        assert!(html.contains("Started from ") && html.contains(">Any time<"), "{bar}");
        found.push(names(&html));
    }
    assert_eq!(found, [vec!["run-002", "run-001"], vec!["run-003"], vec!["run-004"]]);
    // What finds nothing says which condition to let go.
    let html = site.page("/runs?q=agent:shop%20nowhere&t=24h").await;
    assert!(html.contains("No run matches") && html.contains("Without <code>nowhere</code>"), "{html}");
    assert!(hrefs(&html).any(|href| href == "/runs?q=agent%3Ashop&t=24h"));
}
