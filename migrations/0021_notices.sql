-- Which webhooks were told what about which case, so that a restart neither loses nor repeats it.
CREATE TABLE IF NOT EXISTS {table:notices} (
    project LowCardinality(String),
    endpoint String COMMENT 'a digest of its URL',
    case_id String,
    episode UInt32 COMMENT 'the first, second, … time that the act became unknown',
    kind LowCardinality(String),
    at_ns UInt64,
    delivered Bool COMMENT 'false: given up',
    attempts UInt32,
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, endpoint, case_id, episode, kind)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
