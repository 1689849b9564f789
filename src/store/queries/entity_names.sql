-- The names of one type that end like this: what a value became where a rule hit it, whichever rule that was.
SELECT DISTINCT entity
FROM entity_runs
WHERE project = {project:String} AND startsWith(entity, {beginning:String})
  AND arrayExists(ending -> endsWith(entity, ending), {endings:Array(String)})
ORDER BY entity
LIMIT 100
