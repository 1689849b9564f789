//! From a body to rows, without I/O: decode, read by the conventions, redact, encode.
//!
//! Whatever one record does, even a panic in here, costs that record and not its neighbours.
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::conventions::Conventions;
use crate::domain::ids::{Project, RecordId};
use crate::domain::kind::Kind;
use crate::domain::step::{Dropped, Step};
use crate::evidence::{KeyFile, RecordIds};
use crate::ingest::quota::Quotas;
use crate::ingest::refusal::Refusal;
use crate::ingest::sample::{Sampling, sample};
use crate::ingest::signal::{Answer, Format, Signal};
use crate::ingest::tally::{aggregated, whole};
use crate::otlp::{
    Cut, DecodeError, Decoded, MetricsTold, Refused, WireLog, WireSpan, decode_logs_json,
    decode_logs_protobuf, decode_traces_json, decode_traces_protobuf, read_metrics_json,
    read_metrics_protobuf,
};
use crate::redaction::{Clean, InForce};
use crate::store::rows::{Encoder, Request};

/// Everything that turns bodies into rows. Shared by all requests.
#[derive(Debug)]
pub struct Pipeline {
    /// What dialects say.
    pub conventions: Conventions,
    /// How much a key may send.
    pub quotas: Quotas,
    /// Which share of runs keeps its reads.
    pub sampling: Sampling,
    /// The door to keeping.
    pub rules: Arc<InForce>,
    /// The rows' form.
    pub encoder: Arc<Encoder>,
    /// The keys of every project.
    pub keys: KeyFile,
}

/// A body, uncompressed, and what is known about it.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// What it carries.
    pub signal: Signal,
    /// How it is written.
    pub format: Format,
    /// The door it came to: `grpc`, `http`, `import`.
    pub source: &'static str,
    /// Whose it is.
    pub project: Project,
    /// The id of the key that it came with.
    pub key: Option<String>,
    /// When it was received, nanoseconds since 1970.
    pub received_ns: u64,
    /// The body.
    pub body: Bytes,
}

/// The class of reads that were left out.
const SAMPLED: &str = "sampled";
/// Bytes of bodies in one frame, before the record that goes beyond. A large request becomes several frames,
/// each far below what the log takes at once.
const FRAME_BYTES: usize = 8 << 20;

/// Rows for the log.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The rows.
    pub(crate) bytes: Bytes,
    /// Spans and log records among them.
    pub(crate) records: u32,
}

/// What is to be kept and answered.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Everything to keep, before the sender is answered.
    pub(crate) frames: Vec<Frame>,
    /// Refused ones, by class.
    pub(crate) refused: BTreeMap<&'static str, u64>,
    /// Values cut and attributes left out.
    pub(crate) cut: u64,
    /// What metrics told.
    pub(crate) metrics: MetricsTold,
    /// What the sender hears once all is kept.
    pub(crate) answer: Result<Answer, Refusal>,
}

impl Prepared {
    /// A whole request that is refused, with the rows that say so.
    fn refused(refusal: Refusal, frames: Vec<Frame>) -> Self {
        let (refused, metrics) = (BTreeMap::new(), MetricsTold::default());
        Self { frames, refused, cut: 0, metrics, answer: Err(refusal) }
    }
}

/// A record on its way.
type Kept = (RecordId, Clean<Step>);

impl Pipeline {
    /// Prepares a body. What cannot be read at all becomes a refusal that is kept among the rejects.
    pub(crate) fn prepare(&self, arrival: &Arrival) -> Prepared {
        let body = &arrival.body;
        let read = match (arrival.signal, arrival.format) {
            (Signal::Traces, Format::Protobuf) => self.spans(arrival, decode_traces_protobuf(body)),
            (Signal::Traces, Format::Json) => self.spans(arrival, decode_traces_json(body)),
            (Signal::Logs, Format::Protobuf) => self.logs(arrival, decode_logs_protobuf(body)),
            (Signal::Logs, Format::Json) => self.logs(arrival, decode_logs_json(body)),
            (Signal::Metrics, Format::Protobuf) => read_metrics_protobuf(body).map(not_kept),
            (Signal::Metrics, Format::Json) => read_metrics_json(body).map(not_kept),
        };
        read.unwrap_or_else(|error| self.turned_away(arrival, Refusal::Unreadable(error)))
    }

    /// A whole request that was refused, on its way to the rejects.
    pub(crate) fn turned_away(&self, arrival: &Arrival, refusal: Refusal) -> Prepared {
        let row = self.encode(arrival, &[], &[whole(&refusal, &arrival.body)]);
        Prepared::refused(refusal, row.into_iter().collect())
    }

    fn spans(
        &self,
        arrival: &Arrival,
        decoded: Result<Decoded<WireSpan>, DecodeError>,
    ) -> Result<Prepared, DecodeError> {
        self.records(arrival, decoded?, |ids, span| {
            (ids.of_span(&span), self.conventions.step(&span), cuts(&span.cut, span.left_out))
        })
    }

    fn logs(
        &self,
        arrival: &Arrival,
        decoded: Result<Decoded<WireLog>, DecodeError>,
    ) -> Result<Prepared, DecodeError> {
        self.records(arrival, decoded?, |ids, log| {
            (ids.of_log(&log), self.conventions.step_of_log(&log), cuts(&log.cut, log.left_out))
        })
    }

