//! Dialects of agent traces, all read into one [`Step`](crate::domain::step::Step).
