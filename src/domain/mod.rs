//! What a step, run, action and case is. No I/O, no wire format, no clock: nothing here can fail.
pub mod action;
pub mod case;
pub mod content;
pub mod entity;
pub mod finding;
pub mod fold;
pub mod ids;
pub mod kind;
pub mod lifecycle;
pub mod outcome;
pub mod record;
pub mod run;
pub mod scope;
pub mod secret;
pub mod step;
pub mod summary;
pub mod value;
