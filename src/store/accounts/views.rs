//! Saved views of lists: a name for the state of a list, kept by whom it belongs to.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::cell::Cell;
use crate::store::rows::writer::Writer;

const SQL: &str = include_str!("views.sql");
const COLUMNS: [&str; 10] =
    ["project", "view_id", "at_ns", "name", "page", "query", "owner", "shared", "removed", "changed_by"];

/// A saved view.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct SavedView {
    /// Its id.
    pub view_id: String,
    /// When it was changed last, nanoseconds since 1970.
    pub at_ns: u64,
    /// Its name.
    pub name: String,
    /// The list it is of: `runs`, `unknowns` or `findings`.
    pub page: String,
    /// The state of the list, as it stands in its address, without a question mark.
    pub query: String,
    /// Whom it belongs to.
    pub owner: String,
    /// Whether everybody in the project is shown it.
    pub shared: bool,
}

/// The views of somebody in a project, by name. Whoever is limited to some entities sees only their own: what
/// others looked for may name what they must not see.
///
/// # Errors
/// As for any read.
pub async fn saved_views(store: &Store, scope: &Scope, owner: &str) -> Result<Vec<SavedView>, StoreError> {
    // Not `Store::read`: views are of no entity, and are limited by whom they belong to.
    let read = store.read_all_projects(SQL).bind("project", scope.project.0.as_str());
    read.bind("owner", owner).bind("limited", u8::from(scope.is_limited())).all().await
}

/// Keeps a view as it is now, or that it was removed.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_view(
    store: &Store,
    scope: &Scope,
    view: &SavedView,
    (removed, by): (bool, &str),
) -> Result<(), StoreError> {
    let mut out = Writer::default();
    scope.project.write(&mut out);
    out.text(&view.view_id);
    out.u64(view.at_ns);
    out.text(&view.name);
    out.text(&view.page);
    out.text(&view.query);
    out.text(&view.owner);
    view.shared.write(&mut out);
    removed.write(&mut out);
    out.text(by);
    let token = format!("views {} {} {}", scope.project.0, view.view_id, view.at_ns);
    store.insert_rows("views", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}
