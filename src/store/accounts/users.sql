-- People as of a time.
SELECT user_id, at_ns, name, toString(source) AS source, password, grants, disabled, changed_by
FROM users
WHERE at_ns <= {as_of_ns:UInt64}
ORDER BY user_id, at_ns DESC
LIMIT 1 BY user_id
