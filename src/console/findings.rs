//! A list of findings as a table.
use crate::console::answer::{Object, goes_on};
use crate::console::table::Table;

/// The lines.
pub(in crate::console) fn lines(answer: Object<'_>) -> Vec<String> {
    let mut table = Table::new(&["SEVERITY", "CODE", "STARTED", "AGENT", "RUN", "STEPS", "MESSAGE"]);
    for finding in answer.list("findings") {
        let numbers = finding.list("steps").map(|step| step.cell("number")).collect::<Vec<_>>();
        table.row([
            finding.cell("severity"),
            finding.cell("code"),
            finding.moment("started_at"),
            finding.cell("agent"),
            finding.whole("run_id"),
            numbers.join(","),
            finding.whole("message"),
        ]);
    }
    let mut lines = table.lines();
    if lines.len() == 1 {
        return vec!["no findings".to_owned()];
    }
    lines.extend(goes_on(answer));
    lines
}
