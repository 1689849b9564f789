//! What the server says of itself: on `/status`, to `/readyz`, and to whoever scrapes `/metrics`.
use std::fmt::Write;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use crate::ingest::{Keeper, Meters, Progress};
use crate::log::Log;
use crate::projection::{Projection, Sequencer, Signing};
use crate::server::prepare::now_ns;
use crate::server::signing::said;
use crate::server::watch::Watch;
use crate::web::{IngestStatus, LogStatus, ProjectionStatus, ServerStatus};

/// Where the figures come from.
pub(in crate::server) struct Figures {
    pub(in crate::server) started_ns: u64,
    pub(in crate::server) log: Log,
    pub(in crate::server) progress: Arc<Progress>,
    pub(in crate::server) keeper: Keeper,
    pub(in crate::server) projection: Projection,
    pub(in crate::server) meters: Arc<Meters>,
    pub(in crate::server) watch: Watch,
    pub(in crate::server) registry: Registry,
    pub(in crate::server) sequencer: Sequencer,
}

impl Figures {
    /// How the server is doing now.
    pub(in crate::server) fn status(&self) -> ServerStatus {
        let (log, drain, seen) = (self.log.stats(), self.progress.stats(), self.watch.seen());
        let failing_ns = drain.failing.as_ref().and_then(|failing| {
            let since = failing.since.duration_since(UNIX_EPOCH).ok()?;
            u64::try_from(since.as_nanos()).ok()
        });
        let since = seen.unreachable_since_ns.into_iter().chain(failing_ns).min();
        let mut not_ready = Vec::new();
        if let Some(failing) = &drain.failing {
            not_ready.push(format!("the store does not take rows ({})", failing.class));
        } else if seen.unreachable_since_ns.is_some() {
            not_ready.push("the store does not answer".to_owned());
        }
        not_ready.extend(seen.unusable);
        if log.bytes >= log.limit {
            not_ready.push("the log is full".to_owned());
        }
        let oldest_ns = log
            .oldest_age
            .map(|age| now_ns().saturating_sub(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX)));
        let lag = self.projection.lag();
        let (arrivals, ledger) = (self.meters.arrivals(), self.keeper.ledger());
        ServerStatus {
            not_ready,
            started_ns: self.started_ns,
            version: env!("RECOUNT_VERSION").to_owned(),
            store_place: seen.place,
            store_version: seen.version,
            store_unreachable_since_ns: since,
            log: LogStatus {
                bytes: log.bytes,
                bytes_max: log.limit,
                oldest_ns,
                segments: log.segments,
                set_aside: log.damaged_segments,
                drained_rows_per_second: drain.records_per_second,
            },
            ingest: IngestStatus {
                received: arrivals.received,
                kept: arrivals.kept,
                refused: arrivals.refused,
                stored: ledger.stored,
                waiting: ledger.waiting,
                set_aside: ledger.set_aside,
                recovered: ledger.recovered,
                under_way: arrivals.under_way(),
                unaccounted: ledger.unaccounted(),
            },
            signing: said(&self.sequencer.signing()),
            projection: ProjectionStatus {
                waiting: lag.traces,
                lag_ms: u64::try_from(lag.oldest.as_millis()).unwrap_or(u64::MAX),
            },
        }
    }

    /// The metrics in Prometheus text.
    pub(in crate::server) fn metrics(&self) -> String {
        let mut text = String::new();
        if encode(&mut text, &self.registry).is_err() {
            text.clear();
        }
        let text = text.strip_suffix("# EOF\n").unwrap_or(&text);
        let mut out = text.to_owned();
        for (name, kind, help, value) in self.gauges() {
            // Writing to a String cannot fail.
            if writeln!(
                out,
                "# HELP recount_{name} {help}\n# TYPE recount_{name} {kind}\nrecount_{name}{} {value}",
                if kind == "counter" { "_total" } else { "" }
            )
            .is_err()
            {
                break;
            }
        }
        out.push_str("# EOF\n");
        out
    }

    fn gauges(&self) -> Vec<(&'static str, &'static str, &'static str, f64)> {
        let (log, drain, ledger, lag) =
            (self.log.stats(), self.progress.stats(), self.keeper.ledger(), self.projection.lag());
        #[expect(clippy::cast_precision_loss, reason = "Prometheus has no other number")]
        let number = |value: u64| value as f64;
        let up = self.watch.seen().unreachable_since_ns.is_none() && drain.failing.is_none();
        vec![
            ("log_bytes", "gauge", "Bytes of the log", number(log.bytes)),
            ("log_bytes_max", "gauge", "Most bytes the log may hold", number(log.limit)),
            ("log_segments", "gauge", "Segments of the log", number(log.segments)),
            (
                "log_damaged_segments",
                "gauge",
                "Segments of which something acknowledged can't be read any more",
                number(log.damaged_segments),
            ),
            (
                "log_oldest_seconds",
                "gauge",
                "Age of the oldest frame in the log",
                log.oldest_age.map_or(0.0, |age| age.as_secs_f64()),
            ),
            (
                "records_recovered",
                "counter",
                "Records found in the log at the start",
                number(ledger.recovered),
            ),
            ("records_stored", "counter", "Records confirmed by the store", number(ledger.stored)),
            ("records_waiting", "gauge", "Records in the log only", number(ledger.waiting)),
            ("records_set_aside", "counter", "Records set aside in files", number(ledger.set_aside)),
            (
                "records_under_way",
                "gauge",
                "Records received, and neither kept nor refused yet",
                number(self.meters.arrivals().under_way()),
            ),
            (
                "records_unaccounted",
                "gauge",
                "By how many records kept + recovered = stored + waiting + set aside is broken: always 0",
                number(ledger.unaccounted()),
            ),
            ("inserts", "counter", "Inserts confirmed", number(drain.inserts)),
            ("insert_retries", "counter", "Inserts repeated", number(drain.retries)),
            (
                "insert_seconds_last",
                "gauge",
                "How long the last insert took",
                drain.last_insert.map_or(0.0, |took| took.as_secs_f64()),
            ),
            ("store_up", "gauge", "Whether the store answers and takes rows", number(u64::from(up))),
            (
                "signs",
                "gauge",
                "Whether this server signs the log: one of those over a store does",
                number(u64::from(matches!(self.sequencer.signing(), Signing::Alone | Signing::Mine))),
            ),
            ("projection_waiting", "gauge", "Traces that wait to be folded", number(lag.traces)),
            ("projection_lag_seconds", "gauge", "Age of the oldest of them", lag.oldest.as_secs_f64()),
        ]
    }
}
