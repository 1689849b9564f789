-- How far each log is: its leaves that have a place, the last of them, and whether none is missing in between.
SELECT log_id, max(size) AS size, max(last_frame) AS last_frame, max(placed) AS placed
FROM (
    SELECT log_id, max(place) + 1 AS size, max(frame) AS last_frame, uniqExact(place) AS placed
    FROM tree
    WHERE level = 0 AND ({log_id:String} = '' OR log_id = toFixedString(unhex({log_id:String}), 16))
    GROUP BY log_id
    UNION ALL
    SELECT DISTINCT log_id, toUInt64(0) AS size, toUInt64(0) AS last_frame, toUInt64(0) AS placed
    FROM leaves
    WHERE {log_id:String} = ''
)
GROUP BY log_id
ORDER BY log_id
