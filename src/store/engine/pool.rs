//! The connections: few, reused, each with the database and settings it was opened for, and a way to stop a
//! statement.
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::store::engine::connection::Connection;
use crate::store::engine::exception::Exception;
use crate::store::engine::library::{Library, leave_at_once};

/// How often a statement that should stop is told so again, until it has.
const KILL_EVERY: Duration = Duration::from_millis(50);
const KILL_TIMES_MAX: u32 = 12_000;

/// What a connection is opened for. Settings can't be taken back on a connection, so it is reused for the
/// same only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Session {
    /// Unqualified names mean this database.
    pub(super) database: Option<String>,
    /// Settings by name, in order of name.
    pub(super) settings: Vec<(String, String)>,
}

/// Every connection of the engine.
pub(super) struct Pool {
    library: &'static Library,
    arguments: Vec<CString>,
    scratch: PathBuf,
    reads: Lane,
    writes: Lane,
    idle: Mutex<Vec<Idle>>,
    /// Never lent: it keeps the engine running while no other is open, and stops the statements of the
    /// others.
    keeper: Mutex<Option<Connection>>,
    numbers: AtomicU64,
}

/// How many statements of a kind may run at once.
struct Lane {
    size: usize,
    permits: Arc<Semaphore>,
}

impl Lane {
    fn new(size: usize) -> Self {
        Self { size, permits: Arc::new(Semaphore::new(size)) }
    }

    async fn emptied(&self) -> bool {
        let all = u32::try_from(self.size).unwrap_or(u32::MAX);
        self.permits.acquire_many(all).await.is_ok()
    }
}

struct Idle {
    session: Session,
    number: u64,
    connection: Connection,
}

impl Pool {
    /// Starts the engine with the first connection. `None` if it does not start.
    pub(super) fn open(
        library: &'static Library,
        arguments: Vec<CString>,
        scratch: PathBuf,
        statements_max: usize,
    ) -> Option<Arc<Self>> {
        let keeper = Connection::open(library, &arguments)?;
        Some(Arc::new(Self {
            library,
            arguments,
            scratch,
            reads: Lane::new(statements_max),
            // Slow reads must not keep rows from being stored.
            writes: Lane::new(statements_max.div_ceil(4).max(2)),
            idle: Mutex::new(Vec::new()),
            keeper: Mutex::new(Some(keeper)),
            numbers: AtomicU64::new(1),
        }))
    }

    /// Waits for a free connection. It is opened by the thread that will use it.
    pub(super) async fn lease(self: &Arc<Self>, session: Session, reads: bool) -> Result<Lease, Exception> {
        let lane = if reads { &self.reads } else { &self.writes };
        let permit =
            Arc::clone(&lane.permits).acquire_owned().await.map_err(|_closed| Exception::closed())?;
        let mut idle = lock(&self.idle);
        let (ready, surplus) = match idle.iter().rposition(|idle| idle.session == session) {
            Some(at) => (Some(idle.remove(at)), None),
            // The oldest gives way, so that idle and lent ones together stay within the limit.
            None if idle.len() > self.free() => (None, Some(idle.remove(0))),
            None => (None, None),
        };
        drop(idle);
        let number =
            ready.as_ref().map_or_else(|| self.numbers.fetch_add(1, Ordering::Relaxed), |idle| idle.number);
        Ok(Lease {
            running: Arc::new(Running { number, over: Mutex::new(false), cancelled: AtomicBool::new(false) }),
            pool: Arc::clone(self),
            session,
            connection: ready.map(|idle| idle.connection),
            surplus: surplus.map(|idle| idle.connection),
            spoiled: false,
            _permit: permit,
        })
    }

    /// Waits until no statement runs, then closes every connection. False if statements still run after
    /// `patience`.
    pub(super) async fn close(&self, patience: Duration) -> bool {
        let emptied = async { self.reads.emptied().await && self.writes.emptied().await };
        let emptied = tokio::time::timeout(patience, emptied).await;
        self.close_idle();
        matches!(emptied, Ok(true))
    }

    /// Closes what is not lent, now, and lends nothing more. What is lent is closed when it comes back.
    pub(super) fn close_idle(&self) {
        self.reads.permits.close();
        self.writes.permits.close();
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
        drop(lock(&self.keeper).take());
    }

