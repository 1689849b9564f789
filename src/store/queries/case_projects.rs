//! Whose queues there are.
use crate::domain::ids::Project;
use crate::store::client::Store;
use crate::store::error::StoreError;

const SQL: &str = include_str!("case_projects.sql");

/// The projects that have cases.
///
/// # Errors
/// As for any read.
pub async fn case_projects(store: &Store) -> Result<Vec<Project>, StoreError> {
    let found: Vec<String> = store.read_all_projects(SQL).all().await?;
    Ok(found.into_iter().map(Project).collect())
}
