-- People who may sign in: one row a change, as projects.
CREATE TABLE IF NOT EXISTS {table:users} (
    user_id String,
    at_ns UInt64,
    name String,
    source LowCardinality(String) COMMENT 'who vouches for them',
    password String COMMENT 'argon2id, empty where another vouches',
    grants Array(String) COMMENT 'role@project, with :entity,entity where limited',
    disabled Bool,
    changed_by String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (user_id, at_ns)
SETTINGS {settings}
