-- When a key was last used, written once a minute at most.
CREATE TABLE IF NOT EXISTS {table:last_uses} (
    id String,
    used_ns UInt64
)
ENGINE = {engine:ReplacingMergeTree(used_ns)}
ORDER BY id
SETTINGS {settings}
