//! The six questions to ask before an agent may act, answered from what was recorded and what is configured.
mod answer;
mod marks;
mod overall;
mod questions;
mod sheet;

pub use answer::{Answer, Proof, Reply};
pub use marks::{Mark, ToolMark, marks_of};
pub use overall::overall;
pub use questions::{QUESTIONS, Question};
pub use sheet::{Decided, Decision, Example, Ruled, Tally, ToolSheet};
