-- Erasures as they stand, of one project or of all.
SELECT erasure_id, at_ns, project, about, reason, asked_ns, asked_by, runs, records, bodies, is_done, receipt,
       rewritten_s
FROM erasures
WHERE {project:String} = '' OR project = {project:String}
ORDER BY erasure_id, at_ns DESC
LIMIT 1 BY erasure_id
