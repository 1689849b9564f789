-- The index before it, which read escapes as words.
ALTER TABLE {sharded:contents} DROP INDEX IF EXISTS words
