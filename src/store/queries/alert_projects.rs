//! Which projects rules of alerts are judged for.
use crate::domain::ids::Project;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("alert_projects.sql");

/// The projects with runs, refusals or alerts.
///
/// # Errors
/// As for any read.
pub async fn alert_projects(store: &Store) -> Result<Vec<Project>, StoreError> {
    let found: Vec<String> = store.read_all_projects(SQL).all().await?;
    Ok(found.into_iter().map(Project).collect())
}
