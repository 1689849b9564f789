-- The projects that have cases.
SELECT DISTINCT toString(project) AS project
FROM cases
ORDER BY project
