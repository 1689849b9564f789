//! The log tried hard: on a modelled disk that fails and forgets, and on the real one.
mod live;
mod model;
