//! The demo agents and the small payments and mail service they act upon.
mod chance;
mod clock;
mod command;
mod conversation;
mod designed;
mod error;
mod model;
mod naive;
mod play;
mod scenario;
mod service;
mod stage;
mod telemetry;
mod ticket;
mod told;
mod tools;
mod trail;
mod truth;

pub use command::demo_command;
pub use error::DemoError;
pub use play::{DemoSettings, Payments, SETTINGS_TOML, play};
pub use scenario::Scenario;
pub use told::{Told, run_of, told};
pub use truth::{Effect, Truth};
