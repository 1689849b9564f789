//! The overview: what was asked, the figures of it, and the charts drawn from these.
pub(in crate::web) mod asked;
pub(in crate::web) mod bins;
pub(in crate::web) mod by_name;
pub(in crate::web) mod chart;
pub(in crate::web) mod figures;
pub(in crate::web) mod gather;
pub(in crate::web) mod leads;
pub(in crate::web) mod over_time;
