-- Which traces are one run because a convention says so of a link, from each to the other.
-- sharded by cityHash64(trace_id)
CREATE TABLE IF NOT EXISTS {sharded:trace_links} (
    project LowCardinality(String),
    trace_id FixedString(16),
    other_trace_id FixedString(16),
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, trace_id, other_trace_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
