-- API keys: one row a change, as projects. Of the key itself only its hash is kept.
CREATE TABLE IF NOT EXISTS {table:api_keys} (
    key_id String,
    at_ns UInt64,
    name String,
    project String,
    role LowCardinality(String),
    entities Array(String),
    secret_hash String,
    made_ns UInt64,
    expires_ns UInt64 COMMENT '0 for never',
    revoked Bool,
    changed_by String
)
ENGINE = {engine:ReplacingMergeTree()}
ORDER BY (key_id, at_ns)
SETTINGS {settings}
