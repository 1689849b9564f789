-- Saved views of lists: one row a change, as projects. The latest counts.
CREATE TABLE IF NOT EXISTS {table:views} (
    project LowCardinality(String),
    view_id String,
    at_ns UInt64,
    name String,
    page LowCardinality(String) COMMENT 'runs, unknowns or findings',
    query String COMMENT 'the state of the list, as it stands in its address',
    owner String,
    shared Bool,
    removed Bool,
    changed_by String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (project, view_id, at_ns)
SETTINGS {settings}
