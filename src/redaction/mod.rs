//! The one door between what was received and what may be kept.
