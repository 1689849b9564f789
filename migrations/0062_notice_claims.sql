-- Which of several servers tells a webhook what: the first to claim a turn. A turn that is long over may be claimed anew.
CREATE TABLE IF NOT EXISTS {table:notice_claims} (
    project LowCardinality(String),
    endpoint String COMMENT 'a digest of its URL',
    case_id String,
    episode UInt32,
    kind LowCardinality(String),
    turn UInt32,
    server String,
    at_ns UInt64,
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, endpoint, case_id, episode, kind, turn)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
