-- How many acts of a run were unknown and closed by a resolution.
-- and its distributed table
ALTER TABLE {sharded:runs} ADD COLUMN IF NOT EXISTS acts_resolved UInt32 DEFAULT 0
