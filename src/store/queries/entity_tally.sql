-- What was done on or for an entity, in numbers. Runs that reach over the ends of the period, or name the entity in two
-- ways, are listed instead of counted: they have to be folded.
WITH $lines,
by_run AS (
    SELECT run_id AS one_id, any(listed_ns) AS one_listed,
        count() = 1 AND ({from_ns:UInt64} = 0 OR min(first_ns) >= {from_ns:UInt64})
            AND ({to_ns:UInt64} = 0 OR max(last_ns) < {to_ns:UInt64}) AS is_exact,
        any(confirmed) AS one_confirmed, any(failed) AS one_failed, any(unknown) AS one_unknown,
        any(submitted) AS one_submitted, any(held) AS one_held, any(reads) AS one_reads, any(lookups) AS one_lookups,
        any(waits) AS one_waits, any(attempts) AS one_attempts, any(unsaid) AS one_unsaid,
        any(arrayCount(at -> at <= {now_ns:UInt64}, unknown_at_ns)) AS one_lapsed,
        any(redactions) AS one_redactions, any(complete) AS one_complete, any(gaps) AS one_gaps,
        any(skew_ms_max) AS one_skew, min(first_ns) AS one_first, max(last_ns) AS one_last, any(agent) AS one_agent,
        any(session_id) AS one_session, any(finding_codes) AS one_codes
    FROM lines
    GROUP BY run_id
)
SELECT
    count() AS runs,
    uniqExactIf(one_agent, one_agent != '') AS agents,
    uniqExactIf(one_session, one_session != '') AS sessions,
    sumIf(one_confirmed, is_exact) AS confirmed, sumIf(one_failed, is_exact) AS failed,
    sumIf(one_unknown + one_lapsed, is_exact) AS unknown, 
    sumIf(toUInt64(one_submitted - least(one_lapsed, one_submitted)), is_exact) AS submitted,
    sumIf(one_held, is_exact) AS held, sumIf(one_reads, is_exact) AS reads, sumIf(one_lookups, is_exact) AS lookups,
    sumIf(one_waits, is_exact) AS waits, sumIf(one_attempts, is_exact) AS attempts,
    sumIf(one_unsaid, is_exact) AS unsaid,
    groupArrayIf(1001)(one_id, NOT is_exact) AS to_fold,
    countIf(one_complete = 'yes') AS complete, countIf(one_complete = 'no') AS incomplete,
    groupArrayIf(100)((one_id, one_listed, one_gaps), one_complete = 'no') AS holes,
    sumMap(arrayMap(hit -> toString(hit.rule), one_redactions), arrayMap(hit -> hit.hits, one_redactions)) AS redacted,
    max(one_skew) AS skew_ms_max,
    minIf(one_first, one_first > 0) AS first_ns, max(one_last) AS last_ns,
    countIf(has(one_codes, 'dropped-by-client')) AS dropping,
    countIf(has(one_codes, 'reads-sampled')) AS sampled,
    countIf(has(one_codes, 'snapshot-missing')) AS unseen
FROM by_run
