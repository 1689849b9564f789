-- The entities of one type with what was done on or for each: the latest, or a sample that a seed draws.
WITH standing AS (
    SELECT received_ns, run_id, precedence AS standing_precedence FROM runs FINAL
    WHERE project = {project:String} AND $run_in_scope
),
lines AS (
    SELECT mine.*
    FROM (
        SELECT *
        FROM entity_runs FINAL
        WHERE project = {project:String} AND startsWith(entity, {beginning:String})
          AND ({part:String} = '' OR positionCaseInsensitiveUTF8(entity, {part:String}, lengthUTF8({beginning:String}) + 1) > 0
               OR arrayExists(ending -> endsWith(entity, ending), {endings:Array(String)}))
          AND ({from_ns:UInt64} = 0 OR last_ns >= {from_ns:UInt64})
          AND ({to_ns:UInt64} = 0 OR first_ns < {to_ns:UInt64})
    ) AS mine
    INNER JOIN standing ON mine.received_ns = standing.received_ns AND mine.run_id = standing.run_id
    WHERE mine.precedence >= standing.standing_precedence
),
population AS (
    SELECT entity, count() AS runs,
        sum(confirmed + failed + unknown + submitted + held) AS acts,
        sum(unknown + arrayCount(at -> at <= {now_ns:UInt64}, unknown_at_ns)) AS unknown_acts,
        sum(failed) AS failed_acts,
        max(last_ns) AS last
    FROM lines
    GROUP BY entity
    HAVING {with:String} = '' OR ({with:String} = 'acts' AND acts > 0) OR ({with:String} = 'unknown' AND unknown_acts > 0)
        OR ({with:String} = 'failed' AND failed_acts > 0)
)
SELECT entity, runs, acts, unknown_acts, failed_acts, last,
    count() OVER () AS population,
    hex(SHA256(arrayStringConcat(arraySort(groupArray(entity) OVER ()), '\n'))) AS population_hash
FROM population
ORDER BY if({seed:String} = '', '', hex(SHA256(concat({seed:String}, '\n', entity)))), last DESC, entity
LIMIT {rows_max:UInt64}
