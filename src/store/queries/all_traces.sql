-- Every trace there is, in order, from a place on.
SELECT DISTINCT project, trace_id
FROM steps
WHERE (project, trace_id) > ({after_project:String}, toFixedString(unhex({after_trace_id:String}), 16))
ORDER BY project, trace_id
LIMIT {rows_max:UInt64}
