//! The demo agents and the small payments and mail service they act upon.
