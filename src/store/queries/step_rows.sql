-- Everything kept of some records.
SELECT $columns
FROM steps
WHERE project = {project:String}
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
  AND record_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {records:Array(String)})))
ORDER BY trace_id, span_id, carrier, record_id, received_ns
LIMIT 1 BY trace_id, span_id, carrier, record_id
