//! Expiry: whole weeks are dropped when the last of their rows is due. What a legal hold is on, and what
//! belongs to a case that nobody has settled, is moved on first.
use std::time::Duration;

use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::held::held;

/// How long a statement of the job may take.
const STATEMENT_LIMIT: Duration = Duration::from_secs(3600);
/// What is held or belongs to open cases lives so much longer, and is looked at again then.
const MOVED_DAYS: u16 = 35;
/// Weeks in which every row is due. `p + 7` is the first day on which no row of the week may be missed.
const DUE: &str = "SELECT table, partition, sum(rows) AS rows \
     FROM system.parts \
     WHERE active AND database = currentDatabase() \
       AND table IN (SELECT name FROM system.tables \
                     WHERE database = currentDatabase() AND partition_key = 'toMonday(expires)') \
       AND partition != 'tuple()' AND toDateOrZero(partition) > toDate(0) \
       AND toDateOrZero(partition) + 7 <= toDate({today:UInt16}) \
     GROUP BY table, partition ORDER BY partition, table";
const OPEN: &str = "FROM cases FINAL WHERE is_deleted = 0 AND state != 'resolved'";

/// A week of one table that is over.
#[derive(Debug, Clone, PartialEq, Eq, Row, Deserialize)]
struct Due {
    table: String,
    /// The Monday of the week, as `2026-11-23`.
    partition: String,
    rows: u64,
}

/// What was dropped of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expired {
    /// The table.
    pub table: String,
    /// The Monday of the week in which its rows were due.
    pub week: String,
    /// Rows, copies that had not merged yet included.
    pub rows: u64,
    /// Of these: moved on, since they are held or belong to open cases.
    pub moved: u64,
}

impl Store {
    /// Drops the weeks that are over at this time. Repeating it, also after a part of it, is harmless.
    ///
    /// # Errors
    /// As for any statement. What was dropped before stays dropped; the rest is dropped next time.
    pub async fn expire(&self, now_ns: u64) -> Result<Vec<Expired>, StoreError> {
        let today = u16::try_from(now_ns / 86_400_000_000_000).unwrap_or(u16::MAX);
        let due: Vec<Due> = self.read_all_projects(DUE).bind("today", today).all().await?;
        let mut expired = Vec::new();
        // Everything is moved before anything is dropped: what a move looks up must still be there.
        for Due { table, partition, rows } in due {
            let moved = self.move_on(&table, &partition, today.saturating_add(MOVED_DAYS)).await?;
            expired.push(Expired { table, week: partition, rows, moved });
        }
        for Expired { table, week, .. } in &expired {
            self.change(&format!("ALTER TABLE `{table}` DROP PARTITION '{}'", date(week)?)).await?;
        }
        Ok(expired)
    }

    /// Copies what is held, and the rows of open cases, into a later week. Rows of tables that a view fills
    /// follow their steps.
    async fn move_on(&self, table: &str, week: &str, until: u16) -> Result<u64, StoreError> {
        let plain = table.strip_suffix("_local").unwrap_or(table);
        let reasons: Vec<String> = [open(plain), held(plain)].into_iter().flatten().collect();
        if reasons.is_empty() {
            return Ok(0);
        }
        let belongs = reasons.join(" OR ");
        let week = date(week)?;
        let of_week = format!("FROM `{table}` WHERE toMonday(expires) = toDate('{week}') AND ({belongs})");
        let moved: u64 = self.read_all_projects(&format!("SELECT count() {of_week}")).one().await?;
        if moved > 0 {
            // In a query of its own, or the week would be that of the new day.
            let select = format!("SELECT * REPLACE (toDate({until}) AS expires) FROM (SELECT * {of_week})");
            self.change(&format!("INSERT INTO `{table}` {select}")).await?;
        }
        Ok(moved)
    }

    async fn change(&self, statement: &str) -> Result<(), StoreError> {
        let query = self.client.query_raw(statement).with_setting("async_insert", "0");
        self.within(STATEMENT_LIMIT, query.execute()).await
    }
}

/// The condition under which a row of this table belongs to an open case.
fn open(table: &str) -> Option<String> {
    Some(match table {
        "steps" | "contents" | "leaves" => {
            format!("(project, trace_id) IN (SELECT project, arrayJoin(traces) {OPEN})")
        }
        "runs" | "entity_runs" => {
            format!("(project, run_id) IN (SELECT project, arrayJoin(run_ids) {OPEN})")
        }
        "actions" => format!(
            "(project, key) IN (SELECT project, key {OPEN} AND key != '') \
             OR (project, owner) IN (SELECT project, arrayJoin(run_ids) {OPEN})"
        ),
        "cases" => "(is_deleted = 0 AND state != 'resolved')".to_owned(),
        "case_events" => format!("(project, case_id) IN (SELECT project, case_id {OPEN})"),
        _ => return None,
    })
}

/// The date, if it is one: it comes back into a statement.
fn date(text: &str) -> Result<&str, StoreError> {
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if plain { Ok(text) } else { Err(StoreError::Unreadable { reason: "a partition is no week".to_owned() }) }
}
