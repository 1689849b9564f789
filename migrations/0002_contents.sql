-- Bodies: what a model saw or said and what a tool got or gave, each once per trace under its digest. The same row
-- may come twice (two requests at once, another week): equal digest, equal body, so any of them will do.
-- sharded by cityHash64(trace_id)
CREATE TABLE IF NOT EXISTS {sharded:contents} (
    project LowCardinality(String),
    trace_id FixedString(16),
    digest FixedString(16),
    kind Enum8('system' = 1, 'message' = 2, 'tool_definition' = 3, 'output' = 4, 'arguments' = 5, 'result' = 6, 'attribute' = 7),
    role LowCardinality(String),
    is_json Bool,
    bytes UInt64 CODEC(T64, ZSTD(1)),
    cut_from Nullable(UInt64) COMMENT 'length in bytes before it was cut to the limit',
    preview String CODEC(ZSTD(3)),
    body String CODEC(ZSTD(3)),
    expires Date COMMENT 'by receipt, never by the clock of a client',
    INDEX words body TYPE text(tokenizer = 'asciiCJK', preprocessor = lowerUTF8(normalizeUTF8NFC(body)))
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, trace_id, digest)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
