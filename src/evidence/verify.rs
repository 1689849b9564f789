//! Verifies an evidence bundle without the server that made it, and without trusting anything inside it.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Seek};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use zip::ZipArchive;

use crate::domain::counting::{counted, grouped};
use crate::domain::ids::RecordId;
use crate::evidence::bundle::{LogProof, Manifest, Proofs, RecordLine, VERSION, manifest_text};
use crate::evidence::merkle::{Hash, Subtree, root_of};
use crate::evidence::note::{Checkpoint, Trust};
use crate::evidence::receipt::{ErasedRecord, ReceiptFile};

/// A file of a bundle that is read whole may have so many bytes.
const FILE_BYTES_MAX: u64 = 1 << 30;
/// The file that is for reading only: changed, it warns.
const READABLE: &str = "report.html";
/// The receipts of erasures, where a bundle has records that were erased.
const ERASURES: &str = "erasures.jsonl";
/// Files that the manifest can't name.
const OUTER: [&str; 2] = ["manifest.json", "manifest.note"];

/// Of a bundle in which the completeness can't be read.
const UNKNOWN: &str = "Completeness: not known, since the bundle can't be read";

/// Why nothing can be said about a bundle.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It does not begin as a ZIP file does.
    #[error("this is no bundle: it is no ZIP file")]
    Zip,
    /// The file that every bundle has is not there.
    #[error("this is no bundle: it has no {0}")]
    File(&'static str),
    /// It was made by another version.
    #[error("this bundle has form {0}, and this version reads form {VERSION}")]
    Form(u32),
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What is wrong.
    pub failures: Vec<String>,
    /// What somebody should know.
    pub warnings: Vec<String>,
    /// Records whose leaves stand in the signed log as they are.
    pub proven: u64,
    /// Records that were erased on purpose; their leaves stand in the log.
    pub erased: u64,
    /// Records that have no place in the log yet.
    pub waiting: u64,
    /// What the bundle itself says about completeness.
    pub completeness: String,
}

impl Report {
    /// The closing line on integrity.
    pub fn integrity(&self) -> String {
        let (proven, erased) = (self.proven, self.erased);
        match self.failures.len() {
            0 => format!(
                "Integrity: ok, {} the signed log, {} erased with a receipt",
                counted(proven, "record matches", "records match"),
                if erased == 1 { "1 was".to_owned() } else { format!("{} were", grouped(erased)) }
            ),
            some => format!("Integrity: FAILED, for {}", counted(some, "reason", "reasons")),
        }
    }

    /// 0 when all is well, 1 when something is wrong, 3 when only warnings are left and they count.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match (self.failures.is_empty(), self.warnings.is_empty()) {
            (false, _) => 1,
            (true, false) if strict => 3,
            (true, _) => 0,
        }
    }

    fn fail(&mut self, what: impl Into<String>) {
        self.failures.push(what.into());
    }

    fn warn(&mut self, what: impl Into<String>) {
        self.warnings.push(what.into());
    }
}

/// The leaves of one log that a bundle speaks of.
#[derive(Default)]
struct Leaves {
    by_place: BTreeMap<u64, Hash>,
}

