-- Each record and each body that was erased, for good: what is sent again is not kept again.
CREATE TABLE IF NOT EXISTS {table:erased} (
    project LowCardinality(String),
    trace_id FixedString(16),
    what LowCardinality(String) COMMENT 'record or body',
    id FixedString(16) COMMENT 'of the record, or digest of the body',
    leaf_hash FixedString(32) COMMENT 'of the record, as it stands in the signed log',
    erasure_id String,
    at_ns UInt64,
    INDEX erasures erasure_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (project, trace_id, what, id, leaf_hash, erasure_id)
SETTINGS {settings}
