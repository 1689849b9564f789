//! The evidence of an answer about an entity: one self-describing ZIP that anybody can verify offline.
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use askama::Template;
use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::domain::about::{Tie, Ties};
use crate::domain::ids::{Digest, RecordId, TraceId};
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run};
use crate::evidence::{LogProof, Manifest, NodeHash, Proofs, ReceiptFile, RecordLine, manifest_text, needed};
use crate::projection::{Sequencer, records_of as erased_records, subtree_hashes};
use crate::store::queries::{
    LeafPlace, bodies, checkpoints, erased, erased_in, erasures, leaf_places, step_rows, trace_records,
};
use crate::store::rows::{RunCursor, StepRow};
use crate::web::entity::coverage::Coverage;
use crate::web::entity::gather::{Question, around};
use crate::web::entity::stream::Row;
use crate::web::entity::told::Told;
use crate::web::error::WebError;
use crate::web::format::{moment, rfc3339};
use crate::web::state::WebState;
use crate::web::text::Text;

/// Runs read at once.
const RUNS_AT_ONCE: u16 = 10;
/// Records read at once with everything kept of them.
const RECORDS_AT_ONCE: usize = 500;
/// Earlier checkpoints that a bundle proves too, so that one kept elsewhere can be compared.
const EARLIER_MAX: u16 = 64;
/// Steps in the report for reading; the lines have them all.
const REPORTED_MAX: usize = 2_000;

