-- Before versions are told apart only what orders the table is read: of the other columns just the rows that are meant.
SELECT $columns
FROM actions FINAL
PREWHERE project = {project:String} AND owner = '' AND key IN {keys:Array(String)}
WHERE $entities_in_scope
ORDER BY key, tool
