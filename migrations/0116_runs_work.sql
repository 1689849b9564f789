-- What a run did, added up by tool, and by model and parameters: what the overview counts. `waiting` are the deadlines of
-- acts that are submitted (0: none), so that no deadline needs a write. `took_us` are the lengths of attempts.
-- and its distributed table
ALTER TABLE {sharded:runs}
    ADD COLUMN IF NOT EXISTS work Array(Tuple(kind Enum8('think' = 1, 'read' = 2, 'act' = 3, 'reconcile' = 4, 'wait' = 5, 'agent' = 6, 'transport' = 7, 'other' = 8), name LowCardinality(String), parameters Array(String), steps UInt32, retried UInt32, recovered UInt32, attempts UInt32, throttled UInt32, confirmed UInt32, failed UInt32, unknown UInt32, waiting Array(UInt64), tokens_in Nullable(UInt64), tokens_out Nullable(UInt64), cost_usd Nullable(Float64), took_us Array(UInt64))) DEFAULT []
