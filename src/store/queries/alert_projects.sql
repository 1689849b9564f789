-- The projects that a rule of alerts may be about: those with runs, with refusals, or with an alert that may end.
SELECT DISTINCT toString(project) AS project
FROM (
    SELECT DISTINCT project FROM runs
    UNION ALL SELECT DISTINCT project FROM rejects
    UNION ALL SELECT DISTINCT project FROM alerts
)
ORDER BY project
