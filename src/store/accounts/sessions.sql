-- Sessions that may still go on.
SELECT session_hash, max(at_ns) AS seen_ns, any(user_id) AS user_id, min(started_ns) AS started_ns, max(ended) AS ended
FROM sessions
WHERE session_hash IN (SELECT session_hash FROM sessions WHERE at_ns >= {since_ns:UInt64})
GROUP BY session_hash
HAVING NOT ended
ORDER BY session_hash
