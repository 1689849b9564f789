//! Recount keeps what AI agents did, step by step, and shows it.
//!
//! The modules are declared in reading order: each may use those above it, never those below.
pub mod domain;

pub mod mcp;
pub mod otlp;

pub mod access;
pub mod conventions;
pub mod evidence;
pub mod redaction;

pub mod log;
pub mod notices;
pub mod store;

pub mod projection;

pub mod ingest;
pub mod web;

pub mod config;

pub mod server;

pub mod console;
pub mod demo;
