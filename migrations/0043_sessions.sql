-- Who is signed in: one row when it begins, now and then while it is used, and when it ends.
CREATE TABLE IF NOT EXISTS {table:sessions} (
    session_hash String COMMENT 'of the token that the browser holds',
    at_ns UInt64,
    user_id String,
    started_ns UInt64,
    ended Bool,
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (session_hash, at_ns)
SETTINGS {settings}
