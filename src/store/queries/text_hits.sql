-- The bodies of some traces in which texts stand, each with the surroundings of the first.
SELECT trace, body_digest, body_kind, body_role, is_json, said, is_part FROM (
SELECT
    lower(hex(trace_id)) AS trace,
    lower(hex(digest)) AS body_digest,
    toString(kind) AS body_kind,
    toString(role) AS body_role,
    is_json,
    $shown AS shown,
    toUInt64(if(length(shown) <= {whole_max:UInt64}, 0,
        greatest(0, toInt64(position($folded, extract($folded, $mark))) - {before:Int64}))) AS begins,
    toValidUTF8(if(length(shown) <= {whole_max:UInt64}, shown, substring(shown, begins + 1, {window:UInt64}))) AS said,
    toBool(length(shown) > {whole_max:UInt64}) AS is_part
FROM contents
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
  AND $holds
ORDER BY trace_id, digest
LIMIT 1 BY trace_id, digest
)
LIMIT {rows_max:UInt64} BY trace
