SELECT $columns
FROM actions FINAL
WHERE project = {project:String} AND $entities_in_scope AND owner = '' AND key IN {keys:Array(String)}
ORDER BY key, tool
