//! The only reader of flags, environment and recount.toml.
mod alerts;
mod aliases;
mod args;
mod asking;
mod error;
mod file;
mod holding;
mod people;
mod prices;
mod quota;
mod redaction;
mod retention;
mod sampling;
mod serving;
mod settings;
mod show;
mod span;
mod tools;
mod vouching;
mod webhooks;

pub use args::{
    Cli, Command, DemoArgs, ExportArgs, ImportArgs, RedactArgs, RedactCommand, RedactKeyCommand,
    RedactRevealArgs, RedactTestArgs, VerifyArgs, parse,
};
pub use asking::{
    AccountArgs, AskArgs, FindingsArgs, McpArgs, PartArgs, RunArgs, RunsArgs, SearchArgs, ServerArgs,
    TimeArgs, UnknownsArgs,
};
pub use error::ConfigError;
pub use file::{File, parse_file, redaction_of};
pub use holding::{EraseArgs, ErasuresArgs, HoldArgs, HoldCommand};
pub use people::{KeyArgs, KeyCommand, UserArgs, UserCommand};
pub use redaction::{rules_in, rules_of};
pub use serving::ServeArgs;
pub use settings::{Setting, Settings, Source, StoreSetting, log_filter, resolve};
pub use show::show;
