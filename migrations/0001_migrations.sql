CREATE TABLE IF NOT EXISTS {table:migrations}
(
    number UInt32,
    name String,
    checksum String COMMENT 'SHA-256 of the file as it was applied, lower-case hex',
    applied_by LowCardinality(String) COMMENT 'the version of Recount that applied it',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY number
SETTINGS {settings}
