-- The sets of parameters that models were called with, and when each was first and last seen.
SELECT
    toString(tupleElement(done, 'name')) AS model,
    tupleElement(done, 'parameters') AS parameters,
    sum(tupleElement(done, 'attempts')) AS attempts,
    uniqExact(run_id) AS runs,
    min(listed_ns) AS first_ns,
    max(listed_ns) AS last_ns
FROM runs FINAL
ARRAY JOIN work AS done
WHERE $filter
  AND listed_ns >= {start_ns:UInt64} AND listed_ns < {end_ns:UInt64}
  AND tupleElement(done, 'kind') = 'think'
  AND (empty({model_any:Array(String)}) OR has({model_any:Array(String)}, tupleElement(done, 'name')))
GROUP BY model, parameters
ORDER BY attempts DESC, model, parameters
LIMIT {sets_max:UInt64}
