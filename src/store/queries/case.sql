SELECT $columns
FROM cases FINAL
WHERE project = {project:String} AND case_id = {case_id:String}
