-- What was erased of the traces that name one of these entities.
SELECT erasure_id, min(at_ns) AS at_ns, uniqExact(id) AS records
FROM erased
WHERE project = {project:String} AND what = 'record'
  AND trace_id GLOBAL IN (
    SELECT trace_id FROM mentions WHERE project = {project:String} AND entity IN {names:Array(String)}
  )
GROUP BY erasure_id
ORDER BY at_ns, erasure_id
