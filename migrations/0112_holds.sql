-- Legal holds: one row a change, as projects. What is held is neither expired nor erased.
CREATE TABLE IF NOT EXISTS {table:holds} (
    hold_id String,
    at_ns UInt64,
    project String,
    kind LowCardinality(String) COMMENT 'entity, run or project',
    names Array(String) COMMENT 'every name under which it is kept, the shown one first',
    reason String,
    placed_ns UInt64,
    placed_by String,
    lifted Bool,
    lifted_reason String,
    changed_by String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (hold_id, at_ns)
SETTINGS {settings}
