//! The drain into the real tables: answers that get lost, rows that are refused, processes that stop
//! half-way.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]
use std::future::Ready;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::ids::{Project, TraceId};
use recount::domain::kind::Kind;
use recount::domain::step::Step;
use recount::ingest::{Ack, Drain, DrainSettings, Keeper, RefusedRows, Setback, Sink, Stored};
use recount::log::{Log, LogSettings};
use recount::store::Store;
use recount::store::queries::rejects;
use recount::store::rows::{Encoder, Insert, Retention, segment_header};

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, scope, span, text, trace};

type Follow = fn(Vec<(Project, TraceId)>) -> Ready<()>;

/// The real store, which can lose its answers.
struct Flaky {
    stored: Stored<Follow>,
    /// How many inserts lose their answer before the next one gets it.
    loses: AtomicU32,
    inserts: AtomicU32,
    hangs: AtomicBool,
}

impl Sink for Flaky {
    async fn insert(&self, insert: &Insert, rows: Bytes, token: &str) -> Result<(), Setback> {
        self.stored.insert(insert, rows, token).await?;
        let number = self.inserts.fetch_add(1, Ordering::Relaxed);
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        if number.is_multiple_of(self.loses.load(Ordering::Relaxed) + 1) {
            return Ok(());
        }
        Err(Setback::Again("unknown"))
    }

    fn confirmed(&self, insert: &Insert, rows: &[u8]) {
        self.stored.confirmed(insert, rows);
    }

    async fn project(&self, touched: Vec<(Project, TraceId)>) {
        self.stored.project(touched).await;
    }

    async fn report(&self, project: &Project, refused: &RefusedRows<'_>, token: &str) -> Result<(), Setback> {
        self.stored.report(project, refused, token).await
    }
}

struct House {
    log: Log,
    drain: Drain,
    keeper: Keeper,
    store: Store,
    sink: Arc<Flaky>,
    keeping: Keeping,
}

impl House {
    async fn new(dir: &Path) -> Self {
        let store = engine::store().await;
        Self::open(dir, store)
    }

    fn open(dir: &Path, store: Store) -> Self {
        let (log, _) = Log::open(LogSettings::new(dir.to_owned(), segment_header().into())).unwrap();
        let settings = DrainSettings {
            pace: Duration::from_millis(5),
            backoff_min: Duration::from_millis(5),
            backoff_max: Duration::from_millis(50),
            grace: Duration::from_millis(100),
        };
        let encoder = Arc::new(Encoder::new(Retention::default(), 1_000));
        let follow: Follow = |_| std::future::ready(());
        let sink = Arc::new(Flaky {
            stored: Stored::new(store.clone(), encoder, follow),
            loses: AtomicU32::new(0),
            inserts: AtomicU32::new(0),
            hangs: AtomicBool::new(false),
        });
        let drain = Drain::start(log.clone(), sink.clone(), settings);
        let keeper = Keeper::new(log.clone(), Ack::Log, drain.progress());
        Self { log, drain, keeper, store, sink, keeping: Keeping::new() }
    }

    /// Keeps one request with a step for each number.
    async fn keep(&self, numbers: impl IntoIterator<Item = u64>) {
        let steps: Vec<Step> = numbers.into_iter().map(step).collect();
        let records = u32::try_from(steps.len()).unwrap();
        let frame = self.keeping.encode(NOW_NS, steps, &[]).to_frame();
        self.keeper.keep(frame, records).await.unwrap();
    }

