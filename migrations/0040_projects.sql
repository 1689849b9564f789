-- Projects: one row a change. The latest counts, and what held on any day can be told.
CREATE TABLE IF NOT EXISTS {table:projects} (
    project String,
    at_ns UInt64,
    closed Bool,
    changed_by String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (project, at_ns)
SETTINGS {settings}