    fn free(&self) -> usize {
        self.reads.permits.available_permits() + self.writes.permits.available_permits()
    }

    /// Asks the engine to stop a statement, until it has.
    fn kill(&self, running: &Running) {
        for _ in 0..KILL_TIMES_MAX {
            // While this is held the connection can't be lent to the next, whose statement would be hit.
            let over = lock(&running.over);
            if *over {
                return;
            }
            if let Some(keeper) = lock(&self.keeper).as_mut() {
                let sql =
                    format!("KILL QUERY WHERE Settings['log_comment'] = '{}' ASYNC", comment(running.number));
                if let Err(error) = keeper.run(&sql, "Null", &[]) {
                    tracing::warn!(
                        code = error.code(),
                        "a statement that nobody waits for could not be stopped"
                    );
                }
            }
            drop(over);
            thread::sleep(KILL_EVERY);
        }
    }
}

/// A connection lent for one statement.
pub(super) struct Lease {
    pool: Arc<Pool>,
    session: Session,
    running: Arc<Running>,
    connection: Option<Connection>,
    surplus: Option<Connection>,
    spoiled: bool,
    _permit: OwnedSemaphorePermit,
}

struct Running {
    number: u64,
    over: Mutex<bool>,
    cancelled: AtomicBool,
}

impl Lease {
    /// The connection; opened now if it is new. Blocks.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, Exception> {
        drop(self.surplus.take());
        if self.is_cancelled() {
            return Err(Exception::cancelled());
        }
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.opened()?,
        };
        Ok(self.connection.insert(connection))
    }

    /// The connection has been changed by its statement, or may be, or remembers a failed one: it is not
    /// reused. Opening another takes a millisecond.
    pub(super) fn spoil(&mut self) {
        self.spoiled = true;
    }

    /// Whether somebody asked to stop the statement.
    pub(super) fn is_cancelled(&self) -> bool {
        self.running.cancelled.load(Ordering::Acquire)
    }

    /// A guard that stops the statement if it is dropped first.
    pub(super) fn cancel_on_drop(&self) -> Cancel {
        Cancel { pool: Arc::clone(&self.pool), running: Arc::clone(&self.running) }
    }

    /// A file for a result that has to be written whole before it can be read. No other statement has it.
    pub(super) fn scratch(&self) -> PathBuf {
        self.pool.scratch.join(self.running.number.to_string())
    }

    fn opened(&self) -> Result<Connection, Exception> {
        if self.running.number.is_power_of_two() {
            leave_at_once();
        }
        let mut connection = Connection::open(self.pool.library, &self.pool.arguments)
            .ok_or_else(|| Exception::of("the engine opens no more connections"))?;
        if let Some(database) = &self.session.database {
            connection.run(&format!("USE {}", quoted('`', database)), "Null", &[])?;
        }
        let mut set = format!("SET log_comment = '{}'", comment(self.running.number));
        for (name, value) in &self.session.settings {
            set.push_str(&format!(", {} = {}", quoted('`', name), quoted('\'', value)));
        }
        connection.run(&set, "Null", &[])?;
        Ok(connection)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut over = lock(&self.running.over);
        *over = true;
        drop(over);
        if let Some(connection) = self.connection.take()
            && !self.spoiled
            && !self.is_cancelled()
            && !self.pool.reads.permits.is_closed()
        {
            let session = std::mem::take(&mut self.session);
            lock(&self.pool.idle).push(Idle { session, number: self.running.number, connection });
        }
    }
}

/// Stops a statement when dropped, unless it is over.
pub(super) struct Cancel {
    pool: Arc<Pool>,
    running: Arc<Running>,
}

impl Drop for Cancel {
    fn drop(&mut self) {
        if *lock(&self.running.over) {
            return;
        }
        self.running.cancelled.store(true, Ordering::Release);
        let (pool, running) = (Arc::clone(&self.pool), Arc::clone(&self.running));
        // A thread of its own: the runtime may be on its way out, and waits for the statement.
        let killer =
            thread::Builder::new().name("recount-kill".to_owned()).spawn(move || pool.kill(&running));
        if let Err(error) = killer {
            tracing::warn!(%error, "a statement that nobody waits for could not be stopped");
        }
    }
}

fn comment(number: u64) -> String {
    format!("recount-{number}")
}

fn quoted(quote: char, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        if c == quote || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(quote);
    out
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
