-- The newest runs of each of these sessions, and these runs that are of none.
SELECT $columns, listed_ns
FROM runs FINAL
WHERE $filter
  AND has({places:Array(String)}, if(empty(session_id), concat('r', run_id), concat('s', session_id)))
ORDER BY listed_ns DESC, run_id DESC
LIMIT {each_max:UInt64} BY if(empty(session_id), concat('r', run_id), concat('s', session_id))
