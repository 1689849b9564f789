-- Holds as they stand, of one project or of all.
SELECT hold_id, at_ns, project, toString(kind) AS kind, names, reason, placed_ns, placed_by, lifted, lifted_reason, changed_by
FROM holds
WHERE {project:String} = '' OR project = {project:String}
ORDER BY hold_id, at_ns DESC
LIMIT 1 BY hold_id
