//! The store and its engine.
mod migrations;
mod reads;
