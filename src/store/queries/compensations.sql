-- The keys of actions that undo the one of some keys.
SELECT DISTINCT key
FROM actions
WHERE project = {project:String} AND $entities_in_scope AND compensates IN {keys:Array(String)}
ORDER BY key
LIMIT 100
