-- API keys as of a time.
SELECT key_id, at_ns, name, project, toString(role) AS role, entities, secret_hash, made_ns, expires_ns, revoked, changed_by
FROM api_keys
WHERE at_ns <= {as_of_ns:UInt64}
ORDER BY key_id, at_ns DESC
LIMIT 1 BY key_id
