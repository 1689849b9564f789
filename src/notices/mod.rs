//! Tells other systems of unknowns: webhooks when one opens, ages, nears the end of its key, is settled; of
//! alerts, when one begins and ends; and gauges.
//!
//! One task looks at the queue at intervals. What it has told is kept in the store, so a restart neither
//! loses nor repeats it for ever; what it told just before it died may come twice, under the same id.
mod alerts;
mod deliver;
mod due;
mod endpoint;
mod gauges;
mod sign;
mod task;

pub use alerts::rule::{Rule, RuleError};
pub use endpoint::{Endpoint, EndpointError, Shape};
pub use gauges::Gauges;
pub use task::{Notices, NoticesSettings, try_endpoints};
