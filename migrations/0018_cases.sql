-- Derived: one line a case, folded from the attempts it is about and its events. As actions.
-- sharded by cityHash64(case_id)
CREATE TABLE IF NOT EXISTS {sharded:cases} (
    project LowCardinality(String),
    is_deleted UInt8,
    expires Date,
    case_id String,
    key String,
    tool LowCardinality(String),
    target String,
    entities Array(Tuple(kind LowCardinality(String), id String)),
    run_id String,
    step_id String,
    trace_id FixedString(16),
    span_id FixedString(8),
    run_ids Array(String),
    traces Array(FixedString(16)),
    agent LowCardinality(String),
    outcome Enum8('submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4),
    evidence Enum8('given' = 1, 'status' = 2, 'error' = 3, 'timeout' = 4, 'read_back' = 5, 'reconcile' = 6, 'resolution' = 7),
    unknown_at_ns UInt64,
    state Enum8('waiting' = 1, 'open' = 2, 'pending' = 3, 'resolved' = 4),
    opened_ns UInt64,
    settled_ns UInt64,
    started_ns UInt64,
    changed_ns UInt64,
    owner String,
    owner_since_ns UInt64,
    key_expires_ns UInt64,
    value String,
    amount Float64 COMMENT 'of value, 0 where it is no number',
    currency LowCardinality(String),
    attempt_count UInt32,
    look_count UInt32,
    look_failed_count UInt32,
    last_look_ns UInt64,
    path Array(Tuple(state Enum8('submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4), at_ns UInt64, by String, evidence Enum8('given' = 1, 'status' = 2, 'error' = 3, 'timeout' = 4, 'read_back' = 5, 'reconcile' = 6, 'resolution' = 7), run_id String, trace_id FixedString(16), span_id FixedString(8), event_id String)),
    event_count UInt32,
    last_event_id String,
    version UInt64,
    precedence UInt64
)
ENGINE = {engine:ReplacingMergeTree(precedence, is_deleted)}
PARTITION BY toMonday(expires)
ORDER BY (project, case_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
