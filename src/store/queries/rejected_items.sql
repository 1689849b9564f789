-- How many records were refused in a period.
SELECT sum(items) AS items
FROM (
    SELECT items
    FROM rejects
    WHERE project = {project:String}
      AND ({from_ns:UInt64} = 0 OR at_ns >= {from_ns:UInt64}) AND ({to_ns:UInt64} = 0 OR at_ns < {to_ns:UInt64})
    LIMIT 1 BY at_ns, position, sha256
)
