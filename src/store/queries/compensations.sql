-- The keys of actions that undo the one of a key.
SELECT DISTINCT key
FROM actions
WHERE project = {project:String} AND $entities_in_scope AND compensates = {key:String}
ORDER BY key
LIMIT 100
