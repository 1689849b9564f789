//! Brings the tables to what this version needs: each migration once, in order, forward only.
use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::migrations::{MIGRATIONS, Migration};
use crate::store::placeholders::{Family, statements};

/// How long one statement may take; building an index over old data takes its time.
const STATEMENT_LIMIT: Duration = Duration::from_secs(3600);

/// Why the tables are not what this version needs. Each is one sentence; the process must not go on.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// An applied migration is not the one of this binary.
    #[error(
        "migration {stem} was changed after it had been applied: restore it, and put the change in a new one"
    )]
    Changed {
        /// The file's stem.
        stem: String,
    },
    /// The store has seen a migration that this binary does not have.
    #[error("the store was migrated by a newer recount (this one does not know {stem}): start that version")]
    Newer {
        /// The file's stem.
        stem: String,
    },
    /// A migration was slipped in before one that is applied already.
    #[error("migration {stem} comes before ones that are applied already: give it the next free number")]
    OutOfOrder {
        /// The file's stem.
        stem: String,
    },
    /// A migration's text cannot be used.
    #[error("migration {stem} cannot be used: {reason}")]
    Unusable {
        /// The file's stem.
        stem: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A migration was refused. What comes after it is not applied.
    #[error("migration {stem} failed: {source}{}", message(source))]
    Failed {
        /// The file's stem.
        stem: String,
        /// What the store says.
        source: StoreError,
    },
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A migration that the store remembers.
#[derive(Debug, Clone, PartialEq, Eq, clickhouse::Row, serde::Deserialize)]
struct Applied {
    number: u32,
    name: String,
    checksum: String,
}

impl Store {
    /// Makes the database where it is missing and applies what has not been applied. Returns how many were.
    ///
    /// # Errors
    /// A [`MigrateError`]; nothing may be read or written after it.
    pub async fn migrate(&self) -> Result<usize, MigrateError> {
        let family = self.family();
        self.define(&database(self.database(), &family), false).await?;
        let applied = self.applied().await?;
        let pending = pending(&applied, MIGRATIONS)?;
        for (at, migration) in &pending {
            let failed = |source| MigrateError::Failed { stem: migration.stem.to_owned(), source };
            for statement in unfolded(migration, &family)? {
                self.define(&statement, true).await.map_err(failed)?;
            }
            self.remember(*at, migration).await.map_err(failed)?;
        }
        Ok(pending.len())
    }

    /// The statements that make the tables from nothing, in order: what an operator may read before they are
    /// run.
    ///
    /// # Errors
    /// [`MigrateError::Unusable`].
    pub fn definitions(&self) -> Result<Vec<String>, MigrateError> {
        let family = self.family();
        let mut all = Vec::new();
        for migration in MIGRATIONS {
            all.extend(unfolded(migration, &family)?);
        }
        Ok(all)
    }

    pub(in crate::store) fn family(&self) -> Family {
        match self.cluster() {
            None => Family::Single,
            Some(cluster) => Family::Cluster {
                name: cluster.name.clone(),
                database: self.database().to_owned(),
                on_cluster: cluster.on_cluster,
            },
        }
    }

    async fn applied(&self) -> Result<Vec<Applied>, StoreError> {
        let limit = self.read_timeout();
        let there = "SELECT count() FROM system.tables \
                     WHERE database = {database:String} AND name = 'migrations'";
        let there = self.client.query_raw(there).param("database", self.database());
        if self.within(limit, there.fetch_one::<u64>()).await? == 0 {
            return Ok(Vec::new());
        }
        let sql = "SELECT number, name, checksum FROM migrations FINAL ORDER BY number";
        self.within(limit, self.client.query_raw(sql).fetch_all()).await
    }

    pub(in crate::store) async fn define(
        &self,
        statement: &str,
        in_database: bool,
    ) -> Result<(), StoreError> {
        let client = if in_database { &self.client } else { &self.bare };
        self.within(STATEMENT_LIMIT, client.query_raw(statement).execute()).await
    }

    async fn remember(&self, number: u32, migration: &Migration) -> Result<(), StoreError> {
        let sql = "INSERT INTO migrations (number, name, checksum, applied_by) \
                   SELECT {number:UInt32}, {name:String}, {checksum:String}, {applied_by:String}";
        let query = self
            .client
            .query_raw(sql)
            .param("number", number)
            .param("name", name(migration))
            .param("checksum", checksum(migration))
            .param("applied_by", env!("CARGO_PKG_VERSION"))
            .with_setting("async_insert", "0");
        self.within(self.insert_timeout(), query.execute()).await
    }
}

/// What is left to apply, with its number.
fn pending<'m>(applied: &[Applied], all: &'m [Migration]) -> Result<Vec<(u32, &'m Migration)>, MigrateError> {
    let numbered = || all.iter().map(|migration| (migration.number(), migration));
    for applied in applied {
        let stem = format!("{:04}_{}", applied.number, applied.name);
        match numbered().find(|(number, _)| *number == applied.number) {
            Some((_, known)) if known.stem != stem => return Err(MigrateError::Newer { stem }),
            Some((_, known)) if checksum(known) != applied.checksum => {
                return Err(MigrateError::Changed { stem });
            }
            Some(_) => {}
            None => return Err(MigrateError::Newer { stem }),
        }
    }
    let last = applied.iter().map(|applied| applied.number).max().unwrap_or_default();
    let is_applied = |number| applied.iter().any(|applied| applied.number == number);
    let pending: Vec<_> = numbered().filter(|(number, _)| !is_applied(*number)).collect();
    match pending.iter().find(|(number, _)| *number < last) {
        Some((_, slipped)) => Err(MigrateError::OutOfOrder { stem: slipped.stem.to_owned() }),
        None => Ok(pending),
    }
}

