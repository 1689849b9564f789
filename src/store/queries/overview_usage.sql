-- What model calls used whose runtime does not say what they cost: priced when it is read. Calls with cached tokens stand
-- apart, since they cost an unknown sum where their price is not known.
SELECT
    toUInt64(least(intDiv(listed_ns - {start_ns:UInt64}, {width_ns:UInt64}), {bins:UInt64} - 1)) AS bin,
    toString(tupleElement(used, 'model')) AS model,
    tupleElement(used, 'day') AS day,
    tupleElement(used, 'cache_read') > 0 AS has_reads,
    tupleElement(used, 'cache_write') > 0 AS has_writes,
    sum(tupleElement(used, 'input')) AS input,
    sum(tupleElement(used, 'output')) AS output,
    sum(tupleElement(used, 'cache_read')) AS cache_read,
    sum(tupleElement(used, 'cache_write')) AS cache_write
FROM runs FINAL
ARRAY JOIN usage AS used
WHERE $filter
  AND listed_ns >= {start_ns:UInt64} AND listed_ns < {end_ns:UInt64}
  AND (empty({model_any:Array(String)}) OR has({model_any:Array(String)}, tupleElement(used, 'model')))
GROUP BY bin, model, day, has_reads, has_writes
ORDER BY bin, model, day, has_reads, has_writes
