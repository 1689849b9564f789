-- For the bodies that are there already. It goes on behind the scenes.
ALTER TABLE {sharded:contents} MATERIALIZE INDEX shown
