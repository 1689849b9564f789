-- The last event of every rule.
SELECT rule, episode, fired, at_ns, count, said, paths
FROM alerts FINAL
WHERE project = {project:String}
ORDER BY episode DESC, fired
LIMIT 1 BY rule
