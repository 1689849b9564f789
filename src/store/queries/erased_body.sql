-- The erasure that took a body.
SELECT erasure_id, at_ns
FROM erased
WHERE project = {project:String} AND what = 'body'
  AND trace_id = toFixedString(unhex({trace_id:String}), 16)
  AND id = toFixedString(unhex({digest:String}), 16)
ORDER BY at_ns
LIMIT 1
