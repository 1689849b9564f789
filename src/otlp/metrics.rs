//! What is read of metrics, which are not kept: how many there were, and what the SDK says it lost.

/// What a metrics request tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricsTold {
    /// How many data points it has.
    pub data_points: u64,
    /// Spans that the SDK lost before sending, by its own counters; at most [`LOST_MAX`].
    pub lost: Vec<Lost>,
}

/// Spans that an SDK lost, as one data point tells. A lower bound: what says so may be lost as well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// `service.name` of its resource; empty when not told.
    pub service: String,
    /// `error.type`, such as `queue_full`.
    pub reason: String,
    /// How many.
    pub spans: u64,
    /// Whether that counts since the SDK's start, or since its last report.
    pub cumulative: bool,
}

/// Entries in [`MetricsTold::lost`]; more are not read.
pub const LOST_MAX: usize = 100;

/// The SDK's own counters whose points with an `error.type` are lost spans (OpenTelemetry SDK metrics).
const COUNTERS: [&str; 2] = ["otel.sdk.processor.span.processed", "otel.sdk.exporter.span.exported"];

impl MetricsTold {
    /// Adds a data point of this metric, read by the decoder.
    pub(crate) fn add(&mut self, metric: &str, lost: Lost) {
        self.data_points += 1;
        let told = COUNTERS.contains(&metric) && !lost.reason.is_empty() && lost.spans > 0;
        if told && self.lost.len() < LOST_MAX {
            self.lost.push(lost);
        }
    }
}

/// Whether this is a counter that tells of lost spans, so that its points are worth reading.
pub(crate) fn tells_of_loss(metric: &str) -> bool {
    COUNTERS.contains(&metric)
}
