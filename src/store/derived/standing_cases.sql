SELECT case_id, precedence
FROM cases FINAL
WHERE project = {project:String} AND case_id IN {case_ids:Array(String)}
