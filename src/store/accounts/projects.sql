-- Projects as of a time.
SELECT project, at_ns, closed, changed_by
FROM projects
WHERE at_ns <= {as_of_ns:UInt64}
ORDER BY project, at_ns DESC
LIMIT 1 BY project
