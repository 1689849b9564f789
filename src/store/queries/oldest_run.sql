-- The first receipt of the oldest run that is still listed.
SELECT received_ns
FROM runs FINAL
WHERE project = {project:String}
ORDER BY received_ns
LIMIT 1
