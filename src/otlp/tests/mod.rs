//! The decoders against real captures, hostile bytes, the official types, and damage to one record of many.
mod captures;
mod json;
mod metrics;
mod roundtrip;
mod salvage;
