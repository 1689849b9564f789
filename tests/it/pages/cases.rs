//! The queue, cases and keys as people use them: plain forms, one resolution that counts, nothing rewritten.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]
use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::kind::{Kind, Status};
use recount::domain::outcome::Gate;
use recount::domain::step::{Failure, Step};

use crate::pages::site::{Got, Site, addresses};
use crate::support::rows::{NOW_NS, SECOND_NS, span, text, trace};

/// A refund of this trace whose answer never came, under a key or without one.
fn lost(number: u8, key: Option<&str>) -> Step {
    let mut step = answered(number, 0, key);
    step.facts.status = Status::Error;
    step.facts.error = Some(Failure { kind: "ReadTimeout".to_owned(), message: String::new() });
    step
}

fn answered(number: u8, nth: u64, key: Option<&str>) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(u64::from(number) * 10 + nth));
    facts.run_id = Some(format!("run-{number:03}"));
    (facts.kind, facts.tool) = (Kind::Act, Some("issue_refund".to_owned()));
    (facts.name, facts.agent) = ("issue_refund".to_owned(), Some("refund-agent".to_owned()));
    facts.target = Some(format!("order:{number}"));
    facts.value = Some(format!("{number}.00 EUR"));
    facts.key = key.map(str::to_owned);
    facts.entities = vec![Entity::account(number.to_string())];
    facts.started_ns = NOW_NS + nth * 60 * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + 30 * SECOND_NS);
    step
}

/// The one address on a page that begins so.
fn address(html: &str, begins: &str) -> String {
    let found = addresses(html, "/unknowns").into_iter().find(|address| address.starts_with(begins));
    found.unwrap_or_else(|| panic!("no {begins} in {}", main(html)))
}

fn main(html: &str) -> &str {
    html.split("<main").nth(1).unwrap_or(html)
}

