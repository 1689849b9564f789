//! The only reader of flags, environment and recount.toml.
