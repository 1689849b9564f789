-- What was noticed about a run, and what it shows about each of its tools: for lists of findings and for readiness.
-- A finding holds from `from_ns` until `until_ns` (0: already, and on): no deadline needs a write.
-- and its distributed table
ALTER TABLE {sharded:runs}
    ADD COLUMN IF NOT EXISTS findings Array(Tuple(code LowCardinality(String), message String, since_ns UInt64, from_ns UInt64, until_ns UInt64, step_count UInt32, steps Array(Tuple(number UInt32, trace_id FixedString(16), span_id FixedString(8))), tools Array(LowCardinality(String)))) DEFAULT [],
    ADD COLUMN IF NOT EXISTS marks Array(Tuple(tool LowCardinality(String), mark LowCardinality(String), count UInt32, number UInt32, trace_id FixedString(16), span_id FixedString(8))) DEFAULT []
