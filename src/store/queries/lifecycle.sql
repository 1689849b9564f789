-- What happened to the system, newest first: everything, or one kind.
SELECT $columns
FROM lifecycle
WHERE {kind:String} = '' OR kind = {kind:String}
ORDER BY at_ns DESC, event_id
LIMIT 1 BY at_ns, event_id
LIMIT {rows_max:UInt64}
