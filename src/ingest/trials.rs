//! The drain against a store that is down, hangs, loses its answers, is too small or refuses single rows.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tempfile::tempdir;

use crate::domain::ids::{Project, TraceId};
use crate::ingest::drain::{Drain, DrainSettings};
use crate::ingest::keep::{Ack, Keeper, NotKept};
use crate::ingest::sink::{RefusedRows, Setback, Sink};
use crate::log::{Log, LogSettings};
use crate::store::rows::{EncodedRequest, Insert, Table, TableRows, segment_header};

/// What the store does with the next insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Well,
    Down,
    Hanging,
    /// Stores and then says nothing.
    Forgetful,
    /// Takes at most so many rows at once.
    Small(usize),
}

#[derive(Default)]
struct Inner {
    mood: Option<Mood>,
    poison: BTreeSet<u32>,
    tokens: BTreeSet<String>,
    /// Rows by table, in the order of their arrival.
    tables: BTreeMap<Table, Vec<u32>>,
    projected: Vec<u32>,
    confirmed: Vec<u32>,
    reported: Vec<usize>,
    inserts: usize,
    projection_hangs: bool,
}

/// A store and a projection in memory. A payload is a list of numbers; each is a row of `contents` and of
/// `steps`.
#[derive(Clone, Default)]
struct Faulty(Arc<Mutex<Inner>>);

impl Faulty {
    fn inner<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }

    fn be(&self, mood: Mood) {
        self.inner(|inner| inner.mood = Some(mood));
    }

    fn table(&self, table: Table) -> Vec<u32> {
        self.inner(|inner| inner.tables.get(&table).cloned().unwrap_or_default())
    }
}

/// Where the number is in a row, and how long the row is.
fn shape(table: Table) -> (usize, usize) {
    if table == Table::Contents { (0, 34) } else { (10, 26) }
}

fn numbers(table: Table, bytes: &[u8]) -> Vec<u32> {
    let (at, length) = shape(table);
    bytes.chunks(length).map(|row| u32::from_le_bytes(*row[at..].first_chunk().unwrap())).collect()
}

/// As much of rows as the drain looks at: each number has a body and a record in a trace of its own.
fn request(numbers: impl IntoIterator<Item = u32>) -> EncodedRequest {
    let numbers: Vec<u32> = numbers.into_iter().collect();
    let trace = |number: u32| {
        let mut trace = [0; 16];
        trace[..4].copy_from_slice(&number.to_le_bytes());
        trace
    };
    let rows = |table: Table, row: fn([u8; 16]) -> Vec<u8>| TableRows {
        table,
        bytes: numbers.iter().flat_map(|number| row(trace(*number))).collect(),
        lengths: vec![shape(table).1; numbers.len()],
    };
    let contents = rows(Table::Contents, |trace| [&trace[..], &trace, &[0, 0]].concat());
    let steps = rows(Table::Steps, |trace| [&b"\x07default\0\0"[..], &trace].concat());
    let traces = numbers.iter().map(|number| TraceId(trace(*number))).collect();
    EncodedRequest { project: Project::default(), tables: vec![contents, steps], traces }
}

impl Sink for Faulty {
    async fn insert(&self, insert: &Insert, rows: Bytes, token: &str) -> Result<(), Setback> {
        let numbers = numbers(insert.table, &rows);
        let mood = self.inner(|inner| {
            inner.inserts += 1;
            inner.mood.unwrap_or(Mood::Well)
        });
        match mood {
            Mood::Down => return Err(Setback::Again("unreachable")),
            Mood::Small(max) if numbers.len() > max => return Err(Setback::Crowded("busy")),
            Mood::Hanging => {
                tokio::time::sleep(Duration::from_secs(3600)).await;
                return Err(Setback::Again("unknown"));
            }
            Mood::Well | Mood::Forgetful | Mood::Small(_) => {}
        }
        self.inner(|inner| {
            if insert.table == Table::Steps && numbers.iter().any(|number| inner.poison.contains(number)) {
                return Err(Setback::Refused("code 27".to_owned()));
            }
            if inner.tokens.insert(token.to_owned()) {
                inner.tables.entry(insert.table).or_default().extend(&numbers);
            }
            if mood == Mood::Forgetful && inner.inserts % 3 != 0 {
                return Err(Setback::Again("unknown"));
            }
            Ok(())
        })
    }

