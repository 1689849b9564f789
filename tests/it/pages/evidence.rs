//! Evidence bundles: a whole one verifies, and whatever is done to it or to the store is told by name.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::sync::{Arc, Mutex};

use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::kind::Kind;
use recount::domain::step::Step;
use recount::evidence::{Report, Signer, Trust, verify};
use recount::projection::Sequencer;
use recount::web::EntityTools;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::pages::site::Site;
use crate::support::binary::run;
use crate::support::engine::{self, execute};
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, span, text, trace};

const BUNDLE: &str = "/api/v1/entities/account/2291/evidence";

struct Signed {
    site: Site,
    trust: Trust,
    /// What was written outside the database, oldest first.
    notes: Arc<Mutex<Vec<String>>>,
}

fn act(number: u8, id: u64, account: &str) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(id));
    facts.run_id = Some(format!("run-{number:03}"));
    (facts.kind, facts.tool) = (Kind::Act, Some("issue_refund".to_owned()));
    facts.name = "issue_refund".to_owned();
    facts.entities = vec![Entity::account(account)];
    facts.started_ns = NOW_NS + id * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + 1);
    let arguments = step.add_body(text(ContentKind::Arguments, "", &format!("refund {number} {id}")));
    step.arguments = Some(arguments);
    step
}

async fn signed() -> Signed {
    let signer = Arc::new(Signer::of_seed(&[3; 32], "recount").unwrap());
    let trust = signer.trust();
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = notes.clone();
    let store = engine::store().await;
    let outside = Arc::new(move |note: &str| kept.lock().unwrap().push(note.to_owned()));
    let sequencer = Some(Sequencer::new(store.clone(), signer, outside));
    let site = Site::over(store, EntityTools { sequencer, ..EntityTools::default() }, Keeping::new());
    site.keep(vec![act(1, 1, "2291"), act(1, 2, "2291"), act(2, 1, "7")]).await;
    site.keep(vec![act(3, 1, "2291"), act(4, 1, "8")]).await;
    Signed { site, trust, notes }
}

impl Signed {
    async fn bundle(&self) -> Vec<u8> {
        self.site.file(BUNDLE).await
    }

    fn check(&self, bundle: &[u8]) -> Report {
        verify(Cursor::new(bundle), &self.trust).unwrap()
    }

    /// Trusts what was written outside until now.
    fn trusting_outside(&self) -> Trust {
        let checkpoints = self.notes.lock().unwrap().last().cloned().into_iter().collect();
        Trust { checkpoints, ..self.trust.clone() }
    }

    async fn change(&self, sql: &str) {
        execute(&self.site.store, &format!("{sql} SETTINGS mutations_sync = 2")).await;
    }
}

