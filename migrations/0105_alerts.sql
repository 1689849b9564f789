-- What alerts began and ended: the standing of a rule is its last event, so a restart fires nothing again.
CREATE TABLE IF NOT EXISTS {table:alerts} (
    project LowCardinality(String),
    rule String,
    episode UInt32 COMMENT 'the first, second, … time that it holds',
    fired Bool COMMENT 'false: it ended',
    at_ns UInt64,
    count UInt64 COMMENT 'how many there were of what the rule counts',
    said String,
    paths Array(String) COMMENT 'addresses of examples',
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, rule, episode, fired)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