/// The value of a hidden field of the form that is sent to `action`.
fn field(html: &str, action: &str, name: &str) -> String {
    let form = html.split("<form").find(|form| form.contains(&format!("action=\"{action}\""))).unwrap();
    let input = form.split("<input").find(|input| input.contains(&format!("name=\"{name}\""))).unwrap();
    input.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

async fn case_of(site: &Site) -> String {
    let html = site.page("/unknowns").await;
    address(&html, "/cases/").split('?').next().unwrap().trim_end_matches("/claim").to_owned()
}

async fn resolve(site: &Site, case: &str, saw: &str, outcome: &str, note: &str) -> Got {
    let fields = [("saw", saw), ("outcome", outcome), ("evidence", "ledger entry re_1"), ("note", note)];
    site.post(&format!("{case}/resolution"), &fields).await
}

#[tokio::test]
async fn nothing_unknown_teaches_what_would_be() {
    let site = Site::new().await;
    let html = site.page("/unknowns").await;
    assert!(
        html.contains("Nothing is unknown") && html.contains("recount.action.outcome"),
        "{}",
        main(&html)
    );
    let html = site.page("/keys").await;
    assert!(html.contains("Was this done once?"));
    let html = site.page("/keys?key=nobody%3Cb%3E").await;
    assert!(html.contains("No act under") && !html.contains("nobody<b>"));
    for (path, status) in [("/cases/none", 404), ("/keys/none", 404), ("/unknowns?stat=open", 400)] {
        assert_eq!(site.get(path).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn an_unknown_is_found_claimed_and_resolved_and_both_outcomes_stay() {
    let site = Site::new().await;
    site.keep(vec![lost(7, Some("k7"))]).await;
    let html = site.page("/unknowns").await;
    for says in ["issue_refund 7.00 EUR on order:7", "Take it", "No answer, no look-up yet", "refund-agent"] {
        assert!(main(&html).contains(says), "{says}: {}", main(&html));
    }
    assert!(html.contains(">1<span class=\"sr\"> open</span>"), "the count stands on every page");
    let case = case_of(&site).await;
    let saw = field(&html, &format!("{case}/claim"), "saw");
    let got = site.post(&format!("{case}/claim"), &[("saw", &saw), ("back", "?tool=issue_refund")]).await;
    assert_eq!((got.status.as_u16(), got.location()), (303, "/unknowns?tool=issue_refund&done=claim"));
    let html = site.page(&case).await;
    assert!(main(&html).contains("development took it.") && main(&html).contains("What happened?"));
    let saw = field(&html, &format!("{case}/resolution"), "saw");
    let got = resolve(&site, &case, &saw, "confirmed", "The refund <b>is</b> there").await;
    assert_eq!((got.status.as_u16(), got.location()), (303, format!("{case}?done=resolution").as_str()));
    let html = site.page(&case).await;
    let main_part = main(&html);
    for says in ["then</span>", "now</span>", "resolved by development", "ledger entry re_1", "No answer"] {
        assert!(main_part.contains(says), "{says}: {main_part}");
    }
    assert!(!html.contains("The refund <b>is</b> there") && html.contains("The refund &lt;b&gt;is"));
    let run = site.page("/runs/run-007").await;
    assert!(run.contains("by resolution of development") && run.contains(&case), "{}", main(&run));
    assert!(main(&site.page("/keys/k7").await).contains("resolution"));
    let queue = site.page("/unknowns").await;
    assert!(!main(&queue).contains("order:7") && !queue.contains(" open</span>"));
    let settled = site.page("/unknowns?state=resolved").await;
    assert!(main(&settled).contains("order:7") && main(&settled).contains("resolved by development"));
}

#[tokio::test]
async fn the_second_of_two_sees_what_the_first_said() {
    let site = Site::new().await;
    site.keep(vec![lost(8, None)]).await;
    let case = case_of(&site).await;
    let html = site.page(&case).await;
    let saw = field(&html, &format!("{case}/resolution"), "saw");
    assert_eq!(resolve(&site, &case, &saw, "failed", "not on the ledger").await.status.as_u16(), 303);
    let second = resolve(&site, &case, &saw, "confirmed", "mine, typed with care").await;
    assert_eq!(second.status.as_u16(), 409);
    for says in
        ["was faster and recorded: failed", "not on the ledger", "mine, typed with care", "Nothing of yours"]
    {
        assert!(main(&second.body).contains(says), "{says}: {}", main(&second.body));
    }
    // Opened again, it can be closed again, and all of it stays to be read.
    let html = site.page(&case).await;
    let saw = field(&html, &format!("{case}/reopen"), "saw");
    let got = site.post(&format!("{case}/reopen"), &[("saw", &saw), ("note", "the ledger was late")]).await;
    assert_eq!(got.status.as_u16(), 303, "{}", main(&got.body));
    let html = site.page(&case).await;
    assert!(main(&html).contains("opened it again") && main(&html).contains("not on the ledger"));
    assert!(main(&html).contains("What happened?"));
}

#[tokio::test]
async fn what_is_missing_is_said_and_what_was_typed_stays() {
    let site = Site::new().await;
    site.keep(vec![lost(9, Some("k9"))]).await;
    let case = case_of(&site).await;
    let got = site.post(&format!("{case}/resolution"), &[("saw", ""), ("note", "half a <note>")]).await;
    assert_eq!(got.status.as_u16(), 422);
    for says in ["Choose what happened", "Say where you looked", "half a &#60;note&#62;"] {
        assert!(main(&got.body).contains(says), "{says}: {}", main(&got.body));
    }
    assert!(main(&site.page(&case).await).contains("What happened?"), "nothing was recorded");
    let got = site.post(&format!("{case}/comment"), &[("note", "asked payments")]).await;
    assert_eq!(got.status.as_u16(), 303, "{}", main(&got.body));
    let html = site.page(&case).await;
    assert!(main(&html).contains("development wrote:") && main(&html).contains("asked payments"));
    let saw = field(&html, &format!("{case}/hand-over"), "saw");
    let got = site.post(&format!("{case}/hand-over"), &[("saw", &saw), ("to", "maya")]).await;
    assert_eq!(got.status.as_u16(), 303, "{}", main(&got.body));
    assert!(main(&site.page("/unknowns?owner=maya").await).contains("order:9"));
    assert!(main(&site.page("/unknowns?unowned=yes").await).contains("No open unknown matches"));
}

#[tokio::test]
async fn many_are_resolved_at_once_only_as_they_were_seen() {
    let site = Site::new().await;
    site.keep((1..=3).map(|number| lost(number, Some(&format!("bulk-{number}")))).collect()).await;
    let html = site.page("/unknowns").await;
    let confirm = address(&html, "/unknowns/resolve");
    let html = site.page(&confirm).await;
    assert!(main(&html).contains("Settle 3 cases at once") && main(&html).contains("order:2"));
    let seen = field(&html, "/unknowns/resolve", "seen");
    let fields = |seen: &str, sure: &str| {
        let all = [
            ("seen", seen),
            ("sure", sure),
            ("outcome", "failed"),
            ("evidence", "outage"),
            ("note", "none ran"),
        ];
        all.map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let post = async |all: [(String, String); 5]| {
        let all: Vec<(&str, &str)> =
            all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        site.post("/unknowns/resolve", &all).await
    };
    let got = post(fields(&seen, "")).await;
    assert_eq!(got.status.as_u16(), 422);
    assert!(main(&got.body).contains("Say that you mean all of them"), "{}", main(&got.body));
    site.keep(vec![lost(4, Some("bulk-4"))]).await;
    let got = post(fields(&seen, "yes")).await;
    assert_eq!(got.status.as_u16(), 409);
    assert!(
        main(&got.body).contains("have changed since you looked") && main(&got.body).contains("none ran")
    );
    let seen = field(&got.body, "/unknowns/resolve", "seen");
    let got = post(fields(&seen, "yes")).await;
    assert_eq!((got.status.as_u16(), got.location()), (303, "/unknowns?done=bulk"), "{}", main(&got.body));
    let settled = site.page("/unknowns?state=resolved").await;
    assert_eq!(main(&settled).matches("resolved by development").count(), 4, "{}", main(&settled));
}

#[tokio::test]
async fn a_key_tells_its_whole_story() {
    let site = Site::new().await;
    let with = |mut step: Step, arguments: &str, gate: Gate| {
        step.bodies.push(text(ContentKind::Arguments, "", arguments));
        step.arguments = Some(0);
        step.facts.gate = gate;
        step
    };
    let first = with(lost(5, Some("key/5")), r#"{"amount":"5.00","reason":"cracked kettle"}"#, Gate::New);
    let second = r#"{"amount":"5.00","reason":"cracked on delivery"}"#;
    let second = with(answered(5, 1, Some("key/5")), second, Gate::New);
    site.keep(vec![first, second]).await;
    let html = site.page("/keys/key%2F5").await;
    let said = main(&html);
    for says in ["One intent, asked twice, done once", "1 of 2 changed", "Then", "order:5"] {
        assert!(said.to_lowercase().contains(&says.to_lowercase()), "{says}: {said}");
    }
    assert!(said.contains("<ins>") && said.contains("role=\"img\" aria-label=\"New, then submitted"));
    assert_eq!(site.get("/keys?key=key/5").await.location(), "/keys/key%2F5");
    let got = site.post_from("https://evil.test", "/unknowns/resolve", &[("sure", "yes")]).await;
    assert_eq!(got.status.as_u16(), 403);
}
