-- Runs, newest first, from a place on.
SELECT $columns, listed_ns
FROM runs FINAL
WHERE $filter
  AND ({after_ns:UInt64} = 0 OR (listed_ns, run_id) < ({after_ns:UInt64}, {after_id:String}))
ORDER BY listed_ns DESC, run_id DESC
LIMIT 1 BY run_id
LIMIT {rows_max:UInt64}
