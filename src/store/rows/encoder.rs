//! One request in, rows out: the last step before the log, made once and never again.
use std::sync::Arc;

use crate::domain::activity::Activity;
use crate::domain::content::Content;
use crate::domain::ids::{Digest, Project, RecordId, TraceId};
use crate::domain::step::Step;
use crate::evidence::{CanonicalDigests, ContentDigests, Leaf, ProjectKeys, leaf_hash, leaf_salt};
use crate::otlp::Refused;
use crate::redaction::Clean;
use crate::store::rows::activity::write_activity;
use crate::store::rows::cell::Day;
use crate::store::rows::contents::{ContentKey, KeptContent, skip_content, write_content};
use crate::store::rows::kept::Kept;
use crate::store::rows::leaves::{KeptLeaf, write_leaf};
use crate::store::rows::reader::{ReadError, Reader};
use crate::store::rows::rejects::{KeptReject, write_reject};
use crate::store::rows::retention::Retentions;
use crate::store::rows::steps::write_step;
use crate::store::rows::stored::Stored;
use crate::store::rows::table::Table;
use crate::store::rows::tidy::tidy;
use crate::store::rows::tombs::Tombs;
use crate::store::rows::writer::Writer;

/// What is to be kept of one request.
#[derive(Debug)]
pub struct Request<'a> {
    /// Whose it is.
    pub project: &'a Project,
    /// The project's keys.
    pub keys: &'a ProjectKeys,
    /// When it was received, nanoseconds since 1970.
    pub received_ns: u64,
    /// The records, each under its id.
    pub steps: &'a [(RecordId, Clean<Step>)],
    /// What could not be taken.
    pub refused: &'a [Refused],
    /// The door it came to: `grpc`, `http`, `import`.
    pub source: &'a str,
}

/// Rows of one table, in RowBinary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRows {
    /// The table.
    pub table: Table,
    /// The rows.
    pub bytes: Vec<u8>,
    /// The length of each.
    pub lengths: Vec<usize>,
}

/// A request as it goes into the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedRequest {
    /// Whose it is.
    pub project: Project,
    /// Rows, in the order in which tables must be filled.
    pub tables: Vec<TableRows>,
    /// The traces it touches, each once.
    pub traces: Vec<TraceId>,
}

/// Why a request can't be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// Each leaf needs a salt.
    #[error("cannot keep records: the system gives no random bytes ({0})")]
    Random(getrandom::Error),
}

/// Makes rows. Shared by all who receive.
#[derive(Debug)]
pub struct Encoder {
    retention: Retentions,
    stored: Stored,
    tombs: Arc<Tombs>,
}

impl Encoder {
    /// An encoder that remembers at most so many stored bodies (about 100 bytes of memory each).
    pub fn new(retention: impl Into<Retentions>, bodies_max: usize) -> Self {
        Self { retention: retention.into(), stored: Stored::new(bodies_max), tombs: Arc::default() }
    }

    /// What was erased: it is not encoded again.
    pub fn tombs(&self) -> &Arc<Tombs> {
        &self.tombs
    }

    /// The rows of a request: every record, and each body that is not known to be stored; neither where
    /// it was erased.
    pub fn encode(&self, request: &Request<'_>) -> Result<EncodedRequest, EncodeError> {
        let kept = request.steps.iter().filter(|(id, _)| !self.tombs.has_record(id));
        let kept: Vec<&(RecordId, Clean<Step>)> = kept.collect();
        let tidied: Vec<_> = kept.iter().map(|(_, clean)| tidy(clean.get())).collect();
        let by_text = ContentDigests::new(&request.keys.content);
        let by_value = CanonicalDigests::new(&request.keys.content);
        let digests: Vec<Vec<Digest>> = tidied.iter().map(|step| digests(&by_text, step)).collect();
        let (mut steps, mut leaves) = (Rows::of(Table::Steps), Rows::of(Table::Leaves));
        let mut traces = Vec::new();
        for (position, (((record_id, clean), step), bodies)) in
            kept.into_iter().zip(&tidied).zip(&digests).enumerate()
        {
            let kept = Kept {
                project: request.project,
                record_id: *record_id,
                received_ns: request.received_ns,
                expires: Day::after(
                    request.received_ns,
                    self.retention.of(request.project).days(step.facts.kind),
                ),
                step,
                bodies,
                arguments_canonical: canonical(&by_value, step, step.arguments),
                proposed_canonical: step
                    .proposed
                    .iter()
                    .map(|call| canonical(&by_value, step, call.arguments))
                    .collect(),
                redactions: clean.redactions(),
                rules_version: clean.rules_version(),
                salt: leaf_salt().map_err(EncodeError::Random)?,
            };
            steps.add(|out| write_step(out, &kept));
            leaves.add(|out| write_leaf(out, &self.leaf(&kept, position)));
            traces.push(step.facts.trace_id);
        }
        traces.sort_unstable();
        traces.dedup();
        let contents = self.contents(request, tidied.iter().map(|step| &**step).zip(&digests));
        let Request { project, received_ns, source, refused, .. } = request;
        let tables = [contents, leaves, steps, self.rejects(project, *received_ns, source, refused)];
        let tables = tables.into_iter().filter_map(Rows::finish).collect();
        Ok(EncodedRequest { project: request.project.clone(), tables, traces })
    }

