-- How many runs have each value of each field: one look at every run of the filter.
SELECT field, value, count() AS runs, min(listed_ns) AS first_ns, max(listed_ns) AS last_ns
FROM (
    SELECT
        listed_ns,
        arrayJoin(arrayConcat(
            [('all', 'all'), ('outcome', $outcome_now), ('agent', toString(agent)), ('service', toString(service)),
             ('environment', toString(environment)), ('state', $state_now), ('complete', toString(complete))],
            arrayMap(value -> ('has', value), $attention),
            arrayMap(value -> ('model', toString(value)), models),
            arrayMap(value -> ('tool', toString(value)), tools),
            arrayMap(value -> ('finding', toString(value)), finding_codes)
        )) AS pair,
        pair.1 AS field,
        pair.2 AS value
    FROM runs FINAL
    WHERE $filter
)
WHERE value != ''
GROUP BY field, value
ORDER BY field, runs DESC, value
LIMIT {values_max:UInt64} BY field
