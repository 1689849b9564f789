//! Erasing for good: what an erasure names goes from the tables, and the files that held it from the
//! disk.
use std::time::Duration;

use clickhouse::Row;
use serde::Deserialize;

use crate::domain::erasure::Erasure;
use crate::store::client::Store;
use crate::store::error::StoreError;

/// How long rewriting one table may take.
const STATEMENT_LIMIT: Duration = Duration::from_secs(3600);
/// Between two looks for files that are still there.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The tables that hold contents.
const TABLES: [&str; 5] = ["contents", "steps", "runs", "actions", "cases"];
/// While an erasure is under way: files go as soon as nothing needs them, and what replaces them is on
/// the disk before that.
const HASTE: &str = "old_parts_lifetime = 1, cleanup_delay_period = 1, cleanup_delay_period_random_add = 0, \
     max_cleanup_delay_period = 1, min_rows_to_fsync_after_merge = 1";
const HASTE_NAMES: &str = "old_parts_lifetime, cleanup_delay_period, cleanup_delay_period_random_add, \
     max_cleanup_delay_period, min_rows_to_fsync_after_merge";

/// What stays of a record: who, what, when, which outcome, what it is linked to. Everything that is,
/// quotes or describes what was said goes, and with it the salt of its leaf.
const STEPS: &str = "value = '', status_message = '', \
     parameters = arrayFilter(one -> one.2 IN ('bool', 'int', 'double'), parameters), \
     error = arrayMap(one -> (one.1, ''), error), \
     findings = arrayMap(one -> (one.1, if(one.1 = 'reads-sampled', one.2, '')), findings), \
     links = arrayMap(one -> (one.1, one.2, \
         arrayFilter(pair -> pair.1 = 'recount.link.same_run', one.3)), links), \
     output = arrayMap(one -> (one.1, one.2, one.3, one.4, ''), output), \
     arguments = arrayMap(one -> (one.1, one.2, one.3, one.4, ''), arguments), \
     result = arrayMap(one -> (one.1, one.2, one.3, one.4, ''), result), \
     proposed = arrayMap(call -> (call.1, call.2, \
         arrayMap(one -> (one.1, one.2, one.3, one.4, ''), call.3), call.4, call.5), proposed), \
     attributes = arrayFilter(pair -> startsWith(pair.1, 'recount.kept.'), attributes), \
     events = [], resource = [], scope_attributes = [], leaf_salt = toFixedString('', 16)";
const RUNS: &str = "verdict = '', findings = \
     arrayMap(one -> (one.1, '', one.3, one.4, one.5, one.6, one.7, one.8), findings)";
const ACTIONS: &str = "value = '', uses = arrayMap(one -> (one.1, one.2, one.3, one.4, one.5, one.6, \
     one.7, one.8, one.9, one.10, one.11, ''), uses)";
const CASES: &str = "value = '', amount = 0, currency = ''";

/// What an erasure has not taken yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Row, Deserialize)]
pub struct Left {
    /// Bodies.
    pub bodies: u64,
    /// Records that still hold some of their contents.
    pub records: u64,
}

impl Store {
    /// Rewrites every table that holds something of it. Lists have to be folded again after it. Doing it
    /// again is harmless.
    ///
    /// # Errors
    /// As for any statement; what was rewritten before stays so.
    pub async fn erase(&self, erasure: &Erasure) -> Result<(), StoreError> {
        let id = plain(&erasure.id)?;
        let of = |what: &str| format!("FROM erased WHERE erasure_id = '{id}' AND what = '{what}'");
        let bodies = of("body");
        let records = of("record");
        let touched = |column: &str| {
            format!(
                "project IN (SELECT project {records}) \
                 AND hasAny({column}, (SELECT groupUniqArray(trace_id) {records}))"
            )
        };
        for table in TABLES {
            let place = self.place(table);
            self.alter(&format!("ALTER TABLE {place} MODIFY SETTING {HASTE}"), false).await?;
        }
        let changes = [
            (
                "contents",
                format!(
                    "DELETE WHERE (project, trace_id, digest) IN (SELECT project, trace_id, id {bodies})"
                ),
            ),
            (
                "steps",
                format!(
                    "UPDATE {STEPS} WHERE (project, trace_id, record_id) IN \
                     (SELECT project, trace_id, id {records})"
                ),
            ),
            ("runs", format!("UPDATE {RUNS} WHERE {}", touched("traces"))),
            ("actions", format!("UPDATE {ACTIONS} WHERE {}", touched("spans.trace_id"))),
            ("cases", format!("UPDATE {CASES} WHERE {}", touched("traces"))),
        ];
        for (table, change) in changes {
            self.alter(&format!("ALTER TABLE {} {change}", self.place(table)), true).await?;
        }
        Ok(())
    }

