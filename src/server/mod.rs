//! Builds every room, joins them, serves, stops.