/// Verifies a bundle against what is trusted.
///
/// # Errors
/// [`Unusable`] when it is no bundle at all; what is wrong with a bundle stands in the report.
pub fn verify(mut bundle: impl Read + Seek, trust: &Trust) -> Result<Report, Unusable> {
    let mut report = Report { completeness: UNKNOWN.to_owned(), ..Report::default() };
    let mut beginning = [0; 2];
    let begins = bundle.read_exact(&mut beginning).is_ok() && bundle.rewind().is_ok();
    if !begins || beginning != *b"PK" {
        return Err(Unusable::Zip);
    }
    let Ok(mut zip) = ZipArchive::new(bundle) else {
        // The list of its files stands at the end of a ZIP file.
        report.fail(
            "the bundle is cut short or damaged: its end is missing; get it again from where it was made",
        );
        return Ok(report);
    };
    if !files(&mut zip, trust, &mut report)? {
        return Ok(report);
    }
    let proofs = whole(&mut zip, "proofs.json").ok().and_then(|text| serde_json::from_slice(&text).ok());
    let proofs: Proofs = proofs.unwrap_or_else(|| {
        report.fail("proofs.json is missing or can't be read: nothing is proven");
        Proofs { logs: Vec::new() }
    });
    let receipts = receipts(&mut zip, trust, &mut report);
    let leaves = records(&mut zip, &receipts, &mut report);
    for proof in &proofs.logs {
        let of_log = leaves.get(&proof.log).map(|leaves| &leaves.by_place);
        prove(proof, of_log.unwrap_or(&BTreeMap::new()), trust, &mut report);
    }
    let proven: BTreeSet<&str> = proofs.logs.iter().map(|proof| proof.log.as_str()).collect();
    for log in leaves.keys().filter(|log| !proven.contains(log.as_str())) {
        report.fail(format!("records say that they stand in log {log}, for which the bundle has no proof"));
    }
    outside(&proofs, &leaves, trust, &mut report);
    report.completeness = completeness(&mut zip);
    Ok(report)
}

/// Every file is the one that the manifest names, and there is no other; `false` where the manifest can't be
/// read.
fn files<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    trust: &Trust,
    report: &mut Report,
) -> Result<bool, Unusable> {
    let text = match whole(zip, OUTER[0]) {
        Err(Unread::Missing) => return Err(Unusable::File(OUTER[0])),
        Err(Unread::Damaged) => Vec::new(),
        Ok(text) => text,
    };
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else {
        report.fail("manifest.json can't be read: the bundle is damaged");
        return Ok(false);
    };
    if manifest.v != VERSION {
        return Err(Unusable::Form(manifest.v));
    }
    let note = String::from_utf8(whole(zip, OUTER[1]).unwrap_or_default()).unwrap_or_default();
    if trust.text_of(&note) != Some(manifest_text(&HEXLOWER.encode(&Sha256::digest(&text))).as_str()) {
        report.fail(format!("the manifest is not the one that {} signed", trust.name));
    }
    let names: Vec<String> = (0..zip.len())
        .map(|at| match zip.by_index_raw(at) {
            Ok(file) => file.name().map(Cow::into_owned).unwrap_or_default(),
            Err(_) => String::new(),
        })
        .collect();
    let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    if known.len() != names.len() {
        report.fail("a file stands in the bundle twice");
    }
    for name in known {
        if !OUTER.contains(&name) && !manifest.files.contains_key(name) {
            report.fail(format!("{} is not in the manifest: it was added", shown(name)));
        }
    }
    for (name, sha256) in &manifest.files {
        let Ok(mut file) = zip.by_name(name) else {
            report.fail(format!("{} is missing from the bundle", shown(name)));
            continue;
        };
        if sha256_of(&mut file).as_ref() != Some(sha256) {
            let said = format!("{} was changed after it was made", shown(name));
            if name == READABLE {
                report.warn(format!("{said}; it is for reading only"))
            } else {
                report.fail(said)
            }
        }
    }
    Ok(true)
}

fn sha256_of(file: &mut impl Read) -> Option<String> {
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).ok()? {
            0 => return Some(HEXLOWER.encode(&hash.finalize())),
            read => hash.update(piece.get(..read)?),
        }
    }
}

fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Why a file of a bundle can't be had.
enum Unread {
    Missing,
    Damaged,
}

fn whole<R: Read + Seek>(zip: &mut ZipArchive<R>, name: &str) -> Result<Vec<u8>, Unread> {
    let missing = zip.index_for_name(name).is_none();
    let file = zip.by_name(name).map_err(|_wrong| if missing { Unread::Missing } else { Unread::Damaged })?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(|_unread| Unread::Damaged)?;
    Ok(bytes)
}

