-- Everything kept under one span id: its versions, and the events and logs on it.
SELECT $columns
FROM steps
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id = toFixedString(unhex({trace_id:String}), 16)
  AND span_id = toFixedString(unhex({span_id:String}), 8)
ORDER BY carrier, record_id, received_ns
LIMIT 1 BY carrier, record_id
LIMIT 1000
