-- The runs that had to do with an entity, newest first, from a place on.
WITH $lines
SELECT run_id, any(listed_ns) AS listed_at, any(traces) AS traces
FROM lines
GROUP BY run_id
HAVING {after_ns:UInt64} = 0 OR (listed_at, run_id) < ({after_ns:UInt64}, {after_id:String})
ORDER BY listed_at DESC, run_id DESC
LIMIT {rows_max:UInt64}
