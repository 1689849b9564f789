//! Questions to the store, each a function beside its statement. Every one takes the scope of whoever asks.
mod actions;
mod all_traces;
mod case;
mod case_counts;
mod cases;
mod contents;
mod key_actions;
mod key_records;
mod lifecycle;
mod rejects;
mod run_facets;
mod run_histogram;
mod run_line;
mod runs;
mod span;
mod table_sizes;
mod trace_runs;

pub use actions::{ActionFilter, actions};
pub use all_traces::all_traces;
pub use case::case;
pub use case_counts::{CaseCounts, case_counts};
pub use cases::{CASES_MAX, CaseCursor, CaseFilter, CaseOrder, CasePage, cases};
pub use contents::{bodies, content_refs};
pub use key_actions::key_actions;
pub use key_records::{KeyUse, key_records};
pub use lifecycle::{lifecycle, record_lifecycle};
pub use rejects::rejects;
pub use run_facets::{FACET_VALUES_MAX, Facet, RunFacets, run_facets};
pub use run_histogram::{Bins, run_histogram};
pub use run_line::run_line;
pub use runs::{RUNS_MAX, RunPage, runs};
pub use span::span;
pub use table_sizes::{TableSize, table_sizes};
pub use trace_runs::trace_runs;

pub use crate::store::case_events::{Appended, append_case_event, case_events, events_about};
pub use crate::store::records::{RECORDS_MAX, run_records, trace_records};