    /// What is still there of it.
    ///
    /// # Errors
    /// As for any read.
    pub async fn left_of(&self, erasure: &Erasure) -> Result<Left, StoreError> {
        let id = plain(&erasure.id)?;
        let of = |what: &str| {
            format!(
                "(SELECT project, trace_id, id FROM erased WHERE erasure_id = '{id}' AND what = '{what}')"
            )
        };
        let sql = format!(
            "SELECT assumeNotNull((SELECT count() FROM contents \
              WHERE (project, trace_id, digest) IN {})) AS bodies, \
             assumeNotNull((SELECT count() FROM steps WHERE (project, trace_id, record_id) IN {} \
              AND (notEmpty(events) OR notEmpty(resource) OR status_message != '' OR value != '' \
                   OR leaf_salt != toFixedString('', 16)))) AS records",
            of("body"),
            of("record")
        );
        self.read_all_projects(&sql).limit(STATEMENT_LIMIT).one().await
    }

    /// The store's own clock, seconds since 1970.
    ///
    /// # Errors
    /// As for any read.
    pub async fn clock_s(&self) -> Result<u64, StoreError> {
        self.read_all_projects("SELECT toUInt64(toUnixTimestamp(now()))").one().await
    }

    /// Waits until the files that were replaced until then are gone; `false` when some are still there after
    /// so long.
    ///
    /// # Errors
    /// As for any read.
    pub async fn old_files_gone(&self, replaced_until_s: u64, within: Duration) -> Result<bool, StoreError> {
        let names: Vec<String> = TABLES.iter().map(|table| self.local(table)).collect();
        for table in TABLES {
            // After a start, files that were replaced before it are not known at once.
            let known = self.alter(&format!("SYSTEM WAIT LOADING PARTS {}", self.placed(table)), false).await;
            if let Err(error) = known {
                tracing::debug!(%error, "the store does not say whether it knows all of its files");
            }
        }
        let parts = match self.cluster() {
            Some(cluster) => format!("clusterAllReplicas('{}', system.parts)", cluster.name),
            None => "system.parts".to_owned(),
        };
        let sql = format!(
            "SELECT count() FROM {parts} WHERE NOT active AND database = {{database:String}} \
             AND table IN {{tables:Array(String)}} AND toUnixTimestamp(remove_time) <= {{until:UInt64}}"
        );
        let begun = tokio::time::Instant::now();
        loop {
            self.look_for_old_files().await;
            let read = self.read_all_projects(&sql).bind("database", self.database());
            let read = read.bind("tables", &names).bind("until", replaced_until_s);
            if read.one::<u64>().await? == 0 {
                return Ok(true);
            }
            if begun.elapsed() >= within {
                return Ok(false);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// A table with nothing to do looks less and less often for files to remove, in the end every ten
    /// minutes. To be told that merges may go on, which they may anyway, wakes it.
    async fn look_for_old_files(&self) {
        for table in TABLES {
            let wake = format!("SYSTEM START TTL MERGES {}", self.placed(table));
            let woken = self.alter(&wake, false).await;
            if let Err(error) = woken {
                tracing::debug!(%error, "the store looks for old files in its own time");
            }
        }
    }

    /// Once no files have to go: the tables are as they were set before the first erasure.
    ///
    /// # Errors
    /// As for any statement.
    pub async fn end_haste(&self) -> Result<(), StoreError> {
        for table in TABLES {
            let place = self.place(table);
            self.alter(&format!("ALTER TABLE {place} RESET SETTING {HASTE_NAMES}"), false).await?;
        }
        Ok(())
    }

    fn local(&self, table: &str) -> String {
        if self.cluster().is_some() { format!("{table}_local") } else { table.to_owned() }
    }

    /// As `place`, for statements that name the cluster before the table.
    fn placed(&self, table: &str) -> String {
        match self.cluster() {
            Some(cluster) => format!("ON CLUSTER '{}' {}", cluster.name, self.local(table)),
            None => table.to_owned(),
        }
    }

    /// Where the rows of a table are, on every node.
    fn place(&self, table: &str) -> String {
        match self.cluster() {
            Some(cluster) => format!("{} ON CLUSTER '{}'", self.local(table), cluster.name),
            None => table.to_owned(),
        }
    }

    async fn alter(&self, statement: &str, rewrites: bool) -> Result<(), StoreError> {
        let mut query = self.client.query_raw(statement);
        if rewrites {
            // Done when it is done, on every replica.
            query = query
                .with_setting("mutations_sync", "2")
                .with_setting("allow_nondeterministic_mutations", "1");
        }
        self.within(STATEMENT_LIMIT, query.execute()).await
    }
}

/// An id, if it is one of ours: it comes into a statement.
fn plain(id: &str) -> Result<&str, StoreError> {
    let is_ours = !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_ours {
        Ok(id)
    } else {
        Err(StoreError::Unreadable { reason: "the id of an erasure is none".to_owned() })
    }
}
