-- Derived: one line a run, folded from its records, made again by `recount rebuild`. In the order of first receipt,
-- which rarely moves, so that a list of the last day reads only the last day. `precedence` rises with every record and
-- case event that is folded. A line whose run has another id or first receipt now is deleted. `unknown_at_ns` and
-- `heard_ns` are compared with the time of reading, so no deadline needs a write.
-- sharded by cityHash64(run_id)
CREATE TABLE IF NOT EXISTS {sharded:runs} (
    project LowCardinality(String),
    is_deleted UInt8,
    expires Date,
    run_id String,
    session_id String,
    name String,
    agent LowCardinality(String),
    agent_version LowCardinality(String),
    service LowCardinality(String),
    environment LowCardinality(String),
    user_id String,
    started_ns UInt64 CODEC(Delta, ZSTD(1)),
    ended_ns UInt64 CODEC(Delta, ZSTD(1)),
    received_ns UInt64 COMMENT 'first receipt' CODEC(Delta, ZSTD(1)),
    heard_ns UInt64 COMMENT 'last receipt' CODEC(Delta, ZSTD(1)),
    state LowCardinality(String),
    outcome LowCardinality(String),
    acts_confirmed UInt32,
    acts_failed UInt32,
    acts_unknown UInt32,
    acts_submitted UInt32,
    unknown_at_ns UInt64,
    step_count UInt32,
    attempt_count UInt32,
    retry_count UInt32,
    act_count UInt32,
    reconcile_count UInt32,
    error_count UInt32,
    finding_codes Array(LowCardinality(String)),
    models Array(LowCardinality(String)),
    tools Array(LowCardinality(String)),
    entities Array(String),
    tokens_in Nullable(UInt64),
    tokens_out Nullable(UInt64),
    cost_usd Nullable(Float64),
    complete LowCardinality(String),
    verdict String,
    traces Array(FixedString(16)),
    version UInt64 COMMENT 'records and case events folded',
    precedence UInt64,
    listed_ns UInt64 MATERIALIZED if(started_ns < 1420070400000000000 OR started_ns > received_ns + 3600000000000, received_ns, started_ns)
        COMMENT 'its start, or its receipt where it claims to start before 2015 or an hour from now' CODEC(Delta, ZSTD(1)),
    words String MATERIALIZED lowerUTF8(arrayStringConcat(arrayConcat(
        [run_id, name, session_id, agent, service, user_id, verdict], tools, entities, models), ' ')) COMMENT 'what free words are looked for in',
    INDEX run_ids run_id TYPE bloom_filter(0.0001) GRANULARITY 1,
    INDEX traces_of_runs traces TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = {engine:ReplacingMergeTree(precedence, is_deleted)}
PARTITION BY toMonday(expires)
ORDER BY (project, received_ns, run_id)
SETTINGS {settings}, index_granularity = 1024, default_compression_codec = 'ZSTD(1)'
