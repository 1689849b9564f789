//! Who is asking, from where, and what they may see.
mod hosts;

pub use hosts::{Hosts, Origins};
