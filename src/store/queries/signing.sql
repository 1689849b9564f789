-- The last claim to sign, and how long ago it was made, by the clock of the store.
SELECT turn, server, name, key, toUInt64(greatest(0, dateDiff('millisecond', at, now64(3)))) AS age_ms
FROM signing
ORDER BY turn DESC
LIMIT 1
