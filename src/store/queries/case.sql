-- Before versions are told apart only what orders the table is read: of the other columns just the row that is meant.
SELECT $columns
FROM cases FINAL
PREWHERE project = {project:String} AND case_id = {case_id:String}
WHERE $entities_in_scope
