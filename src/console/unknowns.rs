//! The queue of unknowns as a table.
use crate::console::answer::{Object, goes_on};
use crate::console::table::Table;

/// The lines.
pub(in crate::console) fn lines(answer: Object<'_>) -> Vec<String> {
    let headings = [
        "CASE", "STATE", "OUTCOME", "SINCE", "TOOL", "TARGET", "VALUE", "KEY ENDS", "REPLAY", "OWNER", "RUN",
        "KEY",
    ];
    let mut table = Table::new(&headings);
    for case in answer.list("cases") {
        let replay = match case.0.get("replay_safe").and_then(serde_json::Value::as_bool) {
            Some(true) => "safe",
            Some(false) => "not safe",
            None => "-",
        };
        table.row([
            case.whole("case_id"),
            case.cell("state"),
            case.cell("outcome"),
            case.moment("opened_at"),
            case.cell("tool"),
            case.cell("target"),
            case.cell("value"),
            case.moment("key_expires_at"),
            replay.to_owned(),
            case.cell("owner"),
            case.whole("run_id"),
            case.cell("key"),
        ]);
    }
    let mut lines = table.lines();
    if lines.len() == 1 {
        return vec!["nothing is unknown".to_owned()];
    }
    lines.extend(goes_on(answer));
    lines
}
