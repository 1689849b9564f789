-- Cases whose last event is not in their line: it was appended just before the server died.
SELECT DISTINCT lower(hex(last_trace)) AS trace
FROM (
    SELECT case_id, argMax(event_id, (at_ns, event_id)) AS last_event, argMax(trace_id, (at_ns, event_id)) AS last_trace
    FROM case_events FINAL
    WHERE project = {project:String} AND at_ns >= {from_ns:UInt64}
    GROUP BY case_id
) AS appended
LEFT ANTI JOIN (
    SELECT case_id, last_event_id
    FROM cases FINAL
    WHERE project = {project:String} AND event_count > 0
) AS folded ON appended.case_id = folded.case_id AND appended.last_event = folded.last_event_id
ORDER BY trace
LIMIT 10000
