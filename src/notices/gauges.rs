//! What Prometheus is told of unknowns and of webhooks.
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::store::queries::CaseCounts;

/// Gauges and counters. Clones are the same ones.
#[derive(Debug, Clone, Default)]
pub struct Gauges {
    open: Gauge,
    unowned: Gauge,
    oldest: Gauge<f64, AtomicU64>,
    pub(super) delivered: Counter,
    pub(super) failed: Counter,
    pub(super) given_up: Counter,
}

impl Gauges {
    /// Registers them.
    pub fn new(registry: &mut Registry) -> Self {
        let all = Self::default();
        registry.register("recount_unknowns_open", "Acts whose outcome nobody knows", all.open.clone());
        registry.register("recount_unknowns_unowned", "Of these, without an owner", all.unowned.clone());
        registry.register(
            "recount_unknowns_oldest_seconds",
            "How long the oldest of them has been unknown",
            all.oldest.clone(),
        );
        registry.register("recount_webhooks_delivered", "Messages taken by webhooks", all.delivered.clone());
        registry.register("recount_webhooks_failed", "Deliveries that failed", all.failed.clone());
        registry.register("recount_webhooks_given_up", "Messages no longer tried", all.given_up.clone());
        all
    }

    /// Shows the queues of all projects as of now.
    #[expect(clippy::cast_precision_loss, reason = "an age in seconds is shown, not computed with")]
    pub(super) fn show(&self, counts: &[CaseCounts], now_ns: u64) {
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.open.set(signed(counts.iter().map(|counts| counts.open).sum()));
        self.unowned.set(signed(counts.iter().map(|counts| counts.unowned).sum()));
        let oldest_ns = counts.iter().filter_map(|counts| counts.oldest_ns).min();
        let age_ms = oldest_ns.map_or(0, |oldest| now_ns.saturating_sub(oldest) / 1_000_000);
        self.oldest.set(age_ms as f64 / 1000.0);
    }
}
