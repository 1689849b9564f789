-- What the model calls of a run used, by model and day, where their runtime does not say what they cost: the cost is computed
-- when it is read, from the prices of that moment. `calls_untold` counts the calls of which neither is told.
-- and its distributed table
ALTER TABLE {sharded:runs}
    ADD COLUMN IF NOT EXISTS usage Array(Tuple(model String, day UInt32, input UInt64, output UInt64, cache_read UInt64, cache_write UInt64)) DEFAULT [],
    ADD COLUMN IF NOT EXISTS calls_untold UInt32 DEFAULT 0