    fn confirmed(&self, insert: &Insert, rows: &[u8]) {
        if insert.table == Table::Contents {
            self.inner(|inner| inner.confirmed.extend(numbers(Table::Contents, rows)));
        }
    }

    async fn project(&self, touched: Vec<(Project, TraceId)>) {
        while self.inner(|inner| inner.projection_hangs) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.inner(|inner| {
            let stored = inner.tables.get(&Table::Steps).cloned().unwrap_or_default();
            for (project, trace_id) in touched {
                assert_eq!(project, Project::default());
                let number = u32::from_le_bytes(*trace_id.0.first_chunk().unwrap());
                assert!(stored.contains(&number) || inner.poison.contains(&number));
                inner.projected.push(number);
            }
        });
    }

    async fn report(&self, project: &Project, refused: &RefusedRows<'_>, token: &str) -> Result<(), Setback> {
        assert_eq!(*project, Project::default());
        self.inner(|inner| {
            if inner.tokens.insert(token.to_owned()) {
                inner.reported.extend(refused.rejected.iter().map(|one| one.rows.len()));
            }
        });
        Ok(())
    }
}

async fn offer(keeper: &Keeper, numbers: impl IntoIterator<Item = u32>) -> Result<(), NotKept> {
    let request = request(numbers);
    keeper.keep(request.to_frame(), u32::try_from(request.traces.len()).unwrap()).await
}

struct House {
    log: Log,
    sink: Faulty,
    drain: Drain,
    keeper: Keeper,
}

impl House {
    fn open(dir: &Path, sink: &Faulty, ack: Ack) -> Self {
        let (log, recovery) = Log::open(LogSettings::new(dir.to_owned(), segment_header().into())).unwrap();
        assert_eq!(recovery.set_aside, []);
        let settings = DrainSettings {
            pace: Duration::from_millis(1),
            backoff_min: Duration::from_millis(1),
            backoff_max: Duration::from_millis(5),
            grace: Duration::from_millis(50),
        };
        let drain = Drain::start(log.clone(), Arc::new(sink.clone()), settings);
        let keeper = Keeper::new(log.clone(), ack, drain.progress());
        Self { log, sink: sink.clone(), drain, keeper }
    }

    async fn keep(&self, numbers: impl IntoIterator<Item = u32>) -> Result<(), NotKept> {
        let kept = offer(&self.keeper, numbers).await;
        assert!(self.keeper.ledger().is_balanced(), "{:?}", self.keeper.ledger());
        kept
    }

