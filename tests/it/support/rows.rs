//! Keeps steps as the product does: redacted, encoded, through a frame of the log, inserted.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use recount::domain::content::{Content, ContentKind};
use recount::domain::ids::{Project, RecordId, SpanId, TraceId};
use recount::domain::scope::Scope;
use recount::domain::secret::SecretKey;
use recount::domain::step::Step;
use recount::evidence::ProjectKeys;
use recount::otlp::Refused;
use recount::redaction::{Clean, Redactor, Settings};
use recount::store::Store;
use recount::store::rows::{EncodedRequest, Encoder, Gathered, Request, Retention, Table, segment_header};
use sha2::{Digest as _, Sha256};

/// A time of receipt: 2026-11-29 in nanoseconds since 1970.
pub(crate) const NOW_NS: u64 = 1_795_970_000_000_000_000;
pub(crate) const SECOND_NS: u64 = 1_000_000_000;

/// The key of pseudonyms.
pub(crate) static PSEUDONYM_KEY: LazyLock<SecretKey> = LazyLock::new(|| SecretKey::new(1, [2; 32]));

/// Everything between a step and the tables.
pub(crate) struct Keeping {
    pub(crate) encoder: Encoder,
    pub(crate) project: Project,
    redactor: Redactor,
    keys: ProjectKeys,
}

impl Keeping {
    pub(crate) fn new() -> Self {
        Self::with(&Settings::default())
    }

    /// With rules of its own.
    pub(crate) fn with(rules: &Settings) -> Self {
        let key = |byte| SecretKey::new(1, [byte; 32]);
        Self {
            encoder: Encoder::new(Retention::default(), 10_000),
            project: Project::default(),
            redactor: Redactor::new(rules).unwrap(),
            keys: ProjectKeys { record: key(1), pseudonym: PSEUDONYM_KEY.clone(), content: key(3) },
        }
    }

    pub(crate) fn encode(&self, received_ns: u64, steps: Vec<Step>, refused: &[Refused]) -> EncodedRequest {
        let steps: Vec<(RecordId, Clean<Step>)> = steps
            .into_iter()
            .map(|step| (record_id(&step), self.redactor.clean(step, &self.keys.pseudonym)))
            .collect();
        let (project, keys) = (&self.project, &self.keys);
        let request = Request { project, keys, received_ns, steps: &steps, refused, source: "http" };
        self.encoder.encode(&request).unwrap()
    }

    /// Keeps steps and returns how many rows went into each table.
    pub(crate) async fn keep(
        &self,
        store: &Store,
        received_ns: u64,
        steps: Vec<Step>,
    ) -> Vec<(Table, usize)> {
        self.insert(store, &self.encode(received_ns, steps, &[]).to_frame()).await
    }

    /// Inserts the rows of a frame, as the drain does.
    pub(crate) async fn insert(&self, store: &Store, frame: &Bytes) -> Vec<(Table, usize)> {
        static FRAME: AtomicU64 = AtomicU64::new(1);
        let number = FRAME.fetch_add(1, Ordering::Relaxed);
        let gathered = Gathered::of(&segment_header(), [7; 16], [(number, frame.as_ref())]).unwrap();
        for insert in &gathered.inserts {
            let (table, token) = (insert.table.name(), format!("{number}-{}", insert.table.name()));
            store.insert_rows(table, &insert.columns, insert.bytes.clone(), &token).await.unwrap();
            if insert.table == Table::Contents {
                self.encoder.confirmed(&insert.bytes).unwrap();
            }
        }
        gathered.inserts.iter().map(|insert| (insert.table, insert.ends.len())).collect()
    }
}

/// Who may see the default project.
pub(crate) fn scope() -> Scope {
    Scope::whole(Project::default())
}

pub(crate) fn trace(number: u8) -> TraceId {
    TraceId([number; 16])
}

pub(crate) fn span(number: u64) -> SpanId {
    SpanId((number + 1).to_be_bytes())
}

pub(crate) fn text(kind: ContentKind, role: &str, body: &str) -> Content {
    Content { kind, role: role.to_owned(), is_json: false, body: body.to_owned(), cut_from: None }
}

/// Equal for equal steps, as the real one is for equal bytes.
pub(crate) fn record_id(step: &Step) -> RecordId {
    let hash = Sha256::digest(format!("{step:?}"));
    RecordId(*hash.first_chunk().unwrap())
}
