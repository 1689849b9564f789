-- Stored nodes of one level in some tiles (256 places each), in order.
SELECT place, hash
FROM tree
WHERE log_id = toFixedString(unhex({log_id:String}), 16) AND level = {level:UInt8}
  AND intDiv(place, 256) IN {tiles:Array(UInt64)}
ORDER BY place
LIMIT 1 BY place
