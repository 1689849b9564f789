-- Every record of the traces in which a key was used.
SELECT $columns
FROM steps
WHERE project = {project:String}
  AND trace_id IN (SELECT trace_id FROM keyed WHERE project = {project:String} AND key IN {keys:Array(String)})
