-- Open unknowns by tool and by how long they have been so, as of now.
WITH
    state IN ('open', 'pending') OR (state = 'waiting' AND unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64}) AS is_open,
    if(state = 'waiting', unknown_at_ns, opened_ns) AS opened_now
SELECT
    toString(tool) AS tool_name,
    count() AS open,
    sumForEach(arrayMap(before -> toUInt64(opened_now < before), {before_ns:Array(UInt64)})) AS older,
    min(opened_now) AS oldest_ns
FROM cases FINAL
WHERE project = {project:String} AND $entities_in_scope
  AND is_open
  AND (empty({tool_any:Array(String)}) OR has({tool_any:Array(String)}, tool))
  AND ({every_run:Bool} OR run_id GLOBAL IN (SELECT run_id FROM runs FINAL WHERE $filter))
GROUP BY tool_name
ORDER BY open DESC, tool_name
LIMIT {tools_max:UInt64}