    async fn until_empty(&self) {
        for _ in 0..3_000 {
            assert!(self.keeper.ledger().is_balanced(), "{:?}", self.keeper.ledger());
            if self.log.stats().frames == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not in time: {:?} {:?}", self.keeper.ledger(), self.drain.progress().stats());
    }

    /// Rows that are there, copies and all.
    async fn count(&self, table: &str) -> u64 {
        let sql = format!("SELECT count() FROM {table}");
        self.store.read_all_projects(&sql).one().await.unwrap()
    }

    /// Every table that one insert into `steps` and one into `contents` fills has so many rows.
    async fn all_once(&self, steps: u64) {
        for table in ["steps", "contents", "leaves", "mentions", "keyed"] {
            assert_eq!(self.count(table).await, steps, "{table}");
        }
    }

    async fn close(self) -> Store {
        self.drain.stop().await;
        self.log.close().await;
        self.store
    }
}

fn step(number: u64) -> Step {
    let mut step = Step::default();
    let body = step.add_body(text(ContentKind::Arguments, "", &format!("body {number}")));
    step.arguments = Some(body);
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(1), span(number));
    (facts.run_id, facts.kind, facts.name) = (Some("run-1".into()), Kind::Act, format!("act {number}"));
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + SECOND_NS));
    (facts.tool, facts.key) = (Some("refund".into()), Some(format!("key-{number}")));
    facts.entities = vec![Entity::account(number.to_string())];
    step
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_lost_after_the_commit_makes_no_second_row() {
    let dir = tempfile::tempdir().unwrap();
    let house = House::new(dir.path()).await;
    house.sink.loses.store(2, Ordering::Relaxed);
    for number in 0..60 {
        house.keep([number]).await;
    }
    house.until_empty().await;
    house.all_once(60).await;
    assert!(house.drain.progress().stats().retries > 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_row_is_put_aside_and_shown_and_its_neighbours_are_stored() {
    let dir = tempfile::tempdir().unwrap();
    let house = House::new(dir.path()).await;
    engine::execute(&house.store, "ALTER TABLE steps ADD CONSTRAINT odd CHECK name != 'act 17'").await;
    house.keep(0..100).await;
    house.until_empty().await;
    house.keep([200]).await;
    house.until_empty().await;
    assert_eq!((house.count("steps").await, house.count("contents").await), (100, 101));
    assert_eq!((house.keeper.ledger().stored, house.keeper.ledger().set_aside), (100, 1));
    let shown = rejects(&house.store, &scope(), None, 10).await.unwrap();
    assert_eq!(shown.len(), 1);
    assert_eq!((shown[0].class.as_str(), shown[0].source.as_str()), ("store", "drain"));
    assert!(shown[0].reason.contains("VIOLATED_CONSTRAINT"), "{}", shown[0].reason);
    assert!(!shown[0].reason.contains("act 17"), "{}", shown[0].reason);

    // Once the reason is gone, the file of refused rows is drained like any other segment.
    let store = house.close().await;
    let aside = dir.path().join("0000000000000001.rejected");
    std::fs::rename(&aside, aside.with_extension("seg")).unwrap();
    engine::execute(&store, "ALTER TABLE steps DROP CONSTRAINT odd").await;
    let house = House::open(dir.path(), store);
    house.until_empty().await;
    assert_eq!(house.count("steps").await, 101);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_only_makes_the_log_longer() {
    let dir = tempfile::tempdir().unwrap();
    let house = House::new(dir.path()).await;
    engine::execute(&house.store, "RENAME TABLE contents TO elsewhere").await;
    house.keep(0..10).await;
    while house.drain.progress().stats().retries < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(house.drain.progress().stats().failing.unwrap().class, "schema");
    assert_eq!(house.keeper.ledger().waiting, 10);
    engine::execute(&house.store, "RENAME TABLE elsewhere TO contents").await;
    house.until_empty().await;
    house.all_once(10).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_stops_between_commit_and_answer_stores_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let house = House::new(dir.path()).await;
    house.sink.hangs.store(true, Ordering::Relaxed);
    house.keep(0..20).await;
    while house.sink.inserts.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let store = house.close().await;
    let house = House::open(dir.path(), store);
    assert_eq!(house.keeper.ledger().recovered, 20);
    house.until_empty().await;
    house.all_once(20).await;
    house.close().await;
}
