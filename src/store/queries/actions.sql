-- The lines of actions as of now, latest change first, from a place on.
WITH
    if(unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64}, greatest(changed_ns, unknown_at_ns), changed_ns) AS changed_now
SELECT $columns
FROM actions FINAL
WHERE project = {project:String} AND $entities_in_scope
  AND (empty({keys:Array(String)}) OR key IN {keys:Array(String)})
  AND ({outcome:String} = '' OR $outcome_now = {outcome:String})
  AND ({tool:String} = '' OR tool = {tool:String})
  AND (empty({entities:Array(String)}) OR hasAny(arrayMap(entity -> concat(entity.kind, ':', entity.id), entities), {entities:Array(String)}))
  AND ({started_before_ns:UInt64} = 0 OR started_ns < {started_before_ns:UInt64})
  AND (NOT {after:Bool} OR changed_now < {after_ns:UInt64}
       OR (changed_now = {after_ns:UInt64} AND (key, tool) > ({after_key:String}, {after_tool:String})))
ORDER BY changed_now DESC, key, tool
LIMIT {rows_max:UInt64}
