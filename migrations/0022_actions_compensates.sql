-- Finds what undid an action without reading every line.
ALTER TABLE {sharded:actions} ADD INDEX IF NOT EXISTS compensated compensates TYPE bloom_filter(0.01) GRANULARITY 8
