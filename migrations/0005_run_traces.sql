-- From a run's given id to its traces. A run without one has the id of its trace and needs no row.
-- sharded by cityHash64(trace_id)
CREATE TABLE IF NOT EXISTS {sharded:run_traces} (
    project LowCardinality(String),
    run_id String,
    trace_id FixedString(16),
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, run_id, trace_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
