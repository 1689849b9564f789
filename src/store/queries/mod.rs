//! Questions to the store, each a function beside its statement. Every one takes the scope of whoever asks.
mod actions;
mod contents;
mod key_records;
mod lifecycle;
mod rejects;
mod run_facets;
mod run_histogram;
mod run_line;
mod run_records;
mod runs;
mod span;
mod table_sizes;
mod trace_runs;

pub use actions::{ActionFilter, actions};
pub use contents::{bodies, content_refs};
pub use key_records::key_records;
pub use lifecycle::{lifecycle, record_lifecycle};
pub use rejects::rejects;
pub use run_facets::{FACET_VALUES_MAX, Facet, RunFacets, run_facets};
pub use run_histogram::{Bins, run_histogram};
pub use run_line::run_line;
pub use run_records::{RECORDS_MAX, run_records, trace_records};
pub use runs::{RUNS_MAX, RunPage, runs};
pub use span::span;
pub use table_sizes::{TableSize, table_sizes};
pub use trace_runs::trace_runs;
