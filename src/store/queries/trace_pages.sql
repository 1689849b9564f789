-- Every trace there is, in order, a page at a time.
SELECT project, trace_id
FROM steps
WHERE (project, trace_id) > ({after_project:String}, toFixedString(unhex({after_trace:String}), 16))
GROUP BY project, trace_id
ORDER BY project, trace_id
LIMIT {traces_max:UInt64}
