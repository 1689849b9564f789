-- Every record of some traces.
SELECT $columns
FROM steps
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
LIMIT {records_max:UInt64}
