//! The one thread that writes: it takes all that waits, makes it durable with one sync, and answers each.
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, oneshot};

use crate::log::error::LogError;
use crate::log::segments::{Entry, Segments, Taken};
use crate::log::stats::{Counted, LogStats, Since};

/// So much is written at once at most (or one entry, when that is larger).
const COMMIT_BYTES_MAX: usize = 32 << 20;
/// So many entries are written at once at most.
const COMMIT_ENTRIES_MAX: usize = 4096;

type Answer<T> = oneshot::Sender<Result<T, LogError>>;

/// What may be asked of the writer.
pub(crate) enum Ask {
    /// Keep this; the permit is its share of the queue's bytes.
    Append { entry: Entry, room: OwnedSemaphorePermit, answer: Answer<u64> },
    /// The oldest closed segment, if anything waits.
    Take { answer: oneshot::Sender<Option<Taken>> },
    /// The reader of a segment found only these good frames in it.
    Lost { first: u64, good: Counted },
    /// The segment's frames are safe elsewhere.
    Delete { first: u64, answer: Answer<()> },
    /// The segment cannot be drained.
    SetAside { first: u64, answer: Answer<()> },
    /// Some entries of the segment were refused: they get a file of their own.
    WriteAside { first: u64, owner: Bytes, entries: Vec<Entry>, answer: Answer<()> },
    /// Finish what was asked before this, and stop.
    Stop,
}

/// What the writer tells everyone.
#[derive(Default)]
pub(crate) struct Board {
    stats: Mutex<(LogStats, Option<Since>)>,
    /// Rings when something was appended.
    pub(crate) arrived: Notify,
}

impl Board {
    /// The last figures; the age is of now.
    pub(crate) fn stats(&self) -> LogStats {
        let (stats, oldest) = self.stats.lock().unwrap_or_else(PoisonError::into_inner).clone();
        LogStats { oldest_age: oldest.map(Since::age), ..stats }
    }

    /// New figures.
    pub(crate) fn post(&self, stats: (LogStats, Option<Since>)) {
        *self.stats.lock().unwrap_or_else(PoisonError::into_inner) = stats;
    }
}

/// Runs until it is told to stop or nobody can ask any more.
pub(crate) fn run(mut segments: Segments, mut asks: mpsc::Receiver<Ask>, board: &Arc<Board>) {
    while let Some(ask) = asks.blocking_recv() {
        let mut batch = Batch::default();
        let mut next = batch.gather(ask);
        while next.is_none() && batch.has_room() {
            let Ok(ask) = asks.try_recv() else { break };
            next = batch.gather(ask);
        }
        batch.commit(&mut segments, board);
        match next {
            Some(Ask::Stop) => asks.close(),
            Some(ask) => settle(&mut segments, ask, board),
            None => {}
        }
    }
}

#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    waiting: Vec<(Answer<u64>, OwnedSemaphorePermit)>,
    bytes: usize,
}

impl Batch {
    /// Takes an append; gives anything else back.
    fn gather(&mut self, ask: Ask) -> Option<Ask> {
        let Ask::Append { entry, room, answer } = ask else { return Some(ask) };
        self.bytes += entry.payload.len();
        self.entries.push(entry);
        self.waiting.push((answer, room));
        None
    }

    fn has_room(&self) -> bool {
        self.bytes < COMMIT_BYTES_MAX && self.entries.len() < COMMIT_ENTRIES_MAX
    }

    fn commit(self, segments: &mut Segments, board: &Board) {
        if self.entries.is_empty() {
            return;
        }
        let answers = segments.commit(&self.entries);
        board.post(segments.stats());
        if answers.iter().any(Result::is_ok) {
            board.arrived.notify_one();
        }
        drop(self.entries);
        for ((waiting, room), answer) in self.waiting.into_iter().zip(answers) {
            drop(room);
            told(waiting.send(answer));
        }
    }
}

fn settle(segments: &mut Segments, ask: Ask, board: &Board) {
    match ask {
        Ask::Take { answer } => tell(answer, segments.take(), segments, board),
        Ask::Lost { first, good } => {
            segments.lost(first, good);
            board.post(segments.stats());
        }
        Ask::Delete { first, answer } => tell(answer, segments.delete(first), segments, board),
        Ask::SetAside { first, answer } => tell(answer, segments.set_aside(first), segments, board),
        Ask::WriteAside { first, owner, entries, answer } => {
            tell(answer, segments.write_aside(first, owner, &entries), segments, board);
        }
        // Handled by the caller.
        Ask::Append { .. } | Ask::Stop => {}
    }
}

/// Whoever has an answer finds what it says in the figures.
fn tell<T>(answer: oneshot::Sender<T>, done: T, segments: &Segments, board: &Board) {
    board.post(segments.stats());
    told(answer.send(done));
}

/// Whoever asked may have gone away; what was asked is done all the same.
fn told<T>(sent: Result<(), T>) {
    if sent.is_err() {
        tracing::trace!("nobody waits for an answer of the log");
    }
}
