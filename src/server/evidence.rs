//! `recount export`, through a server's API, and `recount verify`, which needs none.
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;

use crate::config::{ExportArgs, Settings, VerifyArgs};
use crate::domain::address::{encoded, segment};
use crate::domain::counting::counted;
use crate::evidence::{ReceiptFile, Trust, verify};
use crate::server::commands::{complain, say};
use crate::server::holding::Asking;

/// A progress line is written after so many bytes.
const PROGRESS_BYTES: u64 = 16 << 20;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error("{0:?} is no entity; write it as type:id, such as account:2291")]
    Entity(String),
    #[error("{url} does not answer: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("{0}")]
    Nothing(String),
    #[error("the server said {status}: {message}")]
    Refused { status: u16, message: String },
    #[error("{path} can't be written: {source}")]
    Write { path: String, source: std::io::Error },
    #[error("the answer ended early after {0} bytes; what was written is no bundle")]
    Cut(u64),
}

/// Who is asked: the address, and the header that lets in.
struct Asked {
    url: String,
    header: Option<(&'static str, String)>,
}

/// Writes a bundle to a file.
pub async fn export_command(settings: &Settings, args: &ExportArgs) -> ExitCode {
    if let Some(url) = &args.url {
        let header = args.key.as_ref().map(|key| ("authorization", format!("Bearer {key}")));
        return finish(export(args, &Asked { url: url.trim_end_matches('/').to_owned(), header }).await);
    }
    let asking = match Asking::open(settings).await {
        Ok(asking) => asking,
        Err(code) => return code,
    };
    let (url, key) = asking.door();
    let done = export(args, &Asked { url, header: Some(key) }).await;
    asking.close().await;
    finish(done)
}

fn finish(done: Result<u64, ExportError>) -> ExitCode {
    match done {
        Ok(bytes) => {
            say(&format!("{bytes} bytes written; keep trust.json and checkpoints.notes apart from it"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn export(args: &ExportArgs, Asked { url, header }: &Asked) -> Result<u64, ExportError> {
    let entity = args.entity.split_once(':').filter(|(kind, id)| !kind.is_empty() && !id.is_empty());
    let (kind, id) = entity.ok_or_else(|| ExportError::Entity(args.entity.clone()))?;
    let mut query = Vec::new();
    for (name, value) in [("from", &args.time.from), ("to", &args.time.to), ("project", &args.project)] {
        query.extend(value.as_ref().map(|value| format!("{name}={}", encoded(value))));
    }
    let address =
        format!("{url}/api/v1/entities/{}/{}/evidence?{}", segment(kind), segment(id), query.join("&"));
    let unreachable = |reason: String| ExportError::Unreachable { url: url.to_owned(), reason };
    let mut request = Request::get(&address);
    if let Some((name, value)) = header {
        request = request.header(*name, value);
    }
    let request = request.body(Empty::<Bytes>::new()).map_err(|error| unreachable(error.to_string()))?;
    let client: Client<HttpConnector, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request).await.map_err(|error| unreachable(error.to_string()))?;
    let status = response.status();
    let body = response.into_body();
    if !status.is_success() {
        let answer = body.collect().await.map(|answer| answer.to_bytes()).unwrap_or_default();
        return Err(refused(status.as_u16(), &answer));
    }
    keep(body, &args.out).await
}

/// What a server says that gives no bundle: its sentence, where it has one.
fn refused(status: u16, answer: &[u8]) -> ExportError {
    let problem: serde_json::Value = serde_json::from_slice(answer).unwrap_or_default();
    let text = String::from_utf8_lossy(answer);
    let said = problem.get("detail").and_then(serde_json::Value::as_str).unwrap_or(&text);
    let said = said.chars().filter(|c| !c.is_control()).take(300).collect();
    if status == 404 { ExportError::Nothing(said) } else { ExportError::Refused { status, message: said } }
}

async fn keep(mut body: Incoming, out: &Path) -> Result<u64, ExportError> {
    let write = |source| ExportError::Write { path: out.display().to_string(), source };
    let mut file = File::create(out).map_err(write)?;
    let (mut written, mut told) = (0_u64, 0_u64);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_cut| ExportError::Cut(written))?;
        let Ok(piece) = frame.into_data() else { continue };
        file.write_all(&piece).map_err(write)?;
        written += piece.len() as u64;
        if written - told >= PROGRESS_BYTES {
            told = written;
            complain(&format!("{} MB", written >> 20));
        }
    }
    file.sync_all().map_err(write)?;
    Ok(written)
}

/// Verifies a bundle and says what was found; the last two lines are the verdicts.
pub fn verify_command(args: &VerifyArgs) -> ExitCode {
    let unusable = |what: String| {
        complain(&what);
        ExitCode::from(2)
    };
    let mut trust = match trusted(&args.trust) {
        Ok(trust) => trust,
        Err(said) => return unusable(said),
    };
    for path in &args.checkpoint {
        let Some(text) = read(path) else {
            return unusable(format!("{} can't be read", path.display()));
        };
        trust.checkpoints.extend(notes(&text));
    }
    // A bundle may be large: only what begins as JSON is read whole.
    if begins_as_json(&args.bundle) {
        return match read(&args.bundle).ok_or(NoReceipt::Damaged).and_then(|text| receipt_in(&text)) {
            Ok(file) => verify_receipt(&file, &trust),
            Err(NoReceipt::Other) => unusable(NoReceipt::Other.to_string()),
            Err(wrong) => {
                say(&format!("FAILED   {wrong}"));
                ExitCode::FAILURE
            }
        };
    }
    let file = match File::open(&args.bundle) {
        Ok(file) => file,
        Err(error) => return unusable(format!("{} can't be read: {error}", args.bundle.display())),
    };
    match verify(file, &trust) {
        Err(error) => unusable(error.to_string()),
        Ok(report) => {
            for failure in &report.failures {
                say(&format!("FAILED   {failure}"));
            }
            for warning in &report.warnings {
                say(&format!("warning  {warning}"));
            }
            say(&report.integrity());
            say(&report.completeness);
            ExitCode::from(report.exit_code(args.strict))
        }
    }
}

/// Whom to trust, or what is wrong with the file and the remedy.
fn trusted(path: &Path) -> Result<Trust, String> {
    let (shown, remedy) = (
        path.display(),
        "the server writes trust.json into its data directory and gives it at /api/v1/evidence/trust",
    );
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("the trust file {shown} can't be read: {error}; {remedy}"))?;
    Trust::parse(&text).ok_or_else(|| format!("{shown} is no trust file; {remedy}"))
}

/// Why a JSON file is no receipt that can be checked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum NoReceipt {
    #[error(
        "the receipt is cut short: it ends in the middle; get it again with `recount erasures ID --out FILE`"
    )]
    Cut,
    #[error("the receipt is damaged: it is no JSON; get it again with `recount erasures ID --out FILE`")]
    Damaged,
    #[error("this is neither a bundle nor the receipt of an erasure that is done")]
    Other,
}

