-- What a webhook was told.
SELECT endpoint, case_id, episode, toString(kind) AS kind, at_ns, delivered, attempts
FROM notices FINAL
WHERE project = {project:String} AND endpoint = {endpoint:String}
