-- The lines of actions, latest change first.
SELECT $columns
FROM actions FINAL
WHERE project = {project:String}
  AND (empty({keys:Array(String)}) OR key IN {keys:Array(String)})
  AND ({outcome:String} = '' OR $outcome_now = {outcome:String})
  AND ({tool:String} = '' OR tool = {tool:String})
  AND ({entity:String} = '' OR has(arrayMap(entity -> concat(entity.kind, ':', entity.id), entities), {entity:String}))
  AND ({started_before_ns:UInt64} = 0 OR started_ns < {started_before_ns:UInt64})
ORDER BY changed_ns DESC, key, tool
LIMIT {rows_max:UInt64}
