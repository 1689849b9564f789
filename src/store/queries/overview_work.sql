-- What runs did with each tool and model, added up by the time at which the run is listed. Names that are not asked for
-- are added up together. No name here is that of a column: the filter names these.
SELECT
    toUInt64(least(intDiv(listed_ns - {start_ns:UInt64}, {width_ns:UInt64}), {bins:UInt64} - 1)) AS bin,
    multiIf(tupleElement(done, 'kind') = 'think', 'model', tupleElement(done, 'kind') = 'other', 'container', 'tool') AS class,
    toUInt8({every_name:Bool} OR has({names:Array(String)}, concat(class, ':', tupleElement(done, 'name')))) AS is_named,
    if(is_named = 1, toString(tupleElement(done, 'name')), '') AS series,
    toUInt64(sum(arrayCount(at -> at > 0 AND at <= {now_ns:UInt64}, tupleElement(done, 'waiting')))) AS lapsed,
    uniqExact(run_id) AS run_count,
    sum(tupleElement(done, 'steps')) AS steps,
    sum(tupleElement(done, 'retried')) AS retried,
    sum(tupleElement(done, 'recovered')) AS recovered,
    sum(tupleElement(done, 'attempts')) AS attempts,
    sum(tupleElement(done, 'throttled')) AS throttled,
    sum(tupleElement(done, 'confirmed')) AS confirmed,
    sum(tupleElement(done, 'failed')) AS failed,
    sum(tupleElement(done, 'unknown')) + lapsed AS unknown,
    toUInt64(sum(length(tupleElement(done, 'waiting'))) - lapsed) AS submitted,
    sumOrNull(tupleElement(done, 'tokens_in')) AS told_in,
    sumOrNull(tupleElement(done, 'tokens_out')) AS told_out,
    sumOrNull(tupleElement(done, 'cost_usd')) AS told_usd,
    sum(length(tupleElement(done, 'took_us'))) AS timed,
    quantilesExactArray(0.5, 0.9, 0.99, 1)(tupleElement(done, 'took_us')) AS took_us
FROM runs FINAL
ARRAY JOIN work AS done
WHERE $filter
  AND listed_ns >= {start_ns:UInt64} AND listed_ns < {end_ns:UInt64}
  AND (class != 'tool' OR empty({tool_any:Array(String)}) OR has({tool_any:Array(String)}, tupleElement(done, 'name')))
  AND (class != 'model' OR empty({model_any:Array(String)}) OR has({model_any:Array(String)}, tupleElement(done, 'name')))
GROUP BY bin, class, is_named, series
ORDER BY bin, class, attempts DESC, series
LIMIT {names_max:UInt64} BY bin, class
