//! The store and its engine.
mod reads;
