//! Emptying the derived tables before they are made again.
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::placeholders::statements;
use crate::store::rows::Table;

impl Store {
    /// Empties the tables of runs, actions and cases: everything in them can be made again from records.
    ///
    /// # Errors
    /// As for any definition; some of it may be gone then, and making it again mends that.
    pub async fn clear_derived(&self) -> Result<(), StoreError> {
        for table in [Table::EntityRuns, Table::Runs, Table::Actions, Table::Cases] {
            let sql = format!("TRUNCATE TABLE IF EXISTS {{sharded:{}}}", table.name());
            let statements = statements(&sql, &self.family()).map_err(StoreError::Settings)?;
            for statement in statements {
                self.define(&statement, true).await?;
            }
        }
        Ok(())
    }
}
