-- What was erased of some traces: each record, with its erasure.
SELECT DISTINCT id, erasure_id, at_ns
FROM erased
WHERE project = {project:String} AND what = 'record'
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
ORDER BY at_ns, erasure_id, id
