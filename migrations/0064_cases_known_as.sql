-- The ids under which a case was known before the key of its act arrived.
-- and its distributed table
ALTER TABLE {sharded:cases} ADD COLUMN IF NOT EXISTS known_as Array(String) DEFAULT []
