-- The runs that a trace belongs to or holds, newest first.
SELECT run_id
FROM runs FINAL
WHERE project = {project:String} AND $run_in_scope AND has(traces, toFixedString(unhex({trace_id:String}), 16))
ORDER BY received_ns DESC, run_id
LIMIT 500
