-- What was asked to be erased: one row when it is asked for, one when it is done. Kept for good.
CREATE TABLE IF NOT EXISTS {table:erasures} (
    erasure_id String,
    at_ns UInt64,
    project String,
    about String COMMENT 'the entity, as records show it',
    reason String,
    asked_ns UInt64,
    asked_by String,
    runs UInt64,
    records UInt64,
    bodies UInt64,
    is_done Bool,
    receipt String COMMENT 'a signed note, once it is done'
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (erasure_id, at_ns)
SETTINGS {settings}
