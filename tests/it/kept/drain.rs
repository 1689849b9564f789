//! The drain into the real engine: answers that get lost, rows that are refused, processes that stop
//! half-way.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use recount::ingest::{Ack, Batch, Drain, DrainSettings, Keeper, Rejected, Setback, Sink, TableInsert};
use recount::log::{Log, LogSettings, Sealed};
use recount::store::Store;

use crate::support::engine;

/// The tables: `numbers`, which refuses 17, and what a materialized view makes of it.
const TABLES: [&str; 3] = [
    "CREATE TABLE numbers (number UInt32, CONSTRAINT lucky CHECK number != 17) ENGINE = MergeTree \
     ORDER BY number SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, \
     fsync_part_directory = 1",
    "CREATE TABLE seen (number UInt32) ENGINE = MergeTree ORDER BY number \
     SETTINGS non_replicated_deduplication_window = 1000",
    "CREATE MATERIALIZED VIEW see TO seen AS SELECT number FROM numbers",
];

/// Numbers into the real engine. It can store them and then lose the answer.
#[derive(Clone)]
struct Numbers {
    store: Store,
    /// How many inserts lose their answer before the next one gets it.
    loses: Arc<AtomicU32>,
    inserts: Arc<AtomicU32>,
    hangs: Arc<AtomicBool>,
}

impl Numbers {
    async fn new() -> Self {
        let store = engine::store().await;
        for table in TABLES {
            engine::execute(&store, table).await;
        }
        Self { store, loses: Arc::default(), inserts: Arc::default(), hangs: Arc::default() }
    }

    async fn rows(&self, table: &str) -> Vec<u32> {
        let sql = format!("SELECT number FROM {table} ORDER BY number");
        self.store.read_all_projects(&sql).all().await.unwrap()
    }
}

impl Sink for Numbers {
    type Touched = ();

    fn gather(&self, sealed: &Sealed) -> Result<Batch<()>, String> {
        let bytes: Vec<u8> = sealed.frames().iter().flat_map(|frame| frame.payload.to_vec()).collect();
        let insert = TableInsert {
            table: "numbers".to_owned(),
            columns: vec!["number".to_owned()],
            bytes: bytes.into(),
            is_records: true,
        };
        Ok(Batch { inserts: vec![insert], touched: () })
    }

    async fn insert(&self, insert: &TableInsert, rows: Bytes, token: &str) -> Result<(), Setback> {
        let done = self.store.insert_rows(&insert.table, &insert.columns, rows, token).await;
        let number = self.inserts.fetch_add(1, Ordering::Relaxed);
        match done {
            Ok(()) if self.hangs.load(Ordering::Relaxed) => std::future::pending().await,
            Ok(()) if !number.is_multiple_of(self.loses.load(Ordering::Relaxed) + 1) => {
                Err(Setback::Again("unknown"))
            }
            done => done.map_err(|error| Setback::of(&error)),
        }
    }

    fn confirmed(&self, _: &TableInsert, _: &[u8]) {}

    async fn project(&self, (): ()) {}

    fn row_ends(&self, insert: &TableInsert) -> Vec<usize> {
        (4..=insert.bytes.len()).step_by(4).collect()
    }

    fn payload(&self, _: &TableInsert, rejected: &Rejected) -> Bytes {
        rejected.bytes.clone()
    }

    async fn report(&self, _: &TableInsert, _: &[Rejected], _: &str) -> Result<(), Setback> {
        Ok(())
    }
}

struct House {
    log: Log,
    drain: Drain,
    keeper: Keeper,
}

impl House {
    fn open(dir: &Path, sink: &Numbers) -> Self {
        let (log, _) = Log::open(LogSettings::new(dir.to_owned(), Bytes::new())).unwrap();
        let settings = DrainSettings {
            pace: Duration::from_millis(5),
            backoff_min: Duration::from_millis(5),
            backoff_max: Duration::from_millis(50),
            grace: Duration::from_millis(100),
        };
        let drain = Drain::start(log.clone(), Arc::new(sink.clone()), settings);
        let keeper = Keeper::new(log.clone(), Ack::Log, drain.progress());
        Self { log, drain, keeper }
    }

    async fn keep(&self, numbers: impl IntoIterator<Item = u32>) {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
        let records = u32::try_from(bytes.len() / 4).unwrap();
        self.keeper.keep(bytes.into(), records).await.unwrap();
    }

    async fn until_empty(&self) {
        for _ in 0..3_000 {
            assert!(self.keeper.ledger().is_balanced(), "{:?}", self.keeper.ledger());
            if self.keeper.ledger().waiting == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not in time: {:?} {:?}", self.keeper.ledger(), self.drain.progress().stats());
    }

    async fn close(self) {
        self.drain.stop().await;
        self.log.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_lost_after_the_commit_makes_no_second_row() {
    let (dir, sink) = (tempfile::tempdir().unwrap(), Numbers::new().await);
    sink.loses.store(2, Ordering::Relaxed);
    let house = House::open(dir.path(), &sink);
    for number in 100..160 {
        house.keep([number]).await;
    }
    house.until_empty().await;
    let all: Vec<u32> = (100..160).collect();
    assert_eq!(sink.rows("numbers").await, all);
    assert_eq!(sink.rows("seen").await, all, "the view's table has each once too");
    assert!(house.drain.progress().stats().retries > 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_row_is_put_aside_and_its_neighbours_are_stored() {
    let (dir, sink) = (tempfile::tempdir().unwrap(), Numbers::new().await);
    let house = House::open(dir.path(), &sink);
    house.keep(0..100).await;
    house.until_empty().await;
    house.keep([200]).await;
    house.until_empty().await;
    let expected: Vec<u32> = (0..100).filter(|number| *number != 17).chain([200]).collect();
    assert_eq!(sink.rows("numbers").await, expected);
    assert_eq!((house.keeper.ledger().stored, house.keeper.ledger().set_aside), (100, 1));
    house.close().await;
    assert!(dir.path().join("0000000000000001.rejected").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_only_makes_the_log_longer() {
    let (dir, sink) = (tempfile::tempdir().unwrap(), Numbers::new().await);
    engine::execute(&sink.store, "RENAME TABLE numbers TO elsewhere").await;
    let house = House::open(dir.path(), &sink);
    house.keep(100..110).await;
    while house.drain.progress().stats().retries < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(house.drain.progress().stats().failing.unwrap().class, "schema");
    engine::execute(&sink.store, "RENAME TABLE elsewhere TO numbers").await;
    house.until_empty().await;
    assert_eq!(sink.rows("numbers").await, (100..110).collect::<Vec<_>>());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_stops_between_commit_and_answer_stores_nothing_twice() {
    let (dir, sink) = (tempfile::tempdir().unwrap(), Numbers::new().await);
    let house = House::open(dir.path(), &sink);
    sink.hangs.store(true, Ordering::Relaxed);
    house.keep(100..120).await;
    while sink.inserts.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    house.close().await;
    assert_eq!(sink.rows("numbers").await.len(), 20);
    sink.hangs.store(false, Ordering::Relaxed);
    let house = House::open(dir.path(), &sink);
    assert_eq!(house.keeper.ledger().recovered, 20);
    house.until_empty().await;
    assert_eq!(sink.rows("numbers").await, (100..120).collect::<Vec<_>>());
    assert_eq!(sink.rows("seen").await, (100..120).collect::<Vec<_>>());
    house.close().await;
}
