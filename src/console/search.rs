//! What a search found as a table: one line a text.
use crate::console::answer::{Object, goes_on};
use crate::console::table::Table;

/// The lines.
pub(in crate::console) fn lines(answer: Object<'_>) -> Vec<String> {
    let mut table = Table::new(&["RUN", "STEP", "ATTEMPT", "SPAN", "IN", "WHAT", "TEXT"]);
    for hit in answer.list("hits") {
        let text: String =
            hit.list("fragment").map(|piece| piece.known("text").unwrap_or_default()).collect();
        let step = |name: &str| hit.object("step").map_or_else(|| "-".to_owned(), |step| step.cell(name));
        table.row([
            hit.whole("run_id"),
            step("number"),
            step("attempt"),
            step("span_id"),
            hit.cell("in"),
            hit.cell("label"),
            text.split_whitespace().collect::<Vec<_>>().join(" "),
        ]);
    }
    let mut lines = table.lines();
    if lines.len() == 1 {
        lines = fitting(answer);
    }
    if lines.len() == 1 {
        return vec!["nothing found".to_owned()];
    }
    for run in answer.list("runs").filter(|run| run.count("more") > 0) {
        let (more, id) = (run.count("more"), run.whole("run_id"));
        lines.push(format!("{more} more in {id}: add run:{id}"));
    }
    lines.extend(goes_on(answer));
    lines
}

/// The runs, where only conditions were asked for.
fn fitting(answer: Object<'_>) -> Vec<String> {
    let mut table = Table::new(&["RUN", "STARTED", "NAME", "AGENT", "OUTCOME"]);
    for run in answer.list("runs") {
        table.row([
            run.whole("run_id"),
            run.moment("started_at"),
            run.cell("name"),
            run.cell("agent"),
            run.cell("outcome"),
        ]);
    }
    table.lines()
}
