-- How many of the runs in which texts stand have each value of what a search can be narrowed by.
SELECT field, value, count() AS runs
FROM (
    SELECT arrayJoin(arrayConcat(
        [('all', 'all'), ('outcome', $outcome_now), ('agent', toString(agent)), ('session', session_id),
         ('has', if(retry_count = 0, '', 'retry'))],
        arrayMap(value -> ('model', toString(value)), models),
        arrayMap(value -> ('finding', toString(value)), finding_codes),
        arrayMap(value -> ('entity', value), entities)
    )) AS pair, pair.1 AS field, pair.2 AS value
    FROM runs FINAL
    WHERE $filter
)
WHERE value != ''
GROUP BY field, value
ORDER BY field, runs DESC, value
LIMIT {values_max:UInt64} BY field
