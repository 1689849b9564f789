-- Records of the last runs, with all that was sent.
SELECT $columns
FROM steps
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id GLOBAL IN (
    SELECT arrayJoin(traces)
    FROM runs
    WHERE project = {project:String} AND is_deleted = 0
    ORDER BY received_ns DESC
    LIMIT {runs_max:UInt64}
  )
LIMIT 1 BY trace_id, span_id, carrier, record_id
LIMIT {rows_max:UInt64}
