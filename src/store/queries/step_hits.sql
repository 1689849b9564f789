-- The records of some traces in whose names, errors or attributes texts stand, each with the fields that hold one.
SELECT trace, span, fields FROM (
SELECT
    lower(hex(trace_id)) AS trace,
    lower(hex(span_id)) AS span,
    arraySlice(arrayFilter(field -> match(lowerUTF8(normalizeUTF8NFC(concat(field.2, ' ', field.3))), $mark),
        arrayMap(field -> (field.1, field.2, $shown), arrayConcat(
            arrayMap(one -> ('errors', 'error', concat(one.kind, if(one.kind = '' OR one.message = '', '', ': '), one.message)), error),
            [('errors', 'status', status_message), ('names', 'name', name), ('names', 'tool', toString(tool)),
             ('names', 'target', target), ('names', 'key', key), ('names', 'agent', toString(agent)),
             ('names', 'model', toString(model)), ('names', 'service', toString(service)),
             ('names', 'worker', toString(worker)), ('names', 'value', value), ('names', 'effect', downstream_id),
             ('names', 'approver', approver), ('names', 'call', tool_call_id), ('names', 'step', step_id),
             ('names', 'run', run_id), ('names', 'session', session_id), ('names', 'user', user_id),
             ('names', 'span', lower(hex(span_id)))],
            arrayMap(entity -> ('names', toString(entity.kind), concat(entity.kind, ':', entity.id)), entities),
            arrayMap(pair -> ('attributes', toString(pair.key), pair.value), attributes),
            arrayMap(pair -> ('attributes', toString(pair.key), pair.value), arrayFlatten(events.attributes))
        ))), 1, {fields_max:UInt64}) AS found,
    arrayMap(field -> (field.1, toValidUTF8(substring(field.2, 1, 200)), toValidUTF8(if(length(field.3) <= {whole_max:UInt64}, field.3,
        substring(field.3, greatest(1, toInt64(position(lowerUTF8(normalizeUTF8NFC(field.3)),
            extract(lowerUTF8(normalizeUTF8NFC(field.3)), $mark))) - 400), {whole_max:UInt64})))), found) AS fields
FROM steps
WHERE project = {project:String} AND $trace_in_scope
  AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
  AND $holds
ORDER BY trace_id, span_id, carrier, record_id, received_ns
LIMIT 1 BY trace_id, span_id, carrier, record_id
)
LIMIT {rows_max:UInt64} BY trace
