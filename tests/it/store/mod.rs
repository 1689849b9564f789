//! The store and its engine.
mod backup;
mod cluster;
mod columns;
mod crash;
mod expiry;
mod inserts;
mod migrations;
mod network;
mod reads;
mod signing;
mod start;
