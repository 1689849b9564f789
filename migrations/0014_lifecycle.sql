-- What happened to the system itself: starts, stops, changes of rules and keys, gaps.
CREATE TABLE IF NOT EXISTS {table:lifecycle} (
    at_ns UInt64 CODEC(Delta, ZSTD(1)),
    event_id String,
    kind LowCardinality(String),
    detail Array(Tuple(name LowCardinality(String), value String)),
    expires Date
)
ENGINE = {engine:ReplacingMergeTree()}
PARTITION BY toMonday(expires)
ORDER BY (at_ns, event_id)
SETTINGS {settings}
