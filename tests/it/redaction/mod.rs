//! Redaction and sampling of the program itself: rules that change while it runs, what they hid found again, what
//! they encrypted brought back, and acts that are all there whatever the load.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
mod hidden;
mod load;
mod reload;
mod spans;
