-- The case that was known under an id before the key of its act arrived.
SELECT $columns
FROM cases FINAL
WHERE project = {project:String} AND $entities_in_scope AND has(known_as, {case_id:String})
ORDER BY case_id
LIMIT 1
