-- Events of some cases, in order.
SELECT $columns
FROM case_events FINAL
WHERE project = {project:String} AND $trace_in_scope AND case_id IN {case_ids:Array(String)}
ORDER BY case_id, at_ns, event_id
