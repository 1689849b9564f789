-- Finds a case by such an id.
ALTER TABLE {sharded:cases} ADD INDEX IF NOT EXISTS earlier_ids known_as TYPE bloom_filter(0.01) GRANULARITY 1