/// The page inside, for reading only.
#[derive(Template)]
#[template(path = "entity/report.html")]
struct ReportPage {
    entity: Text,
    at: String,
    by: Text,
    limits: Vec<(&'static str, Text, bool)>,
    steps: Vec<(String, Text, &'static str, Text)>,
    more: u64,
}

/// A file that is gone from the disk once it is closed.
pub(in crate::web) fn unnamed() -> io::Result<File> {
    let name =
        format!("recount-{:032x}", u128::from(getrandom::u64()?) << 64 | u128::from(getrandom::u64()?));
    let path = std::env::temp_dir().join(name);
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// What is gathered for a bundle, run by run.
struct Gathering {
    records: File,
    contents: File,
    steps: File,
    record_count: u64,
    step_count: u64,
    content_count: u64,
    reported: Vec<(String, Text, &'static str, Text)>,
    /// By log: the places of every leaf named.
    places: BTreeMap<[u8; 16], BTreeSet<u64>>,
    seen: BTreeSet<(TraceId, Digest)>,
    /// The erasures that took contents of these records.
    erasures: BTreeSet<String>,
}

/// Who asks, in their own words, and by which means.
#[derive(Debug, Clone, Serialize)]
pub(in crate::web) struct Asker {
    pub(in crate::web) by: String,
    pub(in crate::web) query: String,
}

/// Makes the bundle in a file of its own, in bounded memory, at its beginning.
pub(in crate::web) async fn bundle(
    state: &WebState,
    question: Question<'_>,
    asker: &Asker,
) -> Result<File, WebError> {
    let Some(sequencer) = &state.entities.sequencer else {
        return Err(WebError::Invalid("this server signs no log, so it can make no evidence".to_owned()));
    };
    if !sequencer.may_sign().await.map_err(broken)? {
        return Err(WebError::InTheWay(
            "another server over this store signs, with another key: export evidence there (see /status)"
                .to_owned(),
        ));
    }
    sequencer.run(question.now_ns).await.map_err(broken)?;
    let tally = question.tally(&state.store).await?;
    if tally.runs == 0 && tally.tally.steps() == 0 {
        return Err(WebError::NotFound(nothing(question)));
    }
    let coverage = Coverage::of(&tally, question.filter, &around(state, question).await?);
    let mut gathering = Gathering::new().map_err(unwritten)?;
    let mut after: Option<RunCursor> = None;
    loop {
        let page = question.page(&state.store, &state.entities, (after.as_ref(), RUNS_AT_ONCE)).await?;
        for run in &page.runs {
            gathering.run(state, question, run).await?;
        }
        for told in &page.told {
            gathering.step(told).map_err(unwritten)?;
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let proofs = proofs(state, &gathering.places).await?;
    let limits = coverage.rows(question.filter, &tally);
    let report = ReportPage {
        entity: Text::new(question.names.asked.to_string()),
        at: format!("{} UTC", moment(question.now_ns)),
        by: Text::new(asker.by.clone()),
        limits: limits.into_iter().map(|(name, said, warn)| (name, Text::new(said), warn)).collect(),
        more: gathering.step_count.saturating_sub(gathering.reported.len() as u64),
        steps: std::mem::take(&mut gathering.reported),
    };
    let report = report.render().map_err(|_undrawn| WebError::Broken)?;
    let query = query(question, asker, &tally.tally.steps(), &gathering);
    let custody =
        json!({"at": rfc3339(question.now_ns), "event": "export", "by": asker.by, "query": asker.query});
    let mut texts = vec![
        ("query.json", query.to_string()),
        ("coverage.json", serde_json::to_string_pretty(&coverage).unwrap_or_default()),
        ("proofs.json", serde_json::to_string(&proofs).unwrap_or_default()),
        (
            "checkpoint.note",
            proofs.logs.iter().map(|log| log.checkpoint.as_str()).collect::<Vec<_>>().join("\n"),
        ),
        ("custody.jsonl", format!("{custody}\n")),
        ("report.html", report),
    ];
    let receipts = receipts(state, question, &gathering.erasures).await?;
    texts.extend(Some(("erasures.jsonl", receipts)).filter(|(_, receipts)| !receipts.is_empty()));
    let Gathering { records, contents, steps, .. } = gathering;
    let spooled = [("records.jsonl", records), ("contents.jsonl", contents), ("steps.jsonl", steps)];
    packed(texts, spooled, sequencer).map_err(unwritten)
}

fn nothing(question: Question<'_>) -> String {
    let filter = question.filter;
    let within = if filter.from_ns.or(filter.to_ns).is_some() { " in this period" } else { "" };
    let saying = if filter.text.is_empty() { "" } else { " that says this" };
    let asked = &question.names.asked;
    format!("Nothing is kept of {asked}{within}{saying}, so there is no evidence to export.")
}

fn query(question: Question<'_>, asker: &Asker, counted: &u64, gathering: &Gathering) -> serde_json::Value {
    let names: Vec<String> = question.names.all.iter().map(ToString::to_string).collect();
    json!({
        "product": "recount", "version": env!("CARGO_PKG_VERSION"),
        "at": rfc3339(question.now_ns), "by": asker.by, "query": asker.query,
        "project": question.scope.project.0, "entity": question.names.asked.to_string(), "names": names,
        "from": question.filter.from_ns.map(rfc3339), "to": question.filter.to_ns.map(rfc3339),
        "text": question.filter.text,
        // What the page counts, what stands in steps.jsonl, and the records behind them.
        "steps_counted": counted, "steps_written": gathering.step_count,
        "records_written": gathering.record_count, "contents_written": gathering.content_count,
    })
}

fn broken(error: crate::projection::ProjectionError) -> WebError {
    tracing::error!(%error, "the signed log could not be brought up to date");
    WebError::Broken
}

fn unwritten(error: io::Error) -> WebError {
    tracing::error!(%error, "an evidence file could not be written");
    WebError::Broken
}

impl Gathering {
    fn new() -> io::Result<Self> {
        Ok(Self {
            records: unnamed()?,
            contents: unnamed()?,
            steps: unnamed()?,
            record_count: 0,
            step_count: 0,
            content_count: 0,
            reported: Vec::new(),
            places: BTreeMap::new(),
            seen: BTreeSet::new(),
            erasures: BTreeSet::new(),
        })
    }

    fn step(&mut self, told: &Told) -> io::Result<()> {
        self.step_count += 1;
        if self.reported.len() < REPORTED_MAX {
            let outcome = told.outcome.map(|outcome| outcome.word()).unwrap_or_default();
            let at = rfc3339(told.at_ns);
            let meta = Text::new([told.story.join(" "), told.authority()].join(" "));
            self.reported.push((at, Text::new(told.sentence.clone()), outcome, meta));
        }
        let line = serde_json::to_string(&Row::from(told)).map_err(io::Error::other)?;
        writeln!(self.steps, "{line}")
    }

    /// Every record of the steps that have to do with the entity, with its leaf; and of the run's traces
    /// those leaves whose records are gone.
    async fn run(&mut self, state: &WebState, question: Question<'_>, run: &Run) -> Result<(), WebError> {
        let wanted = tied_records(run, question);
        let leaves = leaf_places(&state.store, question.scope, &run.traces).await?;
        let erased = erased_in(&state.store, question.scope, &run.traces).await?;
        let mut by_record: BTreeMap<RecordId, Vec<&LeafPlace>> = BTreeMap::new();
        for leaf in &leaves {
            by_record.entry(leaf.record_id).or_default().push(leaf);
        }
        for some in wanted.chunks(RECORDS_AT_ONCE) {
            for row in step_rows(&state.store, question.scope, &run.traces, some).await? {
                let of_row = by_record.get(&row.record.record_id).map(Vec::as_slice).unwrap_or_default();
                if let Some(erasure) = erased.records.get(&row.record.record_id) {
                    self.erasures.insert(erasure.clone());
                    self.erased(&row, of_row).map_err(unwritten)?;
                    continue;
                }
                self.record(&row, of_row).map_err(unwritten)?;
                self.contents(state, question, &row).await?;
            }
        }
        let kept = trace_records(&state.store, question.scope, &run.traces).await?;
        let kept: BTreeSet<RecordId> = kept.iter().map(|record| record.record_id).collect();
        for (record_id, gone) in by_record.iter().filter(|(id, _)| !kept.contains(id)) {
            for leaf in gone {
                self.line(None, leaf, (record_id, "missing", None)).map_err(unwritten)?;
            }
        }
        Ok(())
    }

    /// The record's own leaf; where none is its own, the first, which shows that it was altered.
    fn record(&mut self, row: &StepRow, leaves: &[&LeafPlace]) -> io::Result<()> {
        let json = row.leaf_json();
        let hash: [u8; 32] = Sha256::new_with_prefix([0]).chain_update(&json).finalize().into();
        let own = leaves.iter().position(|leaf| leaf.leaf_hash == hash).unwrap_or(0);
        let received = Some(row.record.received_ns);
        self.record_count += 1;
        if leaves.is_empty() {
            // A record without any leaf never went through the door.
            let (trace_id, record_id) = (row.record.facts.trace_id, row.record.record_id);
            let none = LeafPlace { trace_id, record_id, log_id: [0; 16], leaf_hash: hash, place: None };
            return self.line(Some(json), &none, (&record_id, "kept", received));
        }
        for (at, leaf) in leaves.iter().enumerate() {
            let id = &row.record.record_id;
            match at == own {
                true => self.line(Some(json.clone()), leaf, (id, "kept", received))?,
                false => self.line(None, leaf, (id, "again", None))?,
            }
        }
        Ok(())
    }

    /// A record without its contents: its leaves stand in the log as they did, and a receipt says why no
    /// more is here.
    fn erased(&mut self, row: &StepRow, leaves: &[&LeafPlace]) -> io::Result<()> {
        self.record_count += 1;
        for leaf in leaves {
            let state = (&row.record.record_id, "erased", Some(row.record.received_ns));
            self.line(None, leaf, state)?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        leaf: Option<String>,
        place: &LeafPlace,
        (record_id, state, received_ns): (&RecordId, &str, Option<u64>),
    ) -> io::Result<()> {
        if let Some(at) = place.place {
            self.places.entry(place.log_id).or_default().insert(at);
        }
        let line = RecordLine {
            leaf: leaf.and_then(|json| RawValue::from_string(json).ok()),
            leaf_hash: HEXLOWER.encode(&place.leaf_hash),
            log: HEXLOWER.encode(&place.log_id),
            place: place.place,
            record_id: record_id.to_string(),
            state: state.to_owned(),
            received_at: received_ns.map(rfc3339),
        };
        writeln!(self.records, "{}", serde_json::to_string(&line).map_err(io::Error::other)?)
    }

    async fn contents(
        &mut self,
        state: &WebState,
        question: Question<'_>,
        row: &StepRow,
    ) -> Result<(), WebError> {
        let trace = row.record.facts.trace_id;
        let record = &row.record;
        let proposed = record.proposed.iter().filter_map(|kept| kept.call.arguments.as_ref());
        let refs = record.output.iter().chain(&record.arguments).chain(&record.result).chain(proposed);
        let all = row.bodies.iter().copied().chain(record.context.iter().copied());
        let fresh: Vec<Digest> = all
            .chain(refs.map(|content| content.digest))
            .filter(|digest| self.seen.insert((trace, *digest)))
            .collect();
        for some in fresh.chunks(RECORDS_AT_ONCE) {
            for body in bodies(&state.store, question.scope, trace, some).await? {
                let line = json!({
                    "trace_id": trace.to_string(), "digest": body.content.digest.to_string(),
                    "kind": body.content.kind.word(), "role": body.content.role, "body": body.text,
                });
                self.content_count += 1;
                writeln!(self.contents, "{line}").map_err(unwritten)?;
            }
        }
        Ok(())
    }
}

/// The receipts of these erasures with their lists, one a line.
async fn receipts(
    state: &WebState,
    question: Question<'_>,
    wanted: &BTreeSet<String>,
) -> Result<String, WebError> {
    let mut lines = String::new();
    if wanted.is_empty() {
        return Ok(lines);
    }
    for erasure in erasures(&state.store, Some(&question.scope.project)).await? {
        if !wanted.contains(&erasure.id) {
            continue;
        }
        let Some(receipt) = erasure.receipt else {
            let said = format!("the erasure {} is under way; export when it is done", erasure.id);
            return Err(WebError::InTheWay(said));
        };
        let stones = erased(&state.store, Some(&erasure.id)).await?;
        let file = ReceiptFile::of(receipt, &erased_records(&stones));
        lines.push_str(&serde_json::to_string(&file).unwrap_or_default());
        lines.push('\n');
    }
    Ok(lines)
}

/// The records of every step that has to do with the entity.
fn tied_records(run: &Run, question: Question<'_>) -> Vec<RecordId> {
    let ties = Ties::of(run);
    let tied = run
        .steps
        .iter()
        .enumerate()
        .filter(|(at, _)| ties.tie(*at, &question.names.all).is_some_and(|tie| tie != Tie::Unsaid));
    let records = tied.flat_map(|(_, step)| step.attempts().flat_map(records_of));
    let ids: BTreeSet<RecordId> = records.map(|record| record.record_id).collect();
    ids.into_iter().collect()
}

fn records_of(attempt: &Attempt) -> impl Iterator<Item = &Record> {
    let others = attempt.versions.iter().chain(&attempt.logs).chain(&attempt.transports);
    std::iter::once(&attempt.record).chain(others)
}

/// The subtrees that complete these leaves to the newest checkpoint of their log, and to earlier ones.
async fn proofs(state: &WebState, places: &BTreeMap<[u8; 16], BTreeSet<u64>>) -> Result<Proofs, WebError> {
    let mut proofs = Proofs { logs: Vec::new() };
    for (log_id, leaves) in places {
        let signed = checkpoints(&state.store, Some(*log_id), None, EARLIER_MAX).await?;
        let Some(newest) = signed.first() else { continue };
        let sizes: BTreeSet<u64> = signed.iter().map(|earlier| earlier.size).collect();
        let subtrees = needed(newest.size, leaves, &sizes);
        let hashes = subtree_hashes(&state.store, *log_id, &subtrees).await.map_err(broken)?;
        let node = |(at, hash): (&crate::evidence::Subtree, &[u8; 32])| NodeHash {
            level: at.level,
            index: at.index,
            hash: HEXLOWER.encode(hash),
        };
        proofs.logs.push(LogProof {
            log: HEXLOWER.encode(log_id),
            checkpoint: newest.note.clone(),
            sizes: sizes.into_iter().collect(),
            nodes: hashes.iter().map(node).collect(),
        });
    }
    Ok(proofs)
}

fn packed(texts: Vec<(&str, String)>, spooled: [(&str, File); 3], sequencer: &Sequencer) -> io::Result<File> {
    let mut zip = ZipWriter::new(unnamed()?);
    let options = SimpleFileOptions::default().large_file(true);
    let mut files = BTreeMap::new();
    for (name, text) in texts {
        files.insert(name.to_owned(), HEXLOWER.encode(&Sha256::digest(&text)));
        zip.start_file(name, options).map_err(io::Error::other)?;
        zip.write_all(text.as_bytes())?;
    }
    for (name, mut file) in spooled {
        file.seek(SeekFrom::Start(0))?;
        zip.start_file(name, options).map_err(io::Error::other)?;
        let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
        loop {
            let read = file.read(&mut piece)?;
            let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
            hash.update(read);
            zip.write_all(read)?;
        }
        files.insert(name.to_owned(), HEXLOWER.encode(&hash.finalize()));
    }
    let manifest = serde_json::to_string_pretty(&Manifest { v: 1, files }).map_err(io::Error::other)?;
    let note = sequencer.signer().sign(&manifest_text(&HEXLOWER.encode(&Sha256::digest(&manifest))));
    for (name, text) in [("manifest.json", manifest), ("manifest.note", note)] {
        zip.start_file(name, options).map_err(io::Error::other)?;
        zip.write_all(text.as_bytes())?;
    }
    let mut file = zip.finish().map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}
