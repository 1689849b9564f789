-- From an idempotency key to every attempt under it, over all runs.
-- sharded by cityHash64(trace_id)
CREATE TABLE IF NOT EXISTS {sharded:keyed} (
    project LowCardinality(String),
    key String,
    tool LowCardinality(String),
    trace_id FixedString(16),
    span_id FixedString(8),
    carrier Enum8('span' = 1, 'event' = 2, 'log' = 3),
    record_id FixedString(16),
    received_ns UInt64 CODEC(Delta, ZSTD(1)),
    expires Date,
    precedence UInt64 MATERIALIZED bitNot(received_ns)
)
ENGINE = {engine:ReplacingMergeTree(precedence)}
PARTITION BY toMonday(expires)
ORDER BY (project, key, tool, trace_id, span_id, carrier, record_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