    fn records<T>(
        &self,
        arrival: &Arrival,
        decoded: Decoded<T>,
        read: impl Fn(&mut RecordIds, T) -> (RecordId, Step, u64),
    ) -> Result<Prepared, DecodeError> {
        let keys = self.keys.project(&arrival.project);
        let book = self.rules.book();
        let redactor = book.of(&arrival.project);
        let mut ids = RecordIds::new(&keys.record);
        let (mut read_ones, mut refused, mut cut) = (Vec::new(), decoded.refused, 0);
        let fault = || Refused { class: Refusal::Fault.class(), ..whole(&Refusal::Fault, &[]) };
        for item in decoded.items {
            match catch_unwind(AssertUnwindSafe(|| read(&mut ids, item))) {
                Ok((id, step, cuts)) => {
                    cut += cuts;
                    read_ones.push((id, step));
                }
                Err(_panic) => {
                    // The maker of ids may have stopped half-way; a new one starts clean.
                    ids = RecordIds::new(&keys.record);
                    refused.push(fault());
                }
            }
        }
        let acts = read_ones.iter().any(|(_, step)| step.facts.kind == Kind::Act);
        let sender = (&arrival.project, arrival.key.as_deref());
        let costs = (read_ones.len(), arrival.body.len());
        if let Err(refusal) = self.quotas.take(sender, costs, acts, Instant::now()) {
            // It can be sent again, so nothing of it is lost and nothing of it is counted twice.
            return Ok(Prepared::refused(refusal, Vec::new()));
        }
        let sampled = sample(self.sampling.of(&arrival.project), &mut read_ones);
        let mut steps: Vec<Kept> = Vec::with_capacity(read_ones.len());
        for (id, step) in read_ones {
            match catch_unwind(AssertUnwindSafe(|| redactor.clean(step, &keys.pseudonym))) {
                Ok(clean) => steps.push((id, clean)),
                Err(_panic) => refused.push(fault()),
            }
        }
        Ok(self.finish(arrival, &steps, (refused, sampled), (cut, decoded.warning)))
    }

    fn finish(
        &self,
        arrival: &Arrival,
        steps: &[Kept],
        (mut refused, sampled): (Vec<Refused>, u64),
        (cut, warning): (u64, Option<String>),
    ) -> Prepared {
        let mut classes = BTreeMap::new();
        for one in &refused {
            *classes.entry(one.class).or_default() += one.items;
        }
        let rejected = classes.values().sum();
        let reason = refused.first().map(|one| one.reason.clone());
        let answer = if steps.is_empty() && rejected > 0 {
            Err(Refusal::NothingKept { count: rejected, reason: reason.unwrap_or_default() })
        } else {
            Ok(Answer::new(rejected, reason.as_deref(), warning.as_deref()))
        };
        if sampled > 0 {
            // Left out by rule: nothing that the sender has to hear of, but nothing that vanishes either.
            *classes.entry(SAMPLED).or_default() += sampled;
            let reason =
                "reads left out by the rule sampling.reads, of traces of which nothing else came".to_owned();
            refused.push(Refused { class: SAMPLED, reason, items: sampled, ..whole(&Refusal::Fault, &[]) });
        }
        let (frames, answer) = match self.frames(arrival, steps, refused) {
            Ok(frames) => (frames, answer),
            Err(refusal) => (Vec::new(), Err(refusal)),
        };
        Prepared { frames, refused: classes, cut, metrics: MetricsTold::default(), answer }
    }

    /// All rows of a request.
    fn frames(
        &self,
        arrival: &Arrival,
        steps: &[Kept],
        refused: Vec<Refused>,
    ) -> Result<Vec<Frame>, Refusal> {
        let mut frames = Vec::new();
        let mut rest = steps;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(_, step)| {
                let before = bytes;
                bytes += step.get().bodies.iter().map(|body| body.body.len()).sum::<usize>();
                before < FRAME_BYTES
            });
            let (now, later) = rest.split_at_checked(fits.count().max(1)).unwrap_or((rest, &[]));
            frames.push(self.encode(arrival, now, &[])?);
            rest = later;
        }
        if !refused.is_empty() {
            frames.push(self.encode(arrival, &[], &aggregated(refused))?);
        }
        Ok(frames)
    }

    fn encode(&self, arrival: &Arrival, steps: &[Kept], refused: &[Refused]) -> Result<Frame, Refusal> {
        // Even the name of a service may hold what a rule hits.
        let (book, keys) = (self.rules.book(), self.keys.project(&arrival.project));
        let redactor = book.of(&arrival.project);
        let clean = |name: &String| redactor.clean_text(name, &keys.pseudonym).get().clone();
        let cleaned =
            refused.iter().map(|one| Refused { service: one.service.as_ref().map(clean), ..one.clone() });
        let request = Request {
            project: &arrival.project,
            keys: &keys,
            received_ns: arrival.received_ns,
            steps,
            refused: &cleaned.collect::<Vec<_>>(),
            source: arrival.source,
        };
        match catch_unwind(AssertUnwindSafe(|| self.encoder.encode(&request))) {
            Ok(Ok(encoded)) => {
                let records = u32::try_from(steps.len()).unwrap_or(u32::MAX);
                Ok(Frame { bytes: encoded.to_frame(), records })
            }
            Ok(Err(error)) => {
                tracing::error!(%error, "a request could not be encoded");
                Err(Refusal::NotWritten)
            }
            Err(_panic) => Err(Refusal::Fault),
        }
    }
}

/// Metrics are read, and not kept.
fn not_kept(metrics: MetricsTold) -> Prepared {
    let reason = (metrics.data_points > 0).then_some("metrics are not stored here; send traces and logs");
    let answer = Answer::new(metrics.data_points, reason, None);
    let refused = BTreeMap::from([("not-stored", metrics.data_points)]);
    Prepared { frames: Vec::new(), refused, cut: 0, metrics, answer: Ok(answer) }
}

fn cuts(cut: &[Cut], left_out: Dropped) -> u64 {
    cut.len() as u64 + u64::from(left_out.attributes)
}
