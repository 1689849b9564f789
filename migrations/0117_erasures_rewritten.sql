-- When the tables held nothing of it any more, by the clock of the store: from then on its files wait to be removed.
ALTER TABLE {table:erasures} ADD COLUMN IF NOT EXISTS rewritten_s UInt64 DEFAULT 0
