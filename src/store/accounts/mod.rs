//! Who may come in, as kept: one row a change, the latest of each counts, and what held then can be told.
mod change;
mod directory;
mod views;
mod write;

pub use change::{ApplyError, Changed, change_access};
pub use directory::{directory, directory_as_of, last_uses};
pub use views::{SavedView, keep_view, saved_views};
pub use write::{end_sessions_of, keep_key, keep_person, keep_project, keep_session, keep_uses};
