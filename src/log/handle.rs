//! The log as its users hold it: append and wait for the sync; take, drain, delete.
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use bytes::Bytes;
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::log::directory::Directory;
use crate::log::disk::Disk;
use crate::log::error::LogError;
use crate::log::frame;
use crate::log::header::{Header, LogId};
use crate::log::names::{self, count};
use crate::log::recovery::{OpenError, Recovery, recover};
use crate::log::sealed::{Frame, Sealed, SegmentId};
use crate::log::segments::{Bounds, Entry, Taken};
use crate::log::stats::{Counted, LogStats};
use crate::log::writer::{self, Ask, Board};

/// So many asks wait for the writer at most; the next one waits to be let in.
const QUEUE_ASKS_MAX: usize = 4096;
/// The payloads among them have so many bytes at most.
const QUEUE_BYTES_MAX: u32 = 64 << 20;

/// Where the log is and how large it may grow.
#[derive(Debug, Clone)]
pub struct LogSettings {
    /// Its directory; made where it is missing.
    pub dir: PathBuf,
    /// Most bytes it may hold; a quarter of the free disk where that is less. Beyond it, appends are refused.
    pub bytes_max: u64,
    /// A segment is closed before it grows beyond this. One drained segment is in memory at a time.
    pub segment_bytes_max: u64,
    /// A segment is closed before its frames weigh more than this.
    pub segment_weight_max: u64,
    /// What the owner needs to read the payloads, kept at the start of every segment.
    pub header: Bytes,
}

impl LogSettings {
    /// A log in this directory with the default bounds: 4 GiB, segments of 64 MiB or a weight of 100,000.
    pub fn new(dir: PathBuf, header: Bytes) -> Self {
        Self { dir, bytes_max: 4 << 30, segment_bytes_max: 64 << 20, segment_weight_max: 100_000, header }
    }
}

