-- For the records that are there already. It goes on behind the scenes.
ALTER TABLE {sharded:steps} MATERIALIZE INDEX shown
