-- Signed states of the log. They are also written outside the database: only those show that it was not rewritten.
CREATE TABLE IF NOT EXISTS {table:checkpoints} (
    log_id FixedString(16),
    size UInt64,
    at_ns UInt64,
    note String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (log_id, size)
SETTINGS {settings}
