//! What came, what was kept and what was refused, for metrics and for the law of conservation.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::ingest::signal::Signal;
use crate::otlp::Lost;

/// Services whose losses are told apart; more are counted under one name, so that a sender cannot make
/// metrics without end.
const SERVICES_MAX: usize = 200;

/// Upper bounds of the histogram of answers, in seconds.
const BOUNDS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Counters of the way in.
#[derive(Debug)]
pub struct Meters {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<TransportLabels, Histogram>,
    bytes: Family<TransportLabels, Counter>,
    records: Family<RecordLabels, Counter>,
    refused: Family<RefusedLabels, Counter>,
    cut: Counter,
    lost: Family<LostLabels, Gauge>,
    lost_by: Mutex<BTreeMap<(String, String), u64>>,
    totals: [AtomicU64; 3],
}

/// Records received, refused and kept since the start. Between requests, received = refused + kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Spans and log records that were told apart in a request.
    pub received: u64,
    /// Those that were refused: one by one, or because their request could not be kept.
    pub refused: u64,
    /// Those whose senders were told OK.
    pub kept: u64,
}

impl Arrivals {
    /// Records of requests that are being kept right now.
    pub fn under_way(&self) -> u64 {
        self.received.saturating_sub(self.refused + self.kept)
    }

    /// Whether nothing is unaccounted for. While requests are under way, `received` is ahead.
    pub fn holds(&self) -> bool {
        self.received >= self.refused + self.kept
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    transport: &'static str,
    signal: &'static str,
    code: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TransportLabels {
    transport: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RecordLabels {
    signal: &'static str,
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusedLabels {
    signal: &'static str,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LostLabels {
    service: String,
    reason: String,
}

impl Meters {
    /// Meters that this registry shows.
    pub fn new(registry: &mut Registry) -> Arc<Self> {
        let meters = Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            bytes: Family::default(),
            records: Family::default(),
            refused: Family::default(),
            cut: Counter::default(),
            lost: Family::default(),
            lost_by: Mutex::default(),
            totals: Default::default(),
        };
        let requests = "Requests by transport, signal and status";
        registry.register("recount_ingest_requests", requests, meters.requests.clone());
        let seconds = "Seconds from a request's header to its answer";
        registry.register("recount_ingest_seconds", seconds, meters.seconds.clone());
        registry.register("recount_ingest_bytes", "Bytes of bodies as sent", meters.bytes.clone());
        let records = "Spans and log records by what became of them: received, kept, refused";
        registry.register("recount_ingest_records", records, meters.records.clone());
        let refused = "Spans and log records refused, or requests of which nothing could be read, by reason";
        registry.register("recount_ingest_refused", refused, meters.refused.clone());
        let cut = "Values cut and attributes left out because of the limits";
        registry.register("recount_ingest_cut", cut, meters.cut.clone());
        let lost = "Spans that SDKs say they lost before sending: a lower bound";
        registry.register("recount_client_lost_spans", lost, meters.lost.clone());
        Arc::new(meters)
    }

    /// A request was answered with this status.
    pub(crate) fn answered(
        &self,
        transport: &'static str,
        signal: &'static str,
        code: String,
        took: Duration,
    ) {
        self.requests.get_or_create(&RequestLabels { transport, signal, code }).inc();
        self.seconds.get_or_create(&TransportLabels { transport }).observe(took.as_secs_f64());
    }

    /// A body of this many bytes was read.
    pub(crate) fn read(&self, transport: &'static str, bytes: usize) {
        self.bytes.get_or_create(&TransportLabels { transport }).inc_by(bytes as u64);
    }

    /// Records were told apart in a request.
    pub fn received(&self, signal: Signal, records: u64) {
        self.count(0, signal, "received", records);
    }

    /// Records were refused for this reason.
    pub fn refused(&self, signal: Signal, reason: &'static str, records: u64) {
        self.count(1, signal, "refused", records);
        self.refused.get_or_create(&RefusedLabels { signal: signal.word(), reason }).inc_by(records);
    }

    /// Records are kept.
    pub fn kept(&self, signal: Signal, records: u64) {
        self.count(2, signal, "kept", records);
    }

    /// A whole request was refused before its records could be told apart.
    pub fn unread(&self, signal: Signal, reason: &'static str) {
        self.refused.get_or_create(&RefusedLabels { signal: signal.word(), reason }).inc();
    }

    /// Values were cut or left out.
    pub fn cut(&self, values: u64) {
        self.cut.inc_by(values);
    }

    /// An SDK says that it lost spans.
    pub fn lost(&self, lost: &Lost) {
        let mut lost_by = self.lost_by.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = (lost.service.clone(), lost.reason.clone());
        if !lost_by.contains_key(&name) && lost_by.len() >= SERVICES_MAX {
            name = ("(others)".to_owned(), "(any)".to_owned());
        }
        let spans = lost_by.entry(name.clone()).or_default();
        *spans = if lost.cumulative { (*spans).max(lost.spans) } else { spans.saturating_add(lost.spans) };
        let labels = LostLabels { service: name.0, reason: name.1 };
        self.lost.get_or_create(&labels).set(i64::try_from(*spans).unwrap_or(i64::MAX));
    }

    /// The totals since the start.
    pub fn arrivals(&self) -> Arrivals {
        // Read backwards, so that a request that moves on meanwhile never shows more kept than received.
        let [received, refused, kept] = &self.totals;
        let kept = kept.load(Ordering::SeqCst);
        let refused = refused.load(Ordering::SeqCst);
        Arrivals { received: received.load(Ordering::SeqCst), refused, kept }
    }

    fn count(&self, total: usize, signal: Signal, state: &'static str, records: u64) {
        // Metrics are never kept: they would only blur what became of steps.
        if let Some(total) = self.totals.get(total).filter(|_| signal != Signal::Metrics) {
            total.fetch_add(records, Ordering::SeqCst);
        }
        self.records.get_or_create(&RecordLabels { signal: signal.word(), state }).inc_by(records);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_add_up_and_shows() {
        let mut registry = Registry::default();
        let meters = Meters::new(&mut registry);
        meters.received(Signal::Traces, 10);
        assert!(meters.arrivals().holds());
        meters.refused(Signal::Traces, "bad-id", 3);
        meters.kept(Signal::Traces, 7);
        assert_eq!(meters.arrivals(), Arrivals { received: 10, refused: 3, kept: 7 });
        assert!(meters.arrivals().holds());
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        assert!(
            text.contains("recount_ingest_refused_total{signal=\"traces\",reason=\"bad-id\"} 3"),
            "{text}"
        );
    }

    #[test]
    fn losses_are_bounded_in_names_and_never_counted_twice() {
        let meters = Meters::new(&mut Registry::default());
        let lost = |service: &str, spans, cumulative| Lost {
            service: service.to_owned(),
            reason: "queue_full".to_owned(),
            spans,
            cumulative,
        };
        meters.lost(&lost("a", 5, true));
        meters.lost(&lost("a", 7, true));
        meters.lost(&lost("b", 5, false));
        meters.lost(&lost("b", 7, false));
        let by = meters.lost_by.lock().unwrap().clone();
        assert_eq!(by.into_values().collect::<Vec<_>>(), [7, 12]);
        (0..SERVICES_MAX * 2).for_each(|number| meters.lost(&lost(&number.to_string(), 1, true)));
        assert_eq!(meters.lost_by.lock().unwrap().len(), SERVICES_MAX + 1);
    }
}
