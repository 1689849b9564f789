-- From an entity, written `type:id`, to the steps that acted upon it or for it. The target of an act is one too.
-- sharded by cityHash64(trace_id)
CREATE TABLE IF NOT EXISTS {sharded:mentions} (
    project LowCardinality(String),
    entity String,
    trace_id FixedString(16),
    span_id FixedString(8),
    carrier Enum8('span' = 1, 'event' = 2, 'log' = 3),
    record_id FixedString(16),
    kind Enum8('think' = 1, 'read' = 2, 'act' = 3, 'reconcile' = 4, 'wait' = 5, 'agent' = 6, 'transport' = 7, 'other' = 8),
    received_ns UInt64 CODEC(Delta, ZSTD(1)),
    started_ns UInt64 CODEC(Delta, ZSTD(1)),
    expires Date,
    precedence UInt64 MATERIALIZED bitNot(received_ns)
)
ENGINE = {engine:ReplacingMergeTree(precedence)}
PARTITION BY toMonday(expires)
ORDER BY (project, entity, trace_id, span_id, carrier, record_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
