-- Which of some runs have a line, and under which first receipt it stands.
SELECT run_id, received_ns
FROM runs FINAL
WHERE project = {project:String} AND run_id IN {run_ids:Array(String)}
