-- The traces of some runs, given by their ids or by traces, with every trace that is one step of links away.
WITH known AS (
    SELECT trace_id FROM run_traces WHERE project = {project:String} AND $trace_in_scope AND run_id IN {run_ids:Array(String)}
    UNION DISTINCT
    SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})) AS trace_id
)
SELECT trace_id, max(is_known) AS is_known
FROM (
    SELECT trace_id, true AS is_known FROM known
    UNION ALL
    SELECT pair.other_trace_id AS trace_id, false AS is_known
    FROM trace_links AS pair
    WHERE pair.project = {project:String} AND pair.trace_id GLOBAL IN (SELECT trace_id FROM known)
)
GROUP BY trace_id
