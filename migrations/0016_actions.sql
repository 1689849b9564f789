-- Derived: one line a key and tool, folded from every attempt under it, or one line an act that has no key. As runs.
-- sharded by cityHash64(key)
CREATE TABLE IF NOT EXISTS {sharded:actions} (
    project LowCardinality(String),
    is_deleted UInt8,
    expires Date,
    owner String COMMENT 'the run, where nobody gave a key',
    key String,
    key_given Bool,
    tool LowCardinality(String),
    target String,
    outcome Enum8('submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4),
    evidence Enum8('given' = 1, 'status' = 2, 'error' = 3, 'timeout' = 4, 'read_back' = 5, 'reconcile' = 6, 'resolution' = 7),
    unknown_at_ns UInt64,
    started_ns UInt64,
    changed_ns UInt64,
    key_expires_ns UInt64,
    attempt_count UInt32,
    held_count UInt32,
    argument_drift Bool,
    gate Enum8('new' = 1, 'duplicate' = 2, 'unknown' = 3, 'none' = 4),
    value String,
    downstream_id String,
    run_ids Array(String),
    step_id String,
    spans Array(Tuple(trace_id FixedString(16), span_id FixedString(8))),
    entities Array(Tuple(kind LowCardinality(String), id String)),
    version UInt64,
    precedence UInt64,
    INDEX keys key TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree(precedence, is_deleted)}
PARTITION BY toMonday(expires)
ORDER BY (project, owner, key, tool)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
