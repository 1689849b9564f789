//! The only reader of flags, environment and recount.toml.
mod aliases;
mod args;
mod error;
mod file;
mod prices;
mod redaction;
mod retention;
mod sampling;
mod settings;
mod show;
mod span;
mod tools;
mod webhooks;

pub use args::{
    Cli, Command, DemoArgs, ImportArgs, RedactArgs, RedactCommand, RedactKeyCommand, RedactRevealArgs,
    RedactTestArgs, ServeArgs, parse,
};
pub use error::ConfigError;
pub use file::{File, parse_file, redaction_of};
pub use redaction::{rules_in, rules_of};
pub use settings::{Setting, Settings, Source, StoreSetting, log_filter, resolve};
pub use show::show;