/// The records that the receipts in the bundle say were erased; a receipt that can't be believed fails.
fn receipts<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    trust: &Trust,
    report: &mut Report,
) -> BTreeSet<ErasedRecord> {
    let Ok(bytes) = whole(zip, ERASURES) else { return BTreeSet::new() };
    let mut erased = BTreeSet::new();
    for line in String::from_utf8_lossy(&bytes).lines() {
        let checked = serde_json::from_str::<ReceiptFile>(line)
            .map_err(|_unread| format!("a line of {ERASURES} can't be read"))
            .and_then(|file| file.check(trust).map(|_| file.list().unwrap_or_default()));
        match checked {
            Ok(list) => erased.extend(list),
            Err(wrong) => report.fail(wrong),
        }
    }
    erased
}

/// Reads every record, hashes it, and gives the leaves of each log by their places.
fn records<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    receipts: &BTreeSet<ErasedRecord>,
    report: &mut Report,
) -> BTreeMap<String, Leaves> {
    let mut logs: BTreeMap<String, Leaves> = BTreeMap::new();
    let Ok(file) = zip.by_name("records.jsonl") else {
        report.fail("records.jsonl is missing or can't be read");
        return logs;
    };
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let Ok(line) = line else {
            report.fail("records.jsonl ends in the middle: the bundle is cut");
            break;
        };
        match serde_json::from_str::<RecordLine>(&line) {
            Ok(line) => record(&line, receipts, &mut logs, report),
            Err(_) => report.fail(format!("line {} of records.jsonl can't be read", number + 1)),
        }
    }
    logs
}

