-- The traces in which some keys were used, of each key the latest: who uses one key everywhere has not used it as one.
SELECT DISTINCT trace_id
FROM (
    SELECT key, trace_id, max(received_ns) AS last_ns
    FROM keyed
    WHERE project = {project:String} AND $trace_in_scope AND key IN {keys:Array(String)}
    GROUP BY key, trace_id
    ORDER BY last_ns DESC, trace_id
    LIMIT {traces_max:UInt64} BY key
)
