//! A case as people see it: a line of the queue, its story, and the forms that settle it.
pub(in crate::web) mod asked;
pub(in crate::web) mod clash;
pub(in crate::web) mod forms;
pub(in crate::web) mod head;
pub(in crate::web) mod line;
pub(in crate::web) mod matter;
pub(in crate::web) mod policy;
pub(in crate::web) mod story;
pub(in crate::web) mod uses;
pub(in crate::web) mod window;
