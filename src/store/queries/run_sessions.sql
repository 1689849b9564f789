-- Runs by session, the latest first: one row a session, and one for each run that is of none.
SELECT
    if(empty(session_id), concat('r', run_id), concat('s', session_id)) AS place,
    count() AS runs,
    min(listed_ns) AS first_ns,
    max(listed_ns) AS last_ns,
    toUInt64(sum(ifNull(tokens_in, 0) + ifNull(tokens_out, 0))) AS tokens,
    countIf($outcome_now = 'unknown') AS unknown,
    countIf($outcome_now = 'failed') AS failed,
    countIf($outcome_now = 'submitted') AS submitted,
    countIf($outcome_now = 'confirmed') AS confirmed
FROM runs FINAL
WHERE $filter
GROUP BY place
HAVING {after_ns:UInt64} = 0 OR (last_ns, place) < ({after_ns:UInt64}, {after_place:String})
ORDER BY last_ns DESC, place DESC
LIMIT {rows_max:UInt64}
