-- Beginnings and ends of alerts, newest first.
SELECT rule, episode, fired, at_ns, count, said, paths
FROM alerts FINAL
WHERE project = {project:String} AND at_ns >= {from_ns:UInt64}
ORDER BY at_ns DESC, rule, episode DESC, fired
LIMIT {rows_max:UInt64}
