-- Cases of all projects whose last event is not in their line: it was appended just before the server died.
SELECT DISTINCT project, lower(hex(last_trace)) AS trace
FROM (
    SELECT toString(project) AS project, case_id, argMax(event_id, (at_ns, event_id)) AS last_event, argMax(trace_id, (at_ns, event_id)) AS last_trace
    FROM case_events FINAL
    WHERE at_ns >= {from_ns:UInt64}
    GROUP BY project, case_id
) AS appended
LEFT ANTI JOIN (
    SELECT toString(project) AS project, case_id, last_event_id
    FROM cases FINAL
    WHERE event_count > 0
) AS folded ON appended.project = folded.project AND appended.case_id = folded.case_id AND appended.last_event = folded.last_event_id
ORDER BY project, trace
LIMIT 10000
