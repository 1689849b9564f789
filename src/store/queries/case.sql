SELECT $columns
FROM cases FINAL
WHERE project = {project:String} AND $entities_in_scope AND case_id = {case_id:String}
