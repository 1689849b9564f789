-- Runs over time, by outcome.
SELECT
    toUInt64(least(intDiv(listed_ns - {start_ns:UInt64}, {width_ns:UInt64}), {bins:UInt64} - 1)) AS bin,
    $outcome_now AS outcome_now,
    count() AS runs
FROM runs FINAL
WHERE $filter
  AND listed_ns >= {start_ns:UInt64} AND listed_ns < {end_ns:UInt64}
GROUP BY bin, outcome_now
ORDER BY bin, outcome_now
