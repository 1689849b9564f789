//! What the application writes down before it acts, and the gate that reads it: SQLite, synced.
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::demo::conversation::Conversation;
use crate::demo::error::DemoError;

const TABLES: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS runs (
    run TEXT PRIMARY KEY, epoch INTEGER NOT NULL, worker TEXT NOT NULL, conversation TEXT
);
CREATE TABLE IF NOT EXISTS intents (
    key TEXT PRIMARY KEY, run TEXT NOT NULL, step TEXT NOT NULL, call TEXT NOT NULL,
    state TEXT NOT NULL, attempts INTEGER NOT NULL, epoch INTEGER NOT NULL,
    expires_ns INTEGER NOT NULL, result TEXT
);
";

/// The store of intents.
#[derive(Debug)]
pub(in crate::demo) struct Intents(Mutex<Connection>);

/// An act that somebody is about to do.
#[derive(Debug)]
pub(super) struct Intent<'a> {
    /// Run, step, tool and target: the same whatever words the model used.
    pub(super) key: &'a str,
    /// The run.
    pub(super) run: &'a str,
    /// The step of the plan.
    pub(super) step: &'a str,
    /// The call, as JSON.
    pub(super) call: &'a str,
    /// The writer's epoch.
    pub(super) epoch: u64,
    /// Until when the provider will keep the key, nanoseconds since 1970.
    pub(super) expires_ns: u64,
}

/// What the gate decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// Nobody did it: go ahead. The intent is on disk.
    New,
    /// It was done, with this result.
    Duplicate(String),
    /// Somebody tried, and nobody knows what came of it.
    Unknown,
    /// Another worker owns the run.
    Stale,
}

/// A decision with the number of this attempt and until when the key is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) decision: Decision,
    pub(super) attempt: i64,
    pub(super) expires_ns: u64,
}

impl Intents {
    /// Opens or makes the store.
    pub(in crate::demo) fn open(path: &Path) -> Result<Self, DemoError> {
        let connection = Connection::open(path)?;
        connection.execute_batch(TABLES)?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Takes a run over: the epoch of the new owner.
    pub(super) fn take(&self, run: &str, worker: &str) -> Result<u64, DemoError> {
        let epoch: i64 = self.lock().query_row(
            "INSERT INTO runs (run, epoch, worker) VALUES (?1, 1, ?2)
             ON CONFLICT (run) DO UPDATE SET epoch = epoch + 1, worker = ?2 RETURNING epoch",
            params![run, worker],
            |row| row.get(0),
        )?;
        Ok(epoch.unsigned_abs())
    }

    /// Asks the gate, and writes the intent down if it may go ahead: both or neither.
    pub(super) fn begin(&self, intent: &Intent<'_>) -> Result<Passage, DemoError> {
        let mut connection = self.lock();
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let owner: i64 =
            change.query_row("SELECT epoch FROM runs WHERE run = ?1", [intent.run], |row| row.get(0))?;
        let known = change
            .query_row(
                "SELECT state, attempts, expires_ns, result FROM intents WHERE key = ?1",
                [intent.key],
                |row| {
                    let (state, attempts): (String, i64) = (row.get(0)?, row.get(1)?);
                    Ok((state, attempts, row.get::<_, i64>(2)?, row.get::<_, Option<String>>(3)?))
                },
            )
            .optional()?;
        let (decision, attempt, expires_ns) = match known {
            _ if owner.unsigned_abs() != intent.epoch => (Decision::Stale, 1, intent.expires_ns),
            None => (Decision::New, 1, intent.expires_ns),
            Some((state, attempts, expires, result)) => {
                let decision = match state.as_str() {
                    "confirmed" => Decision::Duplicate(result.unwrap_or_default()),
                    "failed" => Decision::New,
                    _ => Decision::Unknown,
                };
                (decision, attempts + 1, expires.unsigned_abs())
            }
        };
        let epoch = i64::try_from(intent.epoch).unwrap_or(i64::MAX);
        let expires = i64::try_from(expires_ns).unwrap_or(i64::MAX);
        match decision {
            Decision::New => {
                change.execute(
                    "INSERT INTO intents (key, run, step, call, state, attempts, epoch, expires_ns)
                     VALUES (?1, ?2, ?3, ?4, 'submitted', ?5, ?6, ?7)
                     ON CONFLICT (key) DO UPDATE SET state = 'submitted', attempts = ?5, epoch = ?6",
                    params![intent.key, intent.run, intent.step, intent.call, attempt, epoch, expires],
                )?;
            }
            Decision::Duplicate(_) | Decision::Unknown => {
                change.execute(
                    "UPDATE intents SET attempts = ?2 WHERE key = ?1",
                    params![intent.key, attempt],
                )?;
            }
            Decision::Stale => {}
        }
        change.commit()?;
        Ok(Passage { decision, attempt, expires_ns })
    }

    /// Writes down what became of an intent: `confirmed`, `failed` or `unknown`.
    pub(super) fn settle(&self, key: &str, state: &str, result: Option<&str>) -> Result<(), DemoError> {
        self.lock().execute(
            "UPDATE intents SET state = ?2, result = ?3 WHERE key = ?1",
            params![key, state, result],
        )?;
        Ok(())
    }

    /// Intents of a run whose outcome nobody knows: step and call.
    pub(super) fn open_intents(&self, run: &str) -> Result<Vec<(String, String)>, DemoError> {
        let connection = self.lock();
        let mut rows = connection
            .prepare("SELECT step, call FROM intents WHERE run = ?1 AND state IN ('submitted', 'unknown')")?;
        let rows = rows.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps the conversation, so that another worker can go on with it.
    pub(super) fn save(&self, run: &str, conversation: &Conversation) -> Result<(), DemoError> {
        let text = serde_json::to_string(conversation)?;
        self.lock().execute("UPDATE runs SET conversation = ?2 WHERE run = ?1", params![run, text])?;
        Ok(())
    }

    /// The conversation as last kept.
    pub(super) fn load(&self, run: &str) -> Result<Option<Conversation>, DemoError> {
        let text: Option<String> =
            self.lock().query_row("SELECT conversation FROM runs WHERE run = ?1", [run], |row| row.get(0))?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(epoch: u64) -> Intent<'static> {
        Intent { key: "k", run: "r", step: "st-2", call: "{}", epoch, expires_ns: 100 }
    }

    fn decided(intents: &Intents, epoch: u64) -> (Decision, i64) {
        let passage = intents.begin(&intent(epoch)).unwrap();
        (passage.decision, passage.attempt)
    }

    #[test]
    fn the_gate_lets_an_act_pass_once() {
        let folder = tempfile::tempdir().unwrap();
        let intents = Intents::open(&folder.path().join("intents.db")).unwrap();
        assert_eq!(intents.take("r", "a").unwrap(), 1);
        assert_eq!(decided(&intents, 1), (Decision::New, 1));
        assert_eq!(decided(&intents, 1), (Decision::Unknown, 2));
        intents.settle("k", "failed", None).unwrap();
        assert_eq!(decided(&intents, 1), (Decision::New, 3));
        intents.settle("k", "confirmed", Some("re_1")).unwrap();
        assert_eq!(decided(&intents, 1), (Decision::Duplicate("re_1".to_owned()), 4));
        assert_eq!(intents.take("r", "b").unwrap(), 2);
        assert_eq!(decided(&intents, 1).0, Decision::Stale);
    }
}
