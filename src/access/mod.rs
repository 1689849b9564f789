//! Who is asking, from where, and what they may see.
mod addresses;
mod hosts;

pub use addresses::is_public;
pub use hosts::{Hosts, Origins};
