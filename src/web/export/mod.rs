//! Rows as CSV, JSON lines or Parquet: streamed to the end, or failing in sight.
pub(in crate::web) mod csv;
pub(in crate::web) mod format;
pub(in crate::web) mod list;
pub(in crate::web) mod parquet;
pub(in crate::web) mod sheet;
pub(in crate::web) mod written;
