-- How many cases are open as of now, what is at stake, and how fast they are settled.
WITH
    state IN ('open', 'pending') OR (state = 'waiting' AND unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64}) AS is_open,
    if(state = 'waiting', unknown_at_ns, opened_ns) AS opened_now,
    state = 'resolved' AND settled_ns >= {settled_from_ns:UInt64} AND opened_ns > 0 AS is_settled
SELECT open, unowned, mine, oldest_ns, next_expiry_ns, settled, settled_median_ns, mapKeys(stakes) AS currencies, mapValues(stakes) AS amounts
FROM (
SELECT
    countIf(is_open) AS open,
    countIf(is_open AND owner = '') AS unowned,
    countIf(is_open AND owner != '' AND owner = {mine:String}) AS mine,
    minIf(opened_now, is_open) AS oldest_ns,
    minIf(key_expires_ns, is_open AND key_expires_ns > {now_ns:UInt64}) AS next_expiry_ns,
    countIf(is_settled) AS settled,
    toUInt64(if(settled = 0, 0, quantileExactIf(0.5)(settled_ns - least(opened_ns, settled_ns), is_settled))) AS settled_median_ns,
    sumMapIf(map(toString(currency), amount), is_open AND amount != 0) AS stakes
FROM cases FINAL
WHERE project = {project:String} AND $entities_in_scope
)
