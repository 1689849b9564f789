//! The store and its engine.
mod cluster;
mod columns;
mod crash;
mod inserts;
mod migrations;
mod network;
mod reads;
mod start;