    /// These rows of `contents` are in the store now: they need not be sent again.
    pub fn confirmed(&self, rows: &[u8]) -> Result<(), ReadError> {
        let mut from = Reader::new(rows);
        let mut keys = Vec::new();
        while from.left() > 0 {
            keys.push(skip_content(&mut from)?);
        }
        self.stored.confirm(keys);
        Ok(())
    }

    fn contents<'a>(
        &self,
        request: &Request<'_>,
        steps: impl Iterator<Item = (&'a Step, &'a Vec<Digest>)>,
    ) -> Rows {
        let expires = Day::after(request.received_ns, self.retention.of(request.project).contents_days);
        let mut wanted: Vec<(TraceId, Digest, &Content)> = steps
            .flat_map(|(step, digests)| {
                step.bodies.iter().zip(digests).map(|(body, digest)| (step.facts.trace_id, *digest, body))
            })
            .filter(|(trace_id, digest, _)| !self.tombs.has_body(*trace_id, *digest))
            .collect();
        self.stored.retain_unknown(&mut wanted, |(trace_id, digest, _)| ContentKey {
            trace_id: *trace_id,
            digest: *digest,
            expires,
        });
        let mut rows = Rows::of(Table::Contents);
        for (trace_id, digest, content) in wanted {
            let kept = KeptContent { project: request.project, trace_id, digest, expires, content };
            rows.add(|out| write_content(out, &kept));
        }
        rows
    }

    fn leaf<'a>(&self, kept: &Kept<'a>, position: usize) -> KeptLeaf<'a> {
        let hash = leaf_hash(&Leaf {
            record_id: kept.record_id,
            step: kept.step,
            bodies: kept.bodies,
            redactions: kept.redactions,
            rules_version: kept.rules_version,
            salt: &kept.salt,
        });
        KeptLeaf {
            project: kept.project,
            position: u32::try_from(position).unwrap_or(u32::MAX),
            hash,
            record_id: kept.record_id,
            trace_id: kept.step.facts.trace_id,
            expires: Day::after(kept.received_ns, self.retention.of(kept.project).longest_days()),
        }
    }

    /// The rows of refusals that no request brought: what the store itself does not take.
    pub fn refusals(
        &self,
        project: &Project,
        at_ns: u64,
        source: &str,
        refused: &[Refused],
    ) -> Option<TableRows> {
        self.rejects(project, at_ns, source, refused).finish()
    }

    /// Something that somebody did, as it goes into the log.
    pub fn activity(&self, activity: &Activity) -> EncodedRequest {
        let mut rows = Rows::of(Table::Activity);
        let expires = Day::after(activity.at_ns, self.retention.of(&activity.project).activity_days);
        rows.add(|out| write_activity(out, activity, expires));
        let tables = rows.finish().into_iter().collect();
        EncodedRequest { project: activity.project.clone(), tables, traces: Vec::new() }
    }

    fn rejects(&self, project: &Project, at_ns: u64, source: &str, refused: &[Refused]) -> Rows {
        let mut rows = Rows::of(Table::Rejects);
        for (position, refused) in refused.iter().enumerate() {
            let kept = KeptReject {
                project,
                at_ns,
                position: u32::try_from(position).unwrap_or(u32::MAX),
                source,
                expires: Day::after(at_ns, self.retention.of(project).activity_days),
                refused,
            };
            rows.add(|out| write_reject(out, &kept));
        }
        rows
    }
}

/// Rows of one table, being written.
struct Rows {
    table: Table,
    lengths: Vec<usize>,
    out: Writer,
}

impl Rows {
    fn of(table: Table) -> Self {
        Self { table, lengths: Vec::new(), out: Writer::default() }
    }

    fn add(&mut self, write: impl FnOnce(&mut Writer)) {
        let start = self.out.len();
        write(&mut self.out);
        self.lengths.push(self.out.len() - start);
    }

    fn finish(self) -> Option<TableRows> {
        let Self { table, lengths, out } = self;
        (!lengths.is_empty()).then(|| TableRows { table, bytes: out.into_bytes(), lengths })
    }
}

fn digests(by_text: &ContentDigests, step: &Step) -> Vec<Digest> {
    step.bodies.iter().map(|body| by_text.of(body.kind, &body.role, &body.body)).collect()
}

fn canonical(by_value: &CanonicalDigests, step: &Step, body: Option<usize>) -> Option<Digest> {
    let body = step.bodies.get(body?)?;
    body.is_json.then(|| by_value.of(&body.body)).flatten()
}