    async fn until(&self, what: impl Fn(&Self) -> bool) {
        for _ in 0..5_000 {
            assert!(self.keeper.ledger().is_balanced(), "{:?}", self.keeper.ledger());
            if what(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("not in time: {:?} {:?}", self.keeper.ledger(), self.drain.progress().stats());
    }

    async fn until_empty(&self) {
        self.until(|house| house.log.stats().frames == 0).await;
    }

    async fn close(self) -> Faulty {
        self.drain.stop().await;
        self.log.close().await;
        self.sink
    }
}

fn order_kept(sink: &Faulty, all: u32) {
    let expected: Vec<u32> = (0..all).collect();
    assert_eq!(sink.table(Table::Contents), expected);
    assert_eq!(sink.table(Table::Steps), expected);
    assert_eq!(sink.inner(|inner| inner.projected.clone()), expected);
    assert_eq!(sink.inner(|inner| inner.confirmed.clone()), expected);
}

#[tokio::test]
async fn rows_go_through_once_and_in_order() {
    let dir = tempdir().unwrap();
    let house = House::open(dir.path(), &Faulty::default(), Ack::Log);
    for number in 0..200 {
        house.keep([number]).await.unwrap();
    }
    house.until_empty().await;
    order_kept(&house.sink, 200);
    let ledger = house.keeper.ledger();
    assert_eq!((ledger.kept, ledger.stored, ledger.waiting, ledger.set_aside), (200, 200, 0, 0));
    assert_eq!(house.drain.progress().stats().stored_records, 200);
    house.close().await;
}

#[tokio::test]
async fn an_outage_only_makes_the_log_longer() {
    let dir = tempdir().unwrap();
    let house = House::open(dir.path(), &Faulty::default(), Ack::Log);
    house.sink.be(Mood::Down);
    for number in 0..50 {
        house.keep([number]).await.unwrap();
    }
    house.until(|house| house.drain.progress().stats().retries > 5).await;
    let failing = house.drain.progress().stats().failing.unwrap();
    assert_eq!((failing.class, failing.attempts > 5), ("unreachable", true));
    assert_eq!(house.keeper.ledger().waiting, 50);
    house.sink.be(Mood::Well);
    house.until_empty().await;
    order_kept(&house.sink, 50);
    assert_eq!(house.drain.progress().stats().failing, None);
    house.close().await;
}

#[tokio::test]
async fn an_answer_that_is_lost_stores_nothing_twice() {
    let dir = tempdir().unwrap();
    let house = House::open(dir.path(), &Faulty::default(), Ack::Log);
    house.sink.be(Mood::Forgetful);
    for number in 0..60 {
        house.keep([number]).await.unwrap();
    }
    house.until_empty().await;
    order_kept(&house.sink, 60);
    house.close().await;
}

#[tokio::test]
async fn a_hanging_store_does_not_keep_the_process_from_stopping_and_the_next_one_goes_on() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    let house = House::open(dir.path(), &sink, Ack::Log);
    sink.be(Mood::Hanging);
    for number in 0..20 {
        house.keep([number]).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(20)).await;
    tokio::time::timeout(Duration::from_secs(5), house.close()).await.expect("stops in time");
    sink.be(Mood::Well);
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.until_empty().await;
    order_kept(&sink, 20);
    let ledger = house.keeper.ledger();
    assert_eq!((ledger.recovered, ledger.stored), (20, 20));
    house.close().await;
}

#[tokio::test]
async fn a_restart_between_insert_and_delete_stores_nothing_twice() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    let house = House::open(dir.path(), &sink, Ack::Log);
    sink.inner(|inner| inner.projection_hangs = true);
    for number in 0..20 {
        house.keep([number]).await.unwrap();
    }
    house.until(|house| house.drain.progress().stats().stored_segments >= 2).await;
    // Their projection is not done, so they are not deleted; later ones wait behind them.
    assert_eq!(house.keeper.ledger().waiting, 20);
    house.close().await;
    // The tasks of the old drain end with the first process; here they must not get in the way.
    let sink = Faulty(Arc::new(Mutex::new(std::mem::take(&mut *sink.0.lock().unwrap()))));
    sink.inner(|inner| inner.projection_hangs = false);
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.until_empty().await;
    assert_eq!(sink.table(Table::Steps), (0..20).collect::<Vec<_>>());
    assert_eq!(sink.inner(|inner| inner.projected.clone()), (0..20).collect::<Vec<_>>());
    house.close().await;
}

