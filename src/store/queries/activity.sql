-- Who did what, newest first, from a place on. Entries about no project are for those who see all of one.
SELECT $columns
FROM activity
WHERE (project = {project:String} OR project = '')
  AND $run_in_scope
  AND ({who:String} = '' OR who = {who:String})
  AND ({kind:String} = '' OR kind = {kind:String})
  AND (empty({entities:Array(String)}) OR hasAny(entities, {entities:Array(String)}))
  AND ({run_id:String} = '' OR run_id = {run_id:String})
  AND ({from_ns:UInt64} = 0 OR at_ns >= {from_ns:UInt64})
  AND ({to_ns:UInt64} = 0 OR at_ns < {to_ns:UInt64})
  AND ({after_ns:UInt64} = 0 OR (at_ns, id) < ({after_ns:UInt64}, {after_id:String}))
ORDER BY at_ns DESC, id DESC
LIMIT 1 BY at_ns, id
LIMIT {rows_max:UInt64}
