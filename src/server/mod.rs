//! Builds every room, joins them, serves, stops.
mod access;
mod addresses;
mod changes;
mod chronicle;
mod commands;
mod eraser;
mod erasing;
mod error;
mod evidence;
mod expiry;
mod hide;
mod holding;
mod import;
mod local;
mod logging;
mod people;
mod prepare;
mod record;
mod redact;
mod reload;
mod rooms;
mod serve;
mod signing;
mod stall;
mod start;
mod status;
mod typed;
mod watch;

pub use addresses::Addresses;
pub use commands::{check_command, complain, failed, rebuild_command, say, serve_command};
pub use erasing::{erase_command, erasures_command};
pub use error::StartError;
pub use evidence::{export_command, verify_command};
pub use expiry::expire;
pub use holding::hold_command;
pub use import::import_command;
pub use logging::start_logging;
pub use people::{key_command, user_command};
pub use redact::{
    redact_key_list_command, redact_key_new_command, redact_key_rotate_command, redact_reveal_command,
    redact_test_command,
};
pub use rooms::Rooms;
pub use serve::{ServeLimits, serve};
pub use start::{Server, told_to_stop};
