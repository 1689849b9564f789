-- Leaves of a log without a place in the tree, in the order of the log.
SELECT frame, position, leaf_hash
FROM leaves
WHERE log_id = toFixedString(unhex({log_id:String}), 16) AND frame >= {frame_from:UInt64}
  AND (frame, position) NOT IN (
    SELECT frame, position
    FROM tree
    WHERE log_id = toFixedString(unhex({log_id:String}), 16) AND level = 0 AND frame >= {frame_from:UInt64}
  )
ORDER BY frame, position
LIMIT 1 BY frame, position
LIMIT {rows_max:UInt64}
