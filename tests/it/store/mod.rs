//! The store and its engine.
mod columns;
mod inserts;
mod migrations;
mod reads;
