//! What agents did on an entity, as text: what the answer covers, and each step of it.
use crate::console::answer::{Object, goes_on};
use crate::console::table::Table;
use crate::domain::counting::counted;

/// The lines.
pub(in crate::console) fn lines(answer: Object<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(entity) = answer.object("entity") {
        lines.push(format!("{} {}", entity.whole("type"), entity.whole("id")));
    }
    if let Some(coverage) = answer.object("coverage") {
        lines.push(format!(
            "{} in {}: {} confirmed, {} failed, {} unknown, {} submitted; {} held, {}",
            counted(coverage.count("acts"), "act", "acts"),
            counted(coverage.count("runs"), "run", "runs"),
            coverage.count("confirmed"),
            coverage.count("failed"),
            coverage.count("unknown"),
            coverage.count("submitted"),
            coverage.count("held"),
            counted(coverage.count("reads"), "read", "reads")
        ));
        for name in ["completeness", "integrity"] {
            if let Some(verdict) = coverage.object(name) {
                lines.push(format!("{name}: {}. {}", verdict.whole("verdict"), verdict.whole("reason")));
            }
        }
    }
    lines.push(String::new());
    let mut table = Table::new(&["AT", "KIND", "OUTCOME", "EVIDENCE", "ATTEMPTS", "RUN", "STEP", "WHAT"]);
    for step in answer.list("steps") {
        table.row([
            step.moment("at"),
            step.cell("kind"),
            step.cell("outcome"),
            step.cell("evidence"),
            step.cell("attempts"),
            step.whole("run_id"),
            step.cell("step_number"),
            step.whole("sentence"),
        ]);
    }
    let rows = table.lines();
    if rows.len() == 1 {
        lines.push("nothing in this time".to_owned());
    } else {
        lines.extend(rows);
    }
    lines.extend(goes_on(answer));
    lines
}
