-- What each rule did to the records received since then, each record once.
SELECT
    toString(done.rule) AS rule,
    toString(done.method) AS method,
    sum(toUInt64(done.count)) AS places,
    count() AS records
FROM (
    SELECT arrayJoin(any(redactions)) AS done
    FROM steps
    WHERE project = {project:String} AND received_ns >= {from_ns:UInt64} AND notEmpty(redactions)
    GROUP BY trace_id, span_id, carrier, record_id
)
GROUP BY rule, method
ORDER BY places DESC, rule, method