/// The receipt of an erasure in a text: alone, or as the API gives it.
fn receipt_in(text: &str) -> Result<ReceiptFile, NoReceipt> {
    #[derive(Deserialize)]
    struct Whole {
        receipt_file: ReceiptFile,
    }
    let json: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| if error.is_eof() { NoReceipt::Cut } else { NoReceipt::Damaged })?;
    let whole = || Whole::deserialize(&json).ok().map(|whole| whole.receipt_file);
    ReceiptFile::deserialize(&json).ok().or_else(whole).ok_or(NoReceipt::Other)
}

/// Says what a receipt says, when it is signed by whom is trusted.
fn verify_receipt(file: &ReceiptFile, trust: &Trust) -> ExitCode {
    match file.check(trust) {
        Err(wrong) => {
            say(&format!("FAILED   {wrong}"));
            ExitCode::FAILURE
        }
        Ok(receipt) => {
            for place in &receipt.places {
                say(&format!("searched {place}"));
            }
            say(&format!(
                "Erased: {} of the project {}, asked {}",
                receipt.about, receipt.project, receipt.asked
            ));
            say(&format!(
                "Receipt: ok, {} and {} were erased under {} until {}; signed by {}",
                counted(receipt.records, "record", "records"),
                counted(receipt.bodies, "body", "bodies"),
                receipt.erasure,
                receipt.done,
                trust.name
            ));
            ExitCode::SUCCESS
        }
    }
}

fn begins_as_json(path: &Path) -> bool {
    let mut first = [0];
    File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"{"
}

fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The newest note of a file of notes. One that is not finished (a crash while it was written) is left
/// out.
fn notes(text: &str) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut note = String::new();
    for line in text.lines() {
        if note.is_empty() && line.is_empty() {
            continue;
        }
        note.push_str(line);
        note.push('\n');
        if line.starts_with('\u{2014}') {
            notes.push(std::mem::take(&mut note));
        }
    }
    notes.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_that_is_cut_is_told_from_one_that_is_none() {
        let whole = r#"{"receipt":"r","records":[]}"#;
        assert!(receipt_in(whole).is_ok());
        assert!(receipt_in(&format!("{{\"erasure_id\":\"e\",\"receipt_file\":{whole}}}")).is_ok());
        for cut in 1..whole.len() {
            assert_eq!(receipt_in(&whole[..cut]).unwrap_err(), NoReceipt::Cut, "{cut}");
        }
        assert_eq!(receipt_in("{nothing}").unwrap_err(), NoReceipt::Damaged);
        for other in ["{}", r#"{"erasure_id":"e","receipt_file":null}"#] {
            assert_eq!(receipt_in(other).unwrap_err(), NoReceipt::Other);
        }
    }

    #[test]
    fn the_newest_whole_note_counts() {
        let note = |n: u8| format!("recount/log/aa\n{n}\nroot\n\n\u{2014} recount sig{n}\n");
        let file = format!("{}\n{}\nrecount/log/aa\n3", note(1), note(2));
        assert_eq!(notes(&file), Some(note(2)));
        assert_eq!(notes("torn"), None);
    }
}
