-- Who looked at what and who changed what. Only ever added to.
CREATE TABLE IF NOT EXISTS {table:activity} (
    project LowCardinality(String),
    expires Date,
    at_ns UInt64 CODEC(Delta, ZSTD(1)),
    id String,
    who String,
    address String,
    kind LowCardinality(String),
    what String,
    query String,
    run_id String,
    entities Array(String),
    status UInt16,
    rows Nullable(UInt64),
    INDEX entities entities TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (project, at_ns, id)
SETTINGS {settings}
