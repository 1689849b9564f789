-- Findings that hold now, those of the newest run first, from a place on.
SELECT
    run_id,
    name AS run_name,
    toString(agent) AS agent_name,
    listed_ns,
    toUInt32(position) AS place,
    toString(tupleElement(found, 'code')) AS code,
    tupleElement(found, 'message') AS message,
    tupleElement(found, 'since_ns') AS since_ns,
    tupleElement(found, 'step_count') AS steps_all,
    arrayMap(step -> (tupleElement(step, 'number'), lower(hex(tupleElement(step, 'trace_id'))), lower(hex(tupleElement(step, 'span_id')))), tupleElement(found, 'steps')) AS places,
    arrayMap(tool -> toString(tool), tupleElement(found, 'tools')) AS step_tools
FROM runs FINAL
ARRAY JOIN findings AS found, arrayEnumerate(findings) AS position
WHERE $filter
  AND ({after_ns:UInt64} = 0
    OR (listed_ns, run_id) < ({after_ns:UInt64}, {after_id:String})
    OR (listed_ns = {after_ns:UInt64} AND run_id = {after_id:String} AND position > {after_place:UInt32}))
ORDER BY listed_ns DESC, run_id DESC, place
LIMIT 1 BY run_id, place
LIMIT {rows_max:UInt64}
