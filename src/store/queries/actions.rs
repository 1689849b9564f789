//! Actions: what was intended under each key, and what became of it.
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
    /// On this entity, `type:id`.
    pub entity: Option<String>,
    /// First submitted before this time, nanoseconds since 1970.
    pub started_before_ns: Option<u64>,
}

/// Actions as of now (deadlines that have passed count), the latest changed first.
///
/// # Errors
/// As for any read.
pub async fn actions(
    store: &Store,
    scope: &Scope,
    filter: &ActionFilter,
    rows_max: u16,
    now_ns: u64,
) -> Result<Vec<Action>, StoreError> {
    let read = store
        .read(scope, &RunFilter::sql(&select(SQL, SHOWN)))
        .bind("keys", &filter.keys)
        .bind("outcome", filter.outcome.map(Outcome::word).unwrap_or_default())
        .bind("tool", filter.tool.as_deref().unwrap_or_default())
        .bind("entity", filter.entity.as_deref().unwrap_or_default())
        .bind("started_before_ns", filter.started_before_ns.unwrap_or_default())
        .bind("now_ns", now_ns)
        .bind("rows_max", rows_max);
    let mut actions = rows(read, SHOWN, blank).await?;
    actions.iter_mut().for_each(|action| action.pass(now_ns));
    Ok(actions)
}
