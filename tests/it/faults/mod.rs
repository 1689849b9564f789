//! The whole program while something around it is at fault: the store, the disk, the clock, strangers on the
//! network, more load than it can take. In each of these the law of conservation holds, and what was
//! acknowledged is stored once.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]
#[cfg(target_os = "linux")]
mod clock;
mod counts;
#[cfg(target_os = "linux")]
mod disk;
mod house;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod mounts;
mod network;
mod proxy;
mod store;
#[cfg(target_os = "linux")]
mod strangers;
mod traffic;
