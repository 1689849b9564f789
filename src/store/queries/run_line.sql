-- The line of one run.
SELECT $columns, listed_ns
FROM runs FINAL
WHERE project = {project:String} AND $run_in_scope AND run_id = {run_id:String}
ORDER BY version DESC, received_ns
LIMIT 1
