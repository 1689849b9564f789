SELECT run_id, received_ns, precedence
FROM runs FINAL
WHERE project = {project:String}
  AND received_ns >= {received_from_ns:UInt64}
  AND run_id IN {run_ids:Array(String)}
