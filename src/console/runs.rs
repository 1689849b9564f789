//! A list of runs as a table.
use crate::console::answer::{Object, goes_on};
use crate::console::table::Table;

/// The lines.
pub(in crate::console) fn lines(answer: Object<'_>) -> Vec<String> {
    let headings =
        ["RUN", "STARTED", "TOOK", "AGENT", "STATE", "OUTCOME", "STEPS", "RETRIES", "UNKNOWN", "FINDINGS"];
    let mut table = Table::new(&headings);
    for run in answer.list("runs") {
        table.row([
            run.whole("run_id"),
            run.moment("started_at"),
            run.took("duration_ms"),
            run.cell("agent"),
            run.cell("state"),
            run.cell("outcome"),
            run.cell("step_count"),
            run.cell("retry_count"),
            run.cell("unknown_count"),
            run.texts("finding_codes"),
        ]);
    }
    let mut lines = table.lines();
    if lines.len() == 1 {
        return vec!["no runs".to_owned()];
    }
    lines.extend(goes_on(answer));
    lines
}
