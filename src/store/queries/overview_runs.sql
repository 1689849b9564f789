-- Runs over time, with what is not in the sums: calls whose cost nobody tells, and lines that an earlier version folded.
SELECT
    toUInt64(least(intDiv(listed_ns - {start_ns:UInt64}, {width_ns:UInt64}), {bins:UInt64} - 1)) AS bin,
    count() AS runs,
    sum(calls_untold) AS untold,
    countIf(empty(work) AND (act_count > 0 OR notEmpty(models) OR notEmpty(tools))) AS unfolded
FROM runs FINAL
WHERE $filter
  AND listed_ns >= {start_ns:UInt64} AND listed_ns < {end_ns:UInt64}
GROUP BY bin
ORDER BY bin
