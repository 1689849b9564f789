-- How often a key was used: over how many traces, in how many records.
SELECT uniqExact(trace_id) AS traces, uniqExact(trace_id, span_id, carrier, record_id) AS records
FROM keyed
WHERE project = {project:String} AND $trace_in_scope AND key = {key:String}
