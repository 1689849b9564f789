-- Whose turn it is to give leaves their places and to sign, of several servers over one store: the last claim counts.
CREATE TABLE IF NOT EXISTS {table:signing} (
    slot UInt8 DEFAULT 0 COMMENT 'always 0: only the last claim is kept',
    turn UInt64,
    server String COMMENT 'an id that lives as long as its process, empty when the turn was given back',
    name String COMMENT 'the server, for people',
    key String COMMENT 'the public key it signs with',
    at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'by the clock of the store'
)
ENGINE = {engine:ReplacingMergeTree(turn)}
ORDER BY slot
SETTINGS {settings}
