-- As actions.
ALTER TABLE {sharded:cases} MODIFY SETTING min_bytes_for_wide_part = 1073741824
