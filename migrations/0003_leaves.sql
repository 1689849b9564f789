-- The evidence log: one hash for each record kept, in the order in which the durable log took them
-- (log, frame, position in the frame). Append-only.
CREATE TABLE IF NOT EXISTS {table:leaves} (
    log_id FixedString(16),
    frame UInt64 CODEC(Delta, ZSTD(1)),
    position UInt32 CODEC(Delta, ZSTD(1)),
    leaf_hash FixedString(32),
    record_id FixedString(16),
    trace_id FixedString(16),
    expires Date,
    project LowCardinality(String)
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, log_id, frame, position)
SETTINGS {settings}
