//! Actions: what was intended under each key, and what became of it.
use std::fmt;

use data_encoding::BASE64URL_NOPAD;

use crate::domain::action::Action;
use crate::domain::outcome::Outcome;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::actions::{SHOWN, blank};
use crate::store::rows::answer::{rows, select};
use crate::store::run_filter::RunFilter;

const SQL: &str = include_str!("actions.sql");

/// Which actions. The default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionFilter {
    /// One of these keys; any when empty.
    pub keys: Vec<String>,
    /// With this outcome as of now.
    pub outcome: Option<Outcome>,
    /// By this tool.
    pub tool: Option<String>,
    /// On one of these entities, `type:id`; any when empty.
    pub entities: Vec<String>,
    /// First submitted before this time, nanoseconds since 1970.
    pub started_before_ns: Option<u64>,
}

/// A place in the list of actions: that of the last one seen, and the time as of which it was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionCursor {
    now_ns: u64,
    changed_ns: u64,
    key: String,
    tool: String,
}

impl ActionCursor {
    /// Reads what [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (now_ns, rest) = bytes.split_first_chunk()?;
        let (changed_ns, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (tool, key) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        Some(Self {
            now_ns: u64::from_be_bytes(*now_ns),
            changed_ns: u64::from_be_bytes(*changed_ns),
            key: String::from_utf8(key.to_vec()).ok()?,
            tool: String::from_utf8(tool.to_vec()).ok()?,
        })
    }
}

/// Opaque, fit for a URL.
impl fmt::Display for ActionCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [self.now_ns.to_be_bytes(), self.changed_ns.to_be_bytes()].concat();
        bytes.extend(u32::try_from(self.tool.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(self.tool.bytes());
        bytes.extend(self.key.bytes());
        f.write_str(&BASE64URL_NOPAD.encode(&bytes))
    }
}

/// One page of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionPage {
    /// As of now (deadlines that have passed count), the latest changed first.
    pub actions: Vec<Action>,
    /// Where the next page begins; `None` on the last.
    pub next: Option<ActionCursor>,
}

/// Actions, the latest changed first, after a place in the list. A cursor goes on as of the time of its first
/// page.
///
/// # Errors
/// As for any read.
pub async fn actions(
    store: &Store,
    scope: &Scope,
    filter: &ActionFilter,
    (after, rows_max): (Option<&ActionCursor>, u16),
    now_ns: u64,
) -> Result<ActionPage, StoreError> {
    let now_ns = after.map_or(now_ns, |cursor| cursor.now_ns);
    let read = store
        .read(scope, &RunFilter::default().sql(&select(SQL, SHOWN)))
        .bind("keys", &filter.keys)
        .bind("outcome", filter.outcome.map(Outcome::word).unwrap_or_default())
        .bind("tool", filter.tool.as_deref().unwrap_or_default())
        .bind("entities", &filter.entities)
        .bind("started_before_ns", filter.started_before_ns.unwrap_or_default())
        .bind("now_ns", now_ns)
        .bind("after", after.is_some())
        .bind("after_ns", after.map(|cursor| cursor.changed_ns).unwrap_or_default())
        .bind("after_key", after.map(|cursor| cursor.key.as_str()).unwrap_or_default())
        .bind("after_tool", after.map(|cursor| cursor.tool.as_str()).unwrap_or_default())
        .bind("rows_max", u32::from(rows_max) + 1);
    let mut actions = rows(read, SHOWN, blank).await?;
    let more = actions.len() > usize::from(rows_max);
    actions.truncate(usize::from(rows_max));
    actions.iter_mut().for_each(|action| action.pass(now_ns));
    let next = actions.last().filter(|_| more).map(|last| ActionCursor {
        now_ns,
        changed_ns: last.changed_ns,
        key: last.key.clone(),
        tool: last.tool.clone(),
    });
    Ok(ActionPage { actions, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back() {
        let cursor = ActionCursor { now_ns: 9, changed_ns: 7, key: "k/é".to_owned(), tool: "t".to_owned() };
        assert_eq!(ActionCursor::parse(&cursor.to_string()), Some(cursor));
        for text in ["", "AAAA", "é", "AAAAAAAAAAAAAAAAAAAAAAAAAAD_____"] {
            assert_eq!(ActionCursor::parse(text), None, "{text}");
        }
    }
}
