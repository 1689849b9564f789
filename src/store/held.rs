//! What legal holds keep: for each table, which of its rows.

/// The holds in force. A condition may follow.
const HOLDS: &str = "FROM (SELECT project, kind, names, lifted FROM holds \
     ORDER BY hold_id, at_ns DESC LIMIT 1 BY hold_id) WHERE NOT lifted";

/// The condition under which a row of this table is held; `None` for a table that holds keep nothing of.
/// Tables that a view fills follow their steps.
pub(in crate::store) fn held(table: &str) -> Option<String> {
    let projects = format!("SELECT project {HOLDS} AND kind = 'project'");
    let entities = format!("SELECT project, arrayJoin(names) {HOLDS} AND kind = 'entity'");
    let named = format!("SELECT project, arrayJoin(names) AS run_id {HOLDS} AND kind = 'run'");
    let runs = format!(
        "SELECT project, run_id FROM entity_runs WHERE (project, entity) IN ({entities}) UNION ALL {named}"
    );
    let traces = format!(
        "SELECT project, trace_id FROM mentions WHERE (project, entity) IN ({entities}) \
         UNION ALL SELECT project, trace_id FROM run_traces WHERE (project, run_id) IN ({named}) \
         UNION ALL SELECT project, arrayJoin(traces) FROM runs WHERE (project, run_id) GLOBAL IN ({runs})"
    );
    // Another project's run of the same id keeps a row longer than it must be: never shorter.
    let of_runs = format!("hasAny(run_ids, (SELECT groupUniqArray(run_id) FROM ({runs})))");
    let more = match table {
        "steps" | "contents" | "leaves" => format!("(project, trace_id) GLOBAL IN ({traces})"),
        "runs" | "entity_runs" => format!("(project, run_id) GLOBAL IN ({runs})"),
        "actions" => format!("{of_runs} OR (project, owner) GLOBAL IN ({runs})"),
        "cases" => of_runs,
        "case_events" => {
            format!("(project, case_id) GLOBAL IN (SELECT project, case_id FROM cases WHERE {of_runs})")
        }
        "activity" => format!(
            "(project, run_id) IN ({named}) OR hasAny(entities, \
             (SELECT groupUniqArray(name) FROM \
              (SELECT arrayJoin(names) AS name {HOLDS} AND kind = 'entity')))"
        ),
        "rejects" => "false".to_owned(),
        _ => return None,
    };
    Some(format!("project IN ({projects}) OR {more}"))
}
