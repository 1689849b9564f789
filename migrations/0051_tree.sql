-- The signed log: leaves in the order that the sequencer gave them (level 0), and the hash over every 256 nodes of a level
-- eight levels higher. Never changed, never expired: what is deleted stays provable by its neighbours.
CREATE TABLE IF NOT EXISTS {table:tree} (
    log_id FixedString(16),
    level UInt8,
    place UInt64 CODEC(Delta, ZSTD(1)),
    hash FixedString(32),
    frame UInt64 COMMENT 'of the leaf, as in leaves' CODEC(Delta, ZSTD(1)),
    position UInt32,
    INDEX frames frame TYPE minmax GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (log_id, level, place)
SETTINGS {settings}, index_granularity = 1024
