-- Cases as of now, in one of their orders, from a place on.
WITH
    $state_now AS state_now,
    if(state = 'waiting', unknown_at_ns, opened_ns) AS opened_now,
    $order AS place
SELECT $columns
FROM cases FINAL
WHERE project = {project:String} AND $entities_in_scope
  AND state_now IN {states:Array(String)}
  AND ({tool:String} = '' OR tool = {tool:String})
  AND ({owner:String} = '' OR owner = {owner:String})
  AND (NOT {unowned:Bool} OR owner = '')
  AND (empty({keys:Array(String)}) OR key IN {keys:Array(String)})
  AND (empty({run_ids:Array(String)}) OR hasAny(run_ids, {run_ids:Array(String)}))
  AND (empty({entities:Array(String)}) OR hasAny(arrayMap(entity -> concat(entity.kind, ':', entity.id), entities), {entities:Array(String)}))
  AND ({opened_before_ns:UInt64} = 0 OR opened_now < {opened_before_ns:UInt64})
  AND ({settled_from_ns:UInt64} = 0 OR settled_ns >= {settled_from_ns:UInt64})
  AND (empty({case_ids:Array(String)}) OR case_id IN {case_ids:Array(String)})
  AND ({after_id:String} = '' OR (place, case_id) > (({after_1:UInt64}, {after_2:Float64}, {after_3:UInt64}), {after_id:String}))
ORDER BY place, case_id
LIMIT {rows_max:UInt64}