fn record(
    line: &RecordLine,
    receipts: &BTreeSet<ErasedRecord>,
    logs: &mut BTreeMap<String, Leaves>,
    report: &mut Report,
) {
    let id = shown(&line.record_id);
    let said: Option<Hash> =
        HEXLOWER.decode(line.leaf_hash.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    let Some(said) = said else {
        report.fail(format!("the leaf hash of record {id} can't be read"));
        return;
    };
    let hash = match (line.state.as_str(), &line.leaf) {
        ("kept", Some(leaf)) => {
            let hash: Hash = Sha256::new_with_prefix([0]).chain_update(leaf.get()).finalize().into();
            if hash != said {
                report.fail(format!("record {id} was altered: it is not what was written when it arrived"));
                return;
            }
            hash
        }
        ("missing", None) => {
            report.fail(format!("record {id} was deleted: its leaf stands in the log, and it is not kept"));
            said
        }
        ("erased", None)
            if !RecordId::parse(&line.record_id).is_some_and(|id| receipts.contains(&(id, said))) =>
        {
            report.fail(format!("record {id} is said to be erased, and no receipt in the bundle says so"));
            said
        }
        ("erased" | "again", None) => said,
        _ => {
            report.fail(format!("record {id} says nothing that can be proven"));
            return;
        }
    };
    if line.log.bytes().all(|digit| digit == b'0') {
        report.fail(format!(
            "record {id} has no leaf: it did not come in as others do, or its leaf was deleted"
        ));
        return;
    }
    match line.place {
        None => report.waiting += 1,
        Some(place) => {
            let leaves = &mut logs.entry(line.log.clone()).or_default().by_place;
            if leaves.insert(place, hash).is_some_and(|other| other != hash) {
                report.fail(format!("two records claim place {place} of the log"));
            }
            report.proven += u64::from(line.state == "kept");
            report.erased += u64::from(line.state == "erased");
        }
    }
}

/// The leaves and the subtrees make up the signed root.
fn prove(proof: &LogProof, leaves: &BTreeMap<u64, Hash>, trust: &Trust, report: &mut Report) {
    let Some(checkpoint) = checkpoint(proof, trust) else {
        report.fail(format!("the checkpoint of log {} is not signed by {}", shown(&proof.log), trust.name));
        return;
    };
    if leaves.last_key_value().is_some_and(|(place, _)| *place >= checkpoint.size) {
        report.fail("records stand behind the end of the signed log");
    }
    if root_of(checkpoint.size, leaves, &nodes(proof)) != Some(checkpoint.root) {
        report.fail(format!(
            "the records do not belong to the signed log {}: something was altered, moved or left out",
            shown(&proof.log)
        ));
    }
    if report.waiting > 0 {
        report.warn(format!(
            "{} no place in the signed log yet: what arrived after the checkpoint of {} has none, \
             nor what a crash cut from the end of the log; nothing says that anything was deleted",
            counted(report.waiting, "record has", "records have"),
            checkpoint.at
        ));
    }
}

fn checkpoint(proof: &LogProof, trust: &Trust) -> Option<Checkpoint> {
    let checkpoint = trust.text_of(&proof.checkpoint).and_then(Checkpoint::parse)?;
    (checkpoint.log == proof.log).then_some(checkpoint)
}

fn nodes(proof: &LogProof) -> BTreeMap<Subtree, Hash> {
    let nodes = proof.nodes.iter().filter_map(|node| {
        let hash: Hash = HEXLOWER.decode(node.hash.as_bytes()).ok()?.try_into().ok()?;
        Some((Subtree { level: node.level, index: node.index }, hash))
    });
    nodes.collect()
}

/// What was kept elsewhere must be the beginning of what the bundle proves: else the log was cut, rolled
/// back or written anew.
fn outside(proofs: &Proofs, leaves: &BTreeMap<String, Leaves>, trust: &Trust, report: &mut Report) {
    if trust.checkpoints.is_empty() {
        report.warn(
            "no checkpoint from outside was given: a log that was rewritten as a whole, or cut at its \
             end, and signed again would not be noticed",
        );
    }
    let empty = BTreeMap::new();
    for note in &trust.checkpoints {
        let Some(earlier) = trust.text_of(note).and_then(Checkpoint::parse) else {
            report.fail("a checkpoint from outside is not signed by whom is trusted");
            continue;
        };
        let Some(proof) = proofs.logs.iter().find(|proof| proof.log == earlier.log) else { continue };
        let Some(now) = checkpoint(proof, trust) else { continue };
        if now.size < earlier.size {
            report.fail(format!(
                "the log was cut or rolled back: on {} it had {}, the bundle's has {}",
                earlier.at,
                counted(earlier.size, "record", "records"),
                grouped(now.size)
            ));
            continue;
        }
        let of_log = leaves.get(&proof.log).map_or(&empty, |leaves| &leaves.by_place);
        match root_of(earlier.size, of_log, &nodes(proof)) {
            Some(root) if root == earlier.root => {}
            Some(_) => report.fail(format!(
                "the log was rewritten: its first {} not what stood there on {}",
                counted(earlier.size, "record is", "records are"),
                earlier.at
            )),
            None => report.warn(format!(
                "the bundle has no proof for the checkpoint of {} (size {}); take a later one",
                earlier.at, earlier.size
            )),
        }
    }
}

/// The verdict on completeness is the bundle's own: no proof can say what never arrived.
fn completeness<R: Read + Seek>(zip: &mut ZipArchive<R>) -> String {
    let coverage = whole(zip, "coverage.json").ok();
    let coverage: Option<serde_json::Value> = coverage.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let told = |name: &str| coverage.as_ref()?.get("completeness")?.get(name)?.as_str().map(str::to_owned);
    let verdict = match told("verdict").as_deref() {
        Some("yes") => "complete as far as the runtimes' own counts go",
        Some("no") => "NOT complete",
        _ => "not provable",
    };
    let reason: String =
        told("reason").unwrap_or_default().chars().filter(|c| !c.is_control()).take(300).collect();
    format!("Completeness: {verdict}. {reason}")
}
