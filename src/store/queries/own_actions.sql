-- Acts that nobody gave a key, by the names they have instead.
SELECT $columns
FROM actions FINAL
WHERE project = {project:String} AND $entities_in_scope AND owner != '' AND key IN {keys:Array(String)}
ORDER BY key, tool
