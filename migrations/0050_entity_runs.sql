-- From an entity to the runs that had to do with it, with what they did in numbers. Derived as runs are. A line counts
-- only while the line of its run is not younger.
-- sharded by cityHash64(run_id)
CREATE TABLE IF NOT EXISTS {sharded:entity_runs} (
    project LowCardinality(String),
    entity String,
    received_ns UInt64 COMMENT 'first receipt of the run' CODEC(Delta, ZSTD(1)),
    run_id String,
    expires Date,
    precedence UInt64,
    listed_ns UInt64 COMMENT 'as in runs' CODEC(Delta, ZSTD(1)),
    first_ns UInt64 COMMENT 'when the first of its steps was tried' CODEC(Delta, ZSTD(1)),
    last_ns UInt64 CODEC(Delta, ZSTD(1)),
    confirmed UInt64,
    failed UInt64,
    unknown UInt64,
    submitted UInt64,
    held UInt64,
    reads UInt64,
    lookups UInt64,
    waits UInt64,
    attempts UInt64,
    unsaid UInt64 COMMENT 'acts that name nobody, in runs that name several',
    unknown_at_ns Array(UInt64) COMMENT 'when submitted acts become unknown',
    redactions Array(Tuple(rule LowCardinality(String), hits UInt64)),
    complete LowCardinality(String),
    gaps Array(String),
    skew_ms_max UInt64
)
ENGINE = {engine:ReplacingMergeTree(precedence)}
PARTITION BY toMonday(expires)
ORDER BY (project, entity, received_ns, run_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
