//! How a scope that is limited to some entities limits a statement. A statement says where it can be limited:
//!
//! - `$run_in_scope`: over `runs`, whose `entities` are texts;
//! - `$entities_in_scope`: over a table whose `entities` are tuples of type and id;
//! - `$trace_in_scope`: over a table with a `trace_id`: its trace is of a run in scope, and of none outside.
//!
//! For a whole project each stands for `true` and costs nothing. A statement without any of them finds
//! nothing for a limited viewer: what was forgotten stays closed.
use crate::domain::scope::Scope;

/// As `Scope::allows_all`, in SQL; `$names` are the entities, written `type:id`.
const ALLOWED: &str = "(arrayExists(name -> $matched, $names) AND NOT arrayExists(name -> \
     arrayExists(pattern -> substringIndex(pattern, ':', 1) = substringIndex(name, ':', 1), \
     {limits:Array(String)}) AND NOT $matched, $names))";
/// Whether some pattern fits `name`.
const MATCHED: &str = "arrayExists(pattern -> if(endsWith(pattern, '*'), \
     startsWith(name, substring(pattern, 1, length(pattern) - 1)), name = pattern), {limits:Array(String)})";
const TUPLES: &str = "arrayMap(entity -> concat(entity.kind, ':', entity.id), entities)";
const TRACES: &str = "(\
     trace_id GLOBAL IN (\
     SELECT arrayJoin(traces) FROM runs FINAL WHERE project = {project:String} AND $allowed) \
     AND trace_id GLOBAL NOT IN (\
     SELECT arrayJoin(traces) FROM runs FINAL WHERE project = {project:String} AND NOT $allowed))";
const MARKS: [&str; 3] = ["$run_in_scope", "$entities_in_scope", "$trace_in_scope"];

/// The statement with its conditions.
pub(in crate::store) fn spelt(scope: &Scope, sql: &str) -> String {
    if !scope.is_limited() {
        return MARKS.iter().fold(sql.to_owned(), |sql, mark| sql.replace(mark, "true"));
    }
    let allowed = ALLOWED.replace("$matched", MATCHED);
    let of_runs = allowed.replace("$names", "entities");
    let [run, entities, trace] = MARKS;
    sql.replace(run, &of_runs)
        .replace(entities, &allowed.replace("$names", TUPLES))
        .replace(trace, &TRACES.replace("$allowed", &of_runs))
}

/// What the conditions name: the project, or none where the statement can't be limited; and the limits.
pub(in crate::store) fn bound<'s>(scope: &'s Scope, sql: &str) -> (&'s str, Vec<&'s str>) {
    let limits: Vec<&str> = scope.entities.iter().map(|pattern| pattern.as_str()).collect();
    let fits = !scope.is_limited() || MARKS.iter().any(|mark| sql.contains(mark));
    (if fits { scope.project.0.as_str() } else { "" }, limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::Project;
    use crate::domain::scope::EntityPattern;

    #[test]
    fn a_whole_project_costs_nothing_and_a_limit_is_spelt_out() {
        let whole = Scope::whole(Project::default());
        assert_eq!(spelt(&whole, "a AND $run_in_scope AND $trace_in_scope"), "a AND true AND true");
        let limited = Scope { entities: EntityPattern::parse("account:1").into_iter().collect(), ..whole };
        for mark in MARKS {
            let sql = spelt(&limited, mark);
            assert!(sql.contains("{limits:Array(String)}") && !sql.contains('$'), "{sql}");
        }
    }
}
