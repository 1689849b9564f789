//! The only reader of flags, environment and recount.toml.
mod args;
mod error;
mod file;
mod settings;
mod show;
mod tools;

pub use args::{Cli, Command, DemoArgs, ImportArgs, ServeArgs, parse};
pub use error::ConfigError;
pub use file::{File, parse_file};
pub use settings::{Setting, Settings, Source, StoreSetting, log_filter, resolve};
pub use show::show;
