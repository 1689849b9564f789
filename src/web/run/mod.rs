//! One run in view: its verdict, its rail of steps, and the inspector beside it.
pub(in crate::web) mod bars;
pub(in crate::web) mod bodies;
mod drawing;
mod gate;
mod happened;
pub(in crate::web) mod head;
pub(in crate::web) mod inspector;
mod lease;
pub(in crate::web) mod model;
pub(in crate::web) mod proposed;
pub(in crate::web) mod rail;
pub(in crate::web) mod raised;
pub(in crate::web) mod raw;
mod row;
mod saw;
pub(in crate::web) mod thread;
pub(in crate::web) mod verdict;
pub(in crate::web) mod view;