fn files(bundle: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut zip = ZipArchive::new(Cursor::new(bundle)).unwrap();
    let names =
        (0..zip.len()).map(|at| zip.by_index(at).unwrap().name().unwrap().into_owned()).collect::<Vec<_>>();
    let read = |name: String| {
        let mut bytes = Vec::new();
        zip.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

fn packed(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The exit code of `recount verify`, and what it says.
fn verified(bundle: &[u8], trust: &Trust) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (file, trusted) = (folder.path().join("bundle.zip"), folder.path().join("trust.json"));
    std::fs::write(&file, bundle).unwrap();
    std::fs::write(&trusted, serde_json::to_string(trust).unwrap()).unwrap();
    let output = run(&["verify", file.to_str().unwrap(), "--trust", trusted.to_str().unwrap()]);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

fn said(report: &Report) -> String {
    report.failures.join("; ")
}

#[tokio::test]
async fn a_bundle_verifies_and_holds_this_account_only() {
    let signed = signed().await;
    let bundle = signed.bundle().await;
    let report = signed.check(&bundle);
    assert_eq!(
        (said(&report), report.proven, report.exit_code(false), report.exit_code(true)),
        (String::new(), 3, 0, 3)
    );
    assert!(report.warnings[0].contains("no checkpoint from outside"), "{report:?}");
    assert!(report.integrity().starts_with("Integrity: ok, 3 records"));
    assert!(report.completeness.starts_with("Completeness: not provable"), "{}", report.completeness);
    let trusting = verify(Cursor::new(&bundle), &signed.trusting_outside()).unwrap();
    assert_eq!(
        (trusting.failures.len(), trusting.warnings.len(), trusting.exit_code(true)),
        (0, 0, 0),
        "{trusting:?}"
    );
    let files = files(&bundle);
    let whole: String = files.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(whole.contains("refund 1 1") && !whole.contains("refund 2 1") && !whole.contains("refund 4 1"));
    let query: serde_json::Value = serde_json::from_slice(&files["query.json"]).unwrap();
    assert_eq!((&query["steps_counted"], &query["steps_written"]), (&3.into(), &3.into()));
    // Later records and a later signature leave an older outside checkpoint a prefix.
    let before = signed.trusting_outside();
    signed.site.keep(vec![act(5, 1, "2291"), act(6, 1, "9")]).await;
    let later = verify(Cursor::new(signed.bundle().await), &before).unwrap();
    assert_eq!((said(&later), later.proven, later.warnings.len()), (String::new(), 4, 0), "{later:?}");
}

#[tokio::test]
async fn of_nothing_there_is_no_evidence() {
    let signed = signed().await;
    let got = signed.site.get("/api/v1/entities/account/77/evidence").await;
    assert!(got.status == 404 && got.body.contains("Nothing is kept of account:77, so"), "{}", got.body);
    let got = signed.site.get(&format!("{BUNDLE}?to=2020-01-01T00:00:00Z")).await;
    assert!(got.status == 404 && got.body.contains("of account:2291 in this period, so"), "{}", got.body);
}

#[tokio::test]
async fn whatever_is_done_to_a_bundle_is_told() {
    let signed = signed().await;
    let whole = files(&signed.bundle().await);
    let line = |number: usize, change: fn(&str) -> String| {
        let mut files = whole.clone();
        let records = String::from_utf8(files["records.jsonl"].clone()).unwrap();
        let lines = records
            .lines()
            .enumerate()
            .map(|(at, line)| if at == number { change(line) } else { line.to_owned() });
        let records =
            lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect::<String>();
        files.insert("records.jsonl".to_owned(), records.into_bytes());
        files
    };
    let with = |name: &str, bytes: &[u8]| {
        let mut files = whole.clone();
        files.insert(name.to_owned(), bytes.to_vec());
        files
    };
    let without = |name: &str| {
        let mut files = whole.clone();
        files.remove(name);
        files
    };
    let mut reordered = whole.clone();
    let mut lines: Vec<_> = whole["records.jsonl"].split_inclusive(|byte| *byte == b'\n').collect();
    lines.reverse();
    reordered.insert("records.jsonl".to_owned(), lines.concat());
    for (files, told) in [
        (line(0, |line| line.replace("issue_refund", "issue_refunD")), "was altered"),
        (line(1, |_| String::new()), "something was altered, moved or left out"),
        (
            line(0, |line| line.replace("\"place\":", "\"place\":1")),
            "something was altered, moved or left out",
        ),
        (line(0, |line| line[..line.len() / 2].to_owned()), "can't be read"),
        (with("note.txt", b"x"), "note.txt is not in the manifest: it was added"),
        (with("manifest.note", b"x"), "not the one that recount signed"),
        (with("query.json", b"{}"), "query.json was changed"),
        (reordered, "records.jsonl was changed"),
        (without("coverage.json"), "coverage.json is missing"),
        (without("records.jsonl"), "records.jsonl is missing"),
        (without("proofs.json"), "proofs.json is missing"),
        (without("manifest.note"), "not the one that recount signed"),
    ] {
        let report = signed.check(&packed(&files));
        assert!(said(&report).contains(told) && report.exit_code(false) == 1, "{told}: {report:?}");
        let (code, said) = verified(&packed(&files), &signed.trust);
        assert!(code == Some(1) && said.contains(told) && said.contains("FAILED"), "{told}: {said}");
    }
    let report = signed.check(&packed(&with("report.html", b"<p>nothing happened</p>")));
    assert_eq!((report.failures.len(), report.exit_code(false), report.exit_code(true)), (0, 0, 3));
    assert!(report.warnings.join(" ").contains("report.html was changed"), "{report:?}");
    let other = Signer::of_seed(&[4; 32], "recount").unwrap().trust();
    assert_eq!(verify(Cursor::new(packed(&whole)), &other).unwrap().exit_code(false), 1);
    let (code, said) = verified(&packed(&whole), &signed.trust);
    assert!(code == Some(0) && said.contains("Integrity: ok, 3 records"), "{said}");
    for other in [b"no zip".to_vec(), b"P".to_vec(), Vec::new(), packed(&without("manifest.json"))] {
        assert!(verify(Cursor::new(&other), &signed.trust).is_err());
        let (code, said) = verified(&other, &signed.trust);
        assert!(code == Some(2) && said.contains("this is no bundle"), "{said}");
    }
}

#[tokio::test]
async fn a_bundle_that_is_cut_or_has_a_flipped_byte_is_told() {
    let signed = signed().await;
    let bundle = signed.bundle().await;
    for length in [2, 100, bundle.len() / 2, bundle.len() - 1] {
        let report = signed.check(&bundle[..length]);
        assert!(said(&report).contains("cut short") && report.exit_code(false) == 1, "{length}: {report:?}");
    }
    let (code, told) = verified(&bundle[..bundle.len() / 2], &signed.trust);
    assert!(code == Some(1) && told.contains("the bundle is cut short"), "{told}");
    // What is for reading only may change, and so may what ZIP says beside the files.
    let names: Vec<String> = files(&bundle).into_keys().filter(|name| name != "report.html").collect();
    let read = |bundle: &[u8]| -> Vec<Vec<u8>> {
        let mut zip = ZipArchive::new(Cursor::new(bundle)).unwrap();
        let whole = |name: &String| {
            let mut bytes = Vec::new();
            zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        };
        names.iter().map(whole).collect()
    };
    let whole = read(&bundle);
    let mut failed = 0;
    for at in (0..bundle.len()).step_by(23) {
        let mut flipped = bundle.clone();
        flipped[at] ^= 4;
        match verify(Cursor::new(&flipped), &signed.trust) {
            Ok(report) if report.exit_code(false) == 0 => assert_eq!(read(&flipped), whole, "byte {at}"),
            Ok(_) | Err(_) => failed += 1,
        }
    }
    assert!(failed > bundle.len() / 23 / 4, "of {} only {failed}", bundle.len() / 23);
}

#[tokio::test]
async fn whatever_is_done_to_the_store_is_told_and_a_crash_is_told_from_tampering() {
    // One byte flipped.
    let altered = signed().await;
    altered.bundle().await;
    altered.change("ALTER TABLE steps UPDATE name = 'issue_refunD' WHERE run_id = 'run-003'").await;
    assert!(said(&altered.check(&altered.bundle().await)).contains("was altered"));
    // A record deleted.
    let deleted = signed().await;
    deleted.bundle().await;
    let span = data_encoding::HEXLOWER.encode(&span(2).0);
    deleted.change(&format!("ALTER TABLE steps DELETE WHERE span_id = unhex('{span}')")).await;
    assert!(said(&deleted.check(&deleted.bundle().await)).contains("was deleted"));
    // A leaf deleted with its record's history.
    let forged = signed().await;
    forged.bundle().await;
    forged.change(&format!("ALTER TABLE leaves DELETE WHERE trace_id = unhex('{}')", trace(3))).await;
    assert!(said(&forged.check(&forged.bundle().await)).contains("has no leaf"));
    // Two places swapped.
    let moved = signed().await;
    moved.bundle().await;
    moved.change("ALTER TABLE tree UPDATE position = 1 - position WHERE level = 0 AND position < 2").await;
    assert!(said(&moved.check(&moved.bundle().await)).contains("something was altered, moved or left out"));
    // The end of the log cut, and signed again: only what is outside tells.
    let cut = signed().await;
    cut.bundle().await;
    let outside = cut.trusting_outside();
    for table in ["tree", "leaves"] {
        let last = if table == "tree" {
            "place >= 3"
        } else {
            &format!("trace_id IN (unhex('{}'), unhex('{}'))", trace(3), trace(4))
        };
        cut.change(&format!("ALTER TABLE {table} DELETE WHERE {last}")).await;
    }
    cut.change("ALTER TABLE checkpoints DELETE WHERE true").await;
    cut.change("ALTER TABLE steps DELETE WHERE run_id IN ('run-003', 'run-004')").await;
    cut.change("ALTER TABLE runs DELETE WHERE run_id IN ('run-003', 'run-004')").await;
    let bundle = cut.bundle().await;
    assert_eq!(said(&cut.check(&bundle)), "");
    let report = verify(Cursor::new(&bundle), &outside).unwrap();
    assert!(said(&report).contains("cut or rolled back: on"), "{report:?}");
    assert_eq!(verified(&bundle, &outside).0, Some(1));
    // All of it written anew, and signed again.
    let anew = signed().await;
    anew.bundle().await;
    let outside = anew.trusting_outside();
    for table in ["steps", "leaves", "tree", "checkpoints", "contents"] {
        anew.change(&format!("ALTER TABLE {table} DELETE WHERE true")).await;
    }
    let again = [
        act(1, 1, "2291"),
        act(1, 2, "2291"),
        act(2, 1, "7"),
        act(3, 1, "2291"),
        act(4, 1, "8"),
        act(7, 1, "2291"),
    ];
    anew.site.keep(again.to_vec()).await;
    let bundle = anew.bundle().await;
    assert_eq!(said(&anew.check(&bundle)), "");
    assert!(said(&verify(Cursor::new(&bundle), &outside).unwrap()).contains("the log was rewritten"));
    assert_eq!((verified(&bundle, &anew.trust).0, verified(&bundle, &outside).0), (Some(0), Some(1)));
}

#[tokio::test]
async fn holes_in_the_log_are_never_signed_over() {
    let signed = signed().await;
    signed.bundle().await;
    let notes = signed.notes.lock().unwrap().len();
    signed.change("ALTER TABLE tree DELETE WHERE level = 0 AND place = 1").await;
    signed.site.keep(vec![act(8, 1, "2291")]).await;
    let report = signed.check(&signed.bundle().await);
    assert_eq!(signed.notes.lock().unwrap().len(), notes);
    // The new record waits: that alone is no sign of tampering, the hole is.
    assert!(report.waiting > 0 && report.exit_code(false) == 1, "{report:?}");
}