fn unfolded(migration: &Migration, family: &Family) -> Result<Vec<String>, MigrateError> {
    statements(migration.sql, family)
        .map_err(|reason| MigrateError::Unusable { stem: migration.stem.to_owned(), reason })
}

fn database(name: &str, family: &Family) -> String {
    let on_cluster = match family {
        Family::Cluster { name, on_cluster: true, .. } => format!(" ON CLUSTER '{name}'"),
        Family::Cluster { on_cluster: false, .. } | Family::Single => String::new(),
    };
    format!("CREATE DATABASE IF NOT EXISTS `{name}`{on_cluster}")
}

fn name(migration: &Migration) -> &str {
    migration.stem.split_once('_').map_or(migration.stem, |(_, name)| name)
}

fn checksum(migration: &Migration) -> String {
    HEXLOWER.encode(&Sha256::digest(migration.sql.as_bytes()))
}

/// A definition holds no values of anybody, so the store's own words may be shown.
fn message(error: &StoreError) -> String {
    error.answer().map_or_else(String::new, |answer| format!(": {}", answer.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[Migration] = &[
        Migration { stem: "0001_one", sql: "CREATE 1" },
        Migration { stem: "0002_two", sql: "CREATE 2" },
        Migration { stem: "0003_three", sql: "CREATE 3" },
    ];

    fn applied(numbers: &[u32]) -> Vec<Applied> {
        let names = ["one", "two", "three", "four"];
        numbers
            .iter()
            .map(|number| Applied {
                number: *number,
                name: names[*number as usize - 1].to_owned(),
                checksum: ALL.get(*number as usize - 1).map(checksum).unwrap_or_default(),
            })
            .collect()
    }

    #[test]
    fn what_is_left_is_what_was_not_applied() {
        for (numbers, left) in [(&[][..], &[1, 2, 3][..]), (&[1], &[2, 3]), (&[1, 2, 3], &[])] {
            let pending = pending(&applied(numbers), ALL).unwrap();
            assert_eq!(pending.iter().map(|(number, _)| *number).collect::<Vec<_>>(), left);
        }
    }

    #[test]
    fn changed_missing_newer_and_slipped_in_migrations_stop_the_start() {
        let mut changed = applied(&[1, 2]);
        changed[1].checksum = "0".repeat(64);
        let mut renamed = applied(&[1, 2]);
        renamed[1].name = "deux".to_owned();
        for (applied, sentence) in [
            (changed, "migration 0002_two was changed after it had been applied"),
            (applied(&[1, 2, 3, 4]), "does not know 0004_four"),
            (renamed, "does not know 0002_deux"),
            (applied(&[1, 3]), "migration 0002_two comes before ones"),
        ] {
            let error = pending(&applied, ALL).unwrap_err().to_string();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
