-- The leaves of some traces with their places in the signed log; those that have none yet have the highest number.
SELECT leaf.trace_id AS trace_id, leaf.record_id AS record_id, leaf.log_id AS log_id, leaf.leaf_hash AS leaf_hash,
    if(placed.is_placed, placed.place, 18446744073709551615) AS place
FROM (
    SELECT trace_id, record_id, log_id, frame, position, leaf_hash
    FROM leaves
    WHERE project = {project:String}
      AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
    LIMIT 1 BY log_id, frame, position
) AS leaf
LEFT JOIN (
    SELECT log_id, frame, position, place, true AS is_placed
    FROM tree
    WHERE level = 0
      AND frame IN (
        SELECT frame
        FROM leaves
        WHERE project = {project:String}
          AND trace_id IN (SELECT arrayJoin(arrayMap(id -> toFixedString(unhex(id), 16), {traces:Array(String)})))
      )
) AS placed ON leaf.log_id = placed.log_id AND leaf.frame = placed.frame AND leaf.position = placed.position
ORDER BY log_id, place