#[tokio::test]
async fn poison_rows_are_found_put_aside_and_shown_and_the_rest_is_stored() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    sink.inner(|inner| inner.poison = BTreeSet::from([0, 17, 18, 63]));
    sink.be(Mood::Down);
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.keep([100]).await.unwrap();
    house.until(|house| house.drain.progress().stats().retries > 0).await;
    house.keep(0..32).await.unwrap();
    house.keep(32..64).await.unwrap();
    sink.be(Mood::Well);
    house.until_empty().await;
    let mut expected: Vec<u32> = (1..63).filter(|number| !matches!(number, 17 | 18)).collect();
    expected.insert(0, 100);
    assert_eq!(sink.table(Table::Steps), expected);
    assert_eq!(sink.table(Table::Contents).len(), 65);
    assert_eq!(sink.inner(|inner| inner.reported.clone()), [1, 1, 1, 1]);
    let ledger = house.keeper.ledger();
    assert_eq!((ledger.kept, ledger.stored, ledger.set_aside), (65, 61, 4));
    house.close().await;
    // Once the reason is gone, the file of rejected rows is drained like any other segment.
    let aside = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
    let aside = aside.filter(|path| path.extension().is_some_and(|ext| ext == "rejected")).last().unwrap();
    std::fs::rename(&aside, aside.with_extension("seg")).unwrap();
    sink.inner(|inner| inner.poison.clear());
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.until_empty().await;
    let stored: BTreeSet<u32> = sink.table(Table::Steps).into_iter().collect();
    assert_eq!(stored.len(), 65);
    house.close().await;
}

#[tokio::test]
async fn nothing_but_poison_does_not_block_what_comes_after() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    sink.inner(|inner| inner.poison = (0..3000).collect());
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.keep(0..3000).await.unwrap();
    house.keep([5000]).await.unwrap();
    house.until(|house| house.sink.table(Table::Steps) == [5000]).await;
    house.until_empty().await;
    assert_eq!(house.keeper.ledger().set_aside, 3000);
    assert!(sink.inner(|inner| inner.inserts) < 2_500);
    house.close().await;
}

#[tokio::test]
async fn a_store_that_cannot_hold_so_much_gets_less_at_once() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    sink.be(Mood::Small(10));
    let house = House::open(dir.path(), &sink, Ack::Log);
    house.keep(0..64).await.unwrap();
    house.until_empty().await;
    order_kept(&sink, 64);
    house.close().await;
}

#[tokio::test]
async fn a_segment_that_nobody_can_read_is_set_aside() {
    let dir = tempdir().unwrap();
    let house = House::open(dir.path(), &Faulty::default(), Ack::Log);
    house.log.append(Bytes::from_static(b"odd"), 1).await.unwrap();
    house.until_empty().await;
    house.keep([1]).await.unwrap();
    house.until(|house| house.sink.table(Table::Steps) == [1]).await;
    assert_eq!(house.keeper.ledger().set_aside, 1);
    house.close().await;
}

#[tokio::test]
async fn with_ack_store_ok_waits_for_the_store() {
    let dir = tempdir().unwrap();
    let sink = Faulty::default();
    let house = House::open(dir.path(), &sink, Ack::Store { patience: Duration::from_millis(200) });
    house.keep([0]).await.unwrap();
    assert_eq!(sink.table(Table::Steps), [0], "it was stored before OK");
    sink.be(Mood::Down);
    assert_eq!(house.keep([1]).await, Err(NotKept::Unconfirmed));
    // It is known to be down now: nothing is put into the log that would only fill it.
    assert_eq!(house.keep([2]).await, Err(NotKept::Unconfirmed));
    assert_eq!(house.keeper.ledger().kept, 2);
    sink.be(Mood::Well);
    house.until_empty().await;
    house.keep([3]).await.unwrap();
    assert_eq!(sink.table(Table::Steps), [0, 1, 3]);
    sink.be(Mood::Hanging);
    let (answer, ()) = tokio::join!(house.keep([4]), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        house.drain.stop().await;
    });
    assert_eq!(answer, Err(NotKept::Stopping));
    house.close().await;
}

#[tokio::test]
async fn a_full_log_and_a_stopped_one_refuse() {
    let dir = tempdir().unwrap();
    let settings =
        LogSettings { bytes_max: 5_000, ..LogSettings::new(dir.path().to_owned(), segment_header().into()) };
    let (log, _) = Log::open(settings).unwrap();
    let keeper = Keeper::new(log.clone(), Ack::Log, Arc::default());
    assert_eq!(offer(&keeper, 0..100).await, Err(NotKept::Full));
    assert_eq!(offer(&keeper, [1]).await, Ok(()));
    log.close().await;
    assert_eq!(offer(&keeper, [1]).await, Err(NotKept::Stopping));
}
