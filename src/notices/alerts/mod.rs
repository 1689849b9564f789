//! Alerts: rules over what is counted. One begins when its rule holds and ends when it does not any more;
//! both are kept in the store and told to webhooks once.
pub(super) mod judge;
pub(super) mod measure;
pub(super) mod message;
pub(super) mod rule;
