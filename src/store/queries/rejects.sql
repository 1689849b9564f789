-- Refusals, newest first, from a place on.
SELECT $columns
FROM rejects
WHERE project = {project:String}
  AND ({at_ns:UInt64} = 0 OR (at_ns, position) < ({at_ns:UInt64}, {position:UInt32}))
ORDER BY at_ns DESC, position DESC, sha256
LIMIT 1 BY at_ns, position, sha256
LIMIT {rows_max:UInt64}
