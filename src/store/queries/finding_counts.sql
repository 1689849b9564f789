-- How many findings hold now by code, agent, tool and week: one look at every run of the filter.
SELECT field, value, count() AS findings, uniqExact(run_id) AS runs
FROM (
    SELECT
        run_id,
        arrayJoin(arrayConcat(
            [('code', toString(tupleElement(found, 'code'))), ('agent', toString(agent)),
             ('week', toString(toMonday(fromUnixTimestamp64Nano(toInt64(listed_ns), 'UTC'))))],
            arrayMap(tool -> ('tool', toString(tool)), tupleElement(found, 'tools'))
        )) AS pair,
        pair.1 AS field,
        pair.2 AS value
    FROM (
        SELECT run_id, agent, listed_ns, found
        FROM runs FINAL
        ARRAY JOIN findings AS found
        WHERE $filter
    )
)
WHERE value != ''
GROUP BY field, value
ORDER BY field, findings DESC, value
LIMIT {values_max:UInt64} BY field
