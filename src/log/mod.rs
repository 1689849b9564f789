//! The durable log of rows not yet confirmed in the store: bytes in, bytes out, knows no columns.
