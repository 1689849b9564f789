-- The calls whose error a model call was shown as it came.
-- and its distributed table
ALTER TABLE {sharded:steps} ADD COLUMN IF NOT EXISTS errors_shown Array(String) DEFAULT []
