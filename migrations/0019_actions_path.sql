-- How an action's state came to be, every attempt at it, and what it undoes.
-- and its distributed table
ALTER TABLE {sharded:actions}
    ADD COLUMN IF NOT EXISTS path Array(Tuple(state Enum8('submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4), at_ns UInt64, by String, evidence Enum8('given' = 1, 'status' = 2, 'error' = 3, 'timeout' = 4, 'read_back' = 5, 'reconcile' = 6, 'resolution' = 7), run_id String, trace_id FixedString(16), span_id FixedString(8), event_id String)) DEFAULT [],
    ADD COLUMN IF NOT EXISTS uses Array(Tuple(run_id String, step_id String, number UInt32, trace_id FixedString(16), span_id FixedString(8), started_ns UInt64, ended_ns UInt64, worker String, epoch Nullable(UInt64), gate Enum8('new' = 1, 'duplicate' = 2, 'unknown' = 3, 'none' = 4), outcome Enum8('' = 0, 'submitted' = 1, 'confirmed' = 2, 'failed' = 3, 'unknown' = 4), reason String)) DEFAULT [],
    ADD COLUMN IF NOT EXISTS compensates String DEFAULT '',
    ADD COLUMN IF NOT EXISTS agent LowCardinality(String) DEFAULT ''
