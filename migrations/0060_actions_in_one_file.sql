-- A line of actions has many columns, and one line is read at a time: each part is one file as long as it is small.
ALTER TABLE {sharded:actions} MODIFY SETTING min_bytes_for_wide_part = 1073741824
