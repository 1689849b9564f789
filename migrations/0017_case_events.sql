-- Ground truth: what people and jobs appended to cases. Never changed, never removed before its week expires.
CREATE TABLE IF NOT EXISTS {table:case_events} (
    project LowCardinality(String),
    case_id String,
    tool LowCardinality(String),
    key String,
    run_id String,
    step_id String,
    trace_id FixedString(16),
    span_id FixedString(8),
    event_id String,
    at_ns UInt64 CODEC(Delta, ZSTD(1)),
    by String,
    by_job Bool,
    saw String COMMENT 'the last event of the case that its author saw',
    act LowCardinality(String),
    outcome Enum8('' = 0, 'submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4),
    owner String COMMENT 'to whom it was handed over',
    evidence String,
    note String,
    needs_second Bool,
    expires Date,
    INDEX keys key TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX traces trace_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, case_id, at_ns, event_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
