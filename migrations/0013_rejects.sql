-- What was refused and why, without its content.
CREATE TABLE IF NOT EXISTS {table:rejects} (
    project LowCardinality(String),
    expires Date,
    at_ns UInt64 CODEC(Delta, ZSTD(1)),
    position UInt32 COMMENT 'among the refusals of its request',
    source LowCardinality(String) COMMENT 'the door it came to',
    class LowCardinality(String),
    reason String,
    items UInt64 COMMENT 'how many spans or log records it stands for',
    service LowCardinality(String),
    bytes UInt64 COMMENT 'on the wire, 0 when unknown',
    sha256 String COMMENT 'of the refused bytes, hex, empty when unknown'
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, at_ns, position, sha256)
SETTINGS {settings}
