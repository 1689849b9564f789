//! What is erased is gone from the tables and the disk, says so, stays provable, and does not come back.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::finding::{Code, Finding};
use recount::domain::kind::Kind;
use recount::domain::outcome::{Evidence, Outcome};
use recount::domain::step::{Event, Failure, Step};
use recount::domain::value::Value;
use recount::evidence::{ReceiptFile, Report, Signer, Trust, verify};
use recount::ingest::{Sink, Stored};
use recount::projection::{Eraser, EraserParts, Projection, ProjectionSettings, Sequencer};
use recount::store::rows::{Gathered, segment_header};
use recount::web::EntityTools;
use serde_json::Value as Json;

use crate::pages::site::Site;
use crate::support::engine::{self, execute};
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, span, text, trace};

/// Stands wherever contents may.
const MARK: &str = "Xq7-the-customer-said-this-Xq7";
/// Parts of both: what is searched is recorded as typed, and must not be taken for what was erased.
const WORDS: [&str; 2] = ["the-customer-said-this", "somebody-else-said-that"];
/// Of another account.
const OTHER: &str = "Zw9-somebody-else-said-that-Zw9";

struct House {
    site: Site,
    trust: Trust,
}

async fn house() -> House {
    let signer = Arc::new(Signer::of_seed(&[3; 32], "recount").unwrap());
    let trust = signer.trust();
    let store = engine::store().await;
    // As it is written it stands in the files, so that looking for it can find it.
    for (table, columns) in [
        ("contents", &["preview", "body"][..]),
        ("steps", &["status_message", "error", "findings", "output", "arguments", "result", "attributes"]),
        ("steps", &["events", "resource", "value", "parameters", "proposed", "scope_attributes"]),
        ("runs", &["verdict", "words", "findings"]),
        ("actions", &["value", "uses"]),
        ("cases", &["value"]),
    ] {
        for column in columns {
            execute(&store, &format!("ALTER TABLE {table} MODIFY COLUMN {column} CODEC(NONE)")).await;
        }
    }
    let sequencer = Sequencer::new(store.clone(), signer, Arc::new(|_: &str| {}));
    let at_once = ProjectionSettings { gather: Duration::ZERO, ..ProjectionSettings::default() };
    let keeping = Keeping::new();
    let parts = EraserParts {
        store: store.clone(),
        projection: Projection::start(store.clone(), at_once),
        sequencer: sequencer.clone(),
        tombs: keeping.encoder.tombs().clone(),
        set_aside: Arc::new(|| 0),
        now_ns: || NOW_NS + 60 * SECOND_NS,
    };
    let eraser = Some(Eraser::start(parts, tokio_util::sync::CancellationToken::new()));
    let tools = EntityTools { sequencer: Some(sequencer), eraser, ..EntityTools::default() };
    House { site: Site::over(store, tools, keeping), trust }
}

/// An act with a mark in everything that may hold contents.
fn act(number: u8, id: u64, account: &str, mark: &str) -> Step {
    let mut step = Step::default();
    let pair = |name: &str| (name.to_owned(), Value::String(format!("{mark} {id}")));
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(id));
    facts.run_id = Some(format!("run-{number:03}"));
    (facts.kind, facts.tool, facts.name) = (Kind::Act, Some("refund".to_owned()), "refund".to_owned());
    (facts.outcome, facts.evidence) = (Some(Outcome::Unknown), Some(Evidence::Timeout));
    facts.key = Some(format!("key-{number}-{id}"));
    facts.entities = vec![Entity::account(account)];
    facts.started_ns = NOW_NS + id * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + 1);
    facts.status_message = format!("{mark} was not answered");
    facts.error = Some(Failure { kind: "timeout".to_owned(), message: format!("{mark} in vain") });
    facts.value = Some(format!("49 {mark}"));
    facts.parameters = vec![pair("user"), ("temperature".to_owned(), Value::Double(0.5))];
    facts.findings = vec![Finding { code: Code::NoKey, message: format!("{mark} was cut") }];
    let said = step.add_body(text(ContentKind::Message, "user", &format!("please: {mark} {number}")));
    let arguments = step.add_body(text(ContentKind::Arguments, "", &format!("{mark} {number} {id}")));
    let result = step.add_body(text(ContentKind::Result, "tool", &format!("{mark}, no answer {id}")));
    (step.context, step.arguments, step.result) = (vec![said], Some(arguments), Some(result));
    step.attributes = vec![pair("input.value")];
    step.resource = vec![pair("customer")];
    step.events = vec![Event { name: "log".to_owned(), attributes: vec![pair("body")], ..Event::default() }];
    step.scope.attributes = vec![pair("scope")];
    step
}

