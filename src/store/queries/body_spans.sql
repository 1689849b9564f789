-- Which spans of some traces were sent with some bodies among their attributes or events.
SELECT DISTINCT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, body AS body_digest
FROM steps
ARRAY JOIN arrayFilter(digest -> arrayExists(pair -> position(pair.value, digest) > 0,
    arrayConcat(attributes, arrayFlatten(events.attributes))), {digests:Array(String)}) AS body
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
ORDER BY trace, span
LIMIT {rows_max:UInt64}
