mine AS (
    SELECT *
    FROM entity_runs FINAL
    WHERE project = {project:String} AND entity IN {names:Array(String)}
      AND ({from_ns:UInt64} = 0 OR last_ns >= {from_ns:UInt64})
      AND ({to_ns:UInt64} = 0 OR first_ns < {to_ns:UInt64})
),
standing AS (
    SELECT received_ns, run_id, precedence AS standing_precedence, traces, agent, session_id, finding_codes, words
    FROM runs FINAL
    WHERE project = {project:String} AND $run_in_scope AND (received_ns, run_id) GLOBAL IN (SELECT received_ns, run_id FROM mine)
),
spoken AS (
    SELECT groupUniqArray(trace_id) AS traces
    FROM contents
    WHERE {text:String} != '' AND project = {project:String}
      AND trace_id GLOBAL IN (SELECT arrayJoin(traces) FROM standing)
      AND $said
),
lines AS (
    SELECT mine.*, standing.traces AS traces, standing.agent AS agent, standing.session_id AS session_id,
        standing.finding_codes AS finding_codes
    FROM mine INNER JOIN standing ON mine.received_ns = standing.received_ns AND mine.run_id = standing.run_id
    WHERE mine.precedence >= standing.standing_precedence
      AND ({text:String} = ''
        OR positionUTF8(standing.words, lowerUTF8({text:String})) > 0
        OR hasAny(standing.traces, (SELECT traces FROM spoken)))
)