/// A durable log. Clones are the same log.
#[derive(Clone)]
pub struct Log {
    asks: mpsc::Sender<Ask>,
    room: Arc<Semaphore>,
    board: Arc<Board>,
    disk: Arc<dyn Disk>,
    writer: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Log {
    /// Opens the log in its directory, reading all that an earlier process left. Blocks for as long as
    /// reading takes.
    pub fn open(settings: LogSettings) -> Result<(Self, Recovery), LogError> {
        let disk = Directory::open(&settings.dir)?;
        Self::open_on(Arc::new(disk), settings)
    }

    /// Opens the log on any disk; `settings.dir` is its name in errors only.
    pub fn open_on(disk: Arc<dyn Disk>, settings: LogSettings) -> Result<(Self, Recovery), LogError> {
        let failed = |error: io::Error| LogError::Open { dir: settings.dir.clone(), error: Arc::new(error) };
        let mut fresh = LogId([0; 16]);
        getrandom::fill(&mut fresh.0).map_err(|error| failed(io::Error::other(error)))?;
        let bounds = Bounds {
            bytes_max: settings.bytes_max,
            segment_bytes_max: settings.segment_bytes_max,
            segment_weight_max: settings.segment_weight_max,
            owner: settings.header.clone(),
        };
        let (segments, recovery) = recover(&disk, bounds, fresh).map_err(|error| match error {
            OpenError::Io(error) => failed(error),
            OpenError::Log(error) => error,
        })?;
        let board = Arc::new(Board::default());
        board.post(segments.stats());
        let (asks, inbox) = mpsc::channel(QUEUE_ASKS_MAX);
        let writer = thread::Builder::new()
            .name("log".to_owned())
            .spawn({
                let board = board.clone();
                move || writer::run(segments, inbox, &board)
            })
            .map_err(failed)?;
        let room = Arc::new(Semaphore::new(usize::try_from(QUEUE_BYTES_MAX).unwrap_or(usize::MAX)));
        Ok((Self { asks, room, board, disk, writer: Arc::new(Mutex::new(Some(writer))) }, recovery))
    }

    /// Keeps these bytes: returns their sequence after they are synced to disk, or why they are not kept.
    /// `weight` is what the owner counts in them. Dropping the future does not take the bytes back.
    pub async fn append(&self, payload: Bytes, weight: u32) -> Result<u64, LogError> {
        let share = u32::try_from(payload.len()).unwrap_or(u32::MAX).min(QUEUE_BYTES_MAX);
        let Ok(room) = self.room.clone().acquire_many_owned(share).await else {
            return Err(LogError::Closed);
        };
        self.ask(|answer| Ask::Append { entry: Entry { payload, weight }, room, answer }).await?
    }

    /// The oldest segment that nobody has taken yet, waiting for one where nothing waits. What has gathered
    /// in the segment being written is sealed for it, so whatever arrived while the last one was drained
    /// comes at once. Damaged bytes are left out, counted and reported. Fails only when the log is closed.
    pub async fn next_sealed(&self) -> Result<Sealed, LogError> {
        loop {
            let arrived = self.board.arrived.notified();
            match self.ask(|answer| Ask::Take { answer }).await? {
                Some(taken) => {
                    if let Some(sealed) = self.load(taken).await? {
                        return Ok(sealed);
                    }
                }
                None => tokio::select! {
                    () = arrived => {}
                    () = self.asks.closed() => return Err(LogError::Closed),
                },
            }
        }
    }

    /// The segment's frames are safe elsewhere: its file goes. After an error the file stays for now and is
    /// tried again by itself; the frames come again only if the process restarts before that.
    pub async fn delete(&self, id: SegmentId) -> Result<(), LogError> {
        let first = id.0;
        self.ask(|answer| Ask::Delete { first, answer }).await?
    }

    /// The segment cannot be drained: its file is renamed to `*.damaged` and kept.
    pub async fn set_aside(&self, id: SegmentId, reason: &str) -> Result<(), LogError> {
        tracing::error!(segment = %id, reason, "a log segment is set aside");
        let first = id.0;
        self.ask(|answer| Ask::SetAside { first, answer }).await?
    }

    /// Writes payloads taken from a segment, with their weights, to `*.rejected` beside it, synced, under the
    /// segment's header. It is a segment too: renamed to `.seg` it is drained again at the next start. Call
    /// before [`Log::delete`].
    pub async fn write_aside(
        &self,
        id: SegmentId,
        owner: Bytes,
        rejected: Vec<(Bytes, u32)>,
    ) -> Result<(), LogError> {
        let entries = rejected.into_iter().map(|(payload, weight)| Entry { payload, weight }).collect();
        let first = id.0;
        self.ask(|answer| Ask::WriteAside { first, owner, entries, answer }).await?
    }

    /// Its figures, as of the last thing that happened to it.
    pub fn stats(&self) -> LogStats {
        self.board.stats()
    }

    /// Takes nothing more, finishes what was asked before, and lets another process have the directory.
    pub async fn close(&self) {
        if self.asks.send(Ask::Stop).await.is_err() {
            tracing::trace!("the log was closed already");
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let disk = self.disk.clone();
        let stopped = tokio::task::spawn_blocking(move || {
            let ended = writer.is_none_or(|writer| writer.join().is_ok());
            disk.release();
            ended
        });
        if !stopped.await.is_ok_and(|ended| ended) {
            tracing::error!("the log's writer did not end well");
        }
    }

    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Result<T, LogError> {
        let (answer, answered) = oneshot::channel();
        if self.asks.send(ask(answer)).await.is_err() {
            return Err(LogError::Closed);
        }
        let Ok(answer) = answered.await else { return Err(LogError::Closed) };
        Ok(answer)
    }

    async fn load(&self, taken: Taken) -> Result<Option<Sealed>, LogError> {
        let disk = self.disk.clone();
        let first = taken.first;
        let read = tokio::task::spawn_blocking(move || disk.read(&names::name(first))).await;
        let loaded = match read.map_err(io::Error::other) {
            Ok(Ok(bytes)) => parsed(Bytes::from(bytes), taken),
            Ok(Err(error)) | Err(error) => Err(format!("cannot be read: {error}")),
        };
        let sealed = match loaded {
            Ok(sealed) => sealed,
            Err(reason) => {
                tracing::error!(segment = %SegmentId(first), reason, "a log segment is set aside");
                if let Err(error) = self.ask(|answer| Ask::SetAside { first, answer }).await? {
                    tracing::warn!(%error, "the file keeps its name for now");
                }
                return Ok(None);
            }
        };
        let good = Counted {
            frames: count(sealed.frames.len()),
            weight: sealed.weight(),
            bytes: sealed.frames.iter().map(|frame| count(frame.payload.len() + frame::HEAD_BYTES)).sum(),
        };
        if good != taken.frames && self.asks.send(Ask::Lost { first, good }).await.is_err() {
            return Err(LogError::Closed);
        }
        Ok(Some(sealed))
    }
}

fn parsed(file: Bytes, taken: Taken) -> Result<Sealed, String> {
    let end = usize::try_from(taken.end).unwrap_or(usize::MAX).min(file.len());
    let file = file.slice(..end);
    let Ok((header, start)) = Header::decode(&file) else {
        return Err("its header is damaged".to_owned());
    };
    let scan = frame::scan(&file, start, taken.first, header.log.salt());
    let frames = scan.frames.into_iter().map(|found| Frame {
        sequence: found.label.sequence,
        weight: found.label.weight,
        payload: file.slice(found.payload),
    });
    let frames: Vec<Frame> = frames.collect();
    let damaged = taken.damaged || count(frames.len()) < taken.frames.frames;
    Ok(Sealed { id: SegmentId(taken.first), log: header.log, owner: header.owner, frames, damaged })
}
