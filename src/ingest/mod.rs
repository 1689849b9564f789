//! Takes exports, keeps them in the log, drains the log into the store.
