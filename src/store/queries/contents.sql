-- Bodies of one trace by digest, or what stands for them.
SELECT $columns
FROM contents
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id = toFixedString(unhex({trace_id:String}), 16)
  AND digest IN (SELECT arrayJoin(arrayMap(digest -> toFixedString(unhex(digest), 16), {digests:Array(String)})))
ORDER BY digest
LIMIT 1 BY digest