/// The files of the engine in which a text stands.
fn files_with(dir: &Path, mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, mark));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark.as_bytes()))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

async fn on_disk(mark: &str) -> Vec<String> {
    files_with(engine::engine().await.directory(), mark)
}

/// The runs that a search finds.
async fn found(site: &Site, words: &str) -> usize {
    let answer = site.get(&format!("/api/v1/search?q={words}")).await.json();
    answer["runs"].as_array().unwrap().len()
}

async fn done(site: &Site, address: &str) -> Json {
    let begun = Instant::now();
    let mut waited = false;
    loop {
        let answer = site.get(&format!("/api/v1{address}")).await.json();
        match answer["state"].as_str().unwrap() {
            "done" => {
                assert!(waited, "files go after the rows, and that is said");
                return answer;
            }
            "erased" => {
                waited = true;
                assert_eq!((&answer["receipt_file"], &answer["done_at"]), (&Json::Null, &Json::Null));
                // Files that hold its words are still there; no search finds them.
                assert_eq!(found(site, WORDS[0]).await, 0);
            }
            state => assert_eq!(state, "under_way"),
        }
        assert!(begun.elapsed() < Duration::from_secs(170), "{answer}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn check(house: &House, bundle: &[u8]) -> Report {
    verify(Cursor::new(bundle), &house.trust).unwrap()
}

async fn argument_of(site: &Site, run: &str) -> String {
    let run = site.get(&format!("/api/v1/runs/{run}")).await.json();
    run["steps"][0]["attempts"][0]["arguments"]["digest"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_is_erased_is_gone_says_so_stays_provable_and_does_not_come_back() {
    let house = house().await;
    let site = &house.site;
    let ours = || vec![act(1, 1, "2291", MARK), act(1, 2, "2291", MARK), act(3, 1, "2291", MARK)];
    site.keep(ours()).await;
    // A run that is about both.
    site.keep(vec![act(2, 1, "7", OTHER), act(4, 1, "7", OTHER), act(4, 2, "2291", MARK)]).await;
    // What was acknowledged before, and reaches the store after.
    let late = site.keeping.encode(NOW_NS, ours(), &[]).to_frame();
    assert!(!on_disk(MARK).await.is_empty() && !on_disk(OTHER).await.is_empty(), "nothing would be noticed");
    let digest = argument_of(site, "run-001").await;
    let address = format!("/api/v1/contents/{}/{digest}", trace(1));
    assert!(site.get(&address).await.body.contains(MARK));
    assert_eq!((found(site, WORDS[0]).await, found(site, WORDS[1]).await), (3, 2));
    let before = check(&house, &site.file("/api/v1/entities/account/2291/evidence").await);
    assert_eq!((before.failures.len(), before.proven), (0, 4), "{before:?}");

    let html = site.page("/entities/account/2291/erase").await;
    assert!(html.contains("The contents of 4 records in 3 runs"), "{html}");
    assert!(html.contains("1 run is about others too"), "{html}");
    assert!(html.contains("4 unknowns are not settled"), "{html}");
    // A hold on the other account, whose run it shares, is in the way; so is no confirmation.
    let placed = site.post("/holds/place", &[("entity", "account:7"), ("reason", "lawsuit")]).await;
    assert_eq!(placed.status, 303);
    let form = |sure: &'static str| [("reason", "request 12"), ("sure", sure)];
    let held = site.post("/entities/account/2291/erase", &form("2291")).await;
    assert_eq!(held.status, 422);
    let body = &held.body;
    assert!(body.contains("under the legal hold") && body.contains("on account:7"), "{body}");
    let hold = site.get("/api/v1/holds").await.json()["holds"][0]["hold_id"].as_str().unwrap().to_owned();
    site.post("/holds/lift", &[("hold_id", &hold), ("reason", "settled")]).await;
    assert_eq!(site.post("/entities/account/2291/erase", &form("account")).await.status, 422);
    let asked = site.post("/entities/account/2291/erase", &form("2291")).await;
    assert_eq!(asked.status, 303, "{}", asked.body);
    let place = asked.location().to_owned();
    let erasure = done(site, &place).await;
    assert_eq!((&erasure["records"], &erasure["runs"]), (&4.into(), &3.into()), "{erasure}");

    // Gone from the disk, of this account only.
    assert_eq!(on_disk(MARK).await, [] as [String; 0]);
    assert!(!on_disk(OTHER).await.is_empty());
    assert_eq!((found(site, WORDS[0]).await, found(site, WORDS[1]).await), (0, 2));
    let other = argument_of(site, "run-002").await;
    let kept = site.get(&format!("/api/v1/contents/{}/{other}", trace(2))).await;
    assert!(kept.body.contains(OTHER), "{}", kept.body);

    gone_is_said(site, &address, erasure["erasure_id"].as_str().unwrap()).await;
    stays_provable(&house, &erasure).await;
    does_not_come_back(site, ours(), &late, &address).await;
}

/// Instead of vanishing.
async fn gone_is_said(site: &Site, content: &str, id: &str) {
    let got = site.get(content).await;
    assert_eq!(got.status, 410);
    assert!(got.body.contains(&format!("under {id}, receipt {id}")), "{}", got.body);
    for page in ["/runs/run-001", "/entities/account/2291"] {
        let html = site.page(page).await;
        assert!(html.contains("were erased on 20") && html.contains(id), "{page}: {html}");
        assert!(!html.contains(MARK), "{page}");
    }
    let html = site.page("/runs/run-001?tab=gate").await;
    assert!(html.contains("refund"), "who did what stays");
    let run = site.get("/api/v1/runs/run-001").await.json();
    assert_eq!(run["erasures"][0]["erasure_id"], id, "{run}");
    let attempt = &run["steps"][0]["attempts"][0];
    assert_eq!((&attempt["outcome"], &run["steps"][0]["tool"]), (&"unknown".into(), &"refund".into()));
    let answer = site.get("/api/v1/entities/account/2291").await.json();
    assert_eq!(answer["coverage"]["erasures"][0]["records"], 4, "{answer}");
    let span = site.get(&format!("/api/v1/spans/{}/{}", trace(1), span(1))).await;
    assert!(span.status.is_success() && !span.body.contains("Xq7"), "{}", span.body);
    let events = site.get("/api/v1/lifecycle?kind=erased").await.json();
    assert_eq!(events["lifecycle"].as_array().unwrap().len(), 1, "{events}");
    let activity = site.get("/api/v1/activity?kind=changed").await.body;
    assert!(activity.contains("erased the contents of account:2291") && activity.contains("request 12"));
}

async fn stays_provable(house: &House, erasure: &Json) {
    let file: ReceiptFile = serde_json::from_value(erasure["receipt_file"].clone()).unwrap();
    let receipt = file.check(&house.trust).unwrap();
    assert_eq!((receipt.about.as_str(), receipt.records, file.records.len()), ("account:2291", 4, 4));
    assert!(receipt.places.iter().any(|place| place.contains("gone from the disk")), "{receipt:?}");
    let bundle = house.site.file("/api/v1/entities/account/2291/evidence").await;
    let report = check(house, &bundle);
    let found = (report.failures.join("; "), report.proven, report.erased);
    assert_eq!(found, (String::new(), 0, 4), "{report:?}");
    assert!(report.integrity().ends_with("4 were erased with a receipt"));
    // The other account's bundle verifies as before.
    let other = check(house, &house.site.file("/api/v1/entities/account/7/evidence").await);
    assert_eq!((other.failures.join("; "), other.proven, other.erased), (String::new(), 2, 0), "{other:?}");
    // Emptied without a receipt is altered.
    let emptied = format!("ALTER TABLE steps UPDATE attributes = [] WHERE trace_id = unhex('{}')", trace(2));
    execute(&house.site.store, &format!("{emptied} SETTINGS mutations_sync = 2")).await;
    let other = check(house, &house.site.file("/api/v1/entities/account/7/evidence").await);
    assert!(other.failures.join("; ").contains("was altered"), "{other:?}");
}

async fn does_not_come_back(site: &Site, ours: Vec<Step>, late: &Bytes, content: &str) {
    // The same bytes again, in time and out of the log; then something new.
    site.keep(ours).await;
    let gathered = Gathered::of(&segment_header(), [7; 16], [(900, late.as_ref())]).unwrap();
    let encoder =
        Arc::new(recount::store::rows::Encoder::new(recount::store::rows::Retention::default(), 100));
    // As after a restart: what was erased is read from the store before anything is inserted.
    let sink = Stored::new(site.store.clone(), encoder, |_| std::future::ready(()));
    for insert in &gathered.inserts {
        sink.insert(insert, insert.bytes.clone(), &format!("late {}", insert.table.name())).await.unwrap();
    }
    assert_eq!(site.get(content).await.status, 410);
    assert_eq!(on_disk(MARK).await, [] as [String; 0]);
    let run = site.get("/api/v1/runs/run-001").await.json();
    assert_eq!(run["attempt_count"], 2, "the records stay as they were: {run}");
    let mut fresh = act(1, 9, "2291", "said later");
    fresh.facts.key = Some("key-later".to_owned());
    site.keep(vec![fresh]).await;
    let run = site.get("/api/v1/runs/run-001").await.json();
    assert_eq!(run["attempt_count"], 3);
    let html = site.page("/entities/account/2291/erase").await;
    assert!(html.contains("The contents of 1 record in 3 runs"), "{html}");
}
