-- Events of the cases of some keys, and of the cases without a key of some traces, in order.
SELECT $columns
FROM case_events FINAL
WHERE project = {project:String} AND $trace_in_scope
  AND (key IN {keys:Array(String)}
       OR (key = '' AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))))
ORDER BY at_ns, event_id
