//! `recount export`, through a server's API, and `recount verify`, which needs none.
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::config::{ExportArgs, Settings, VerifyArgs};
use crate::domain::address::{encoded, segment};
use crate::domain::counting::counted;
use crate::evidence::{ReceiptFile, Trust, verify};
use crate::server::commands::{complain, failed, say};
use crate::server::start::Server;

/// A progress line is written after so many bytes.
const PROGRESS_BYTES: u64 = 16 << 20;

/// Why an export failed.
#[derive(Debug, thiserror::Error)]
enum ExportError {
    #[error("{0:?} is no entity; write it as type:id, such as account:2291")]
    Entity(String),
    #[error("{url} does not answer: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("the server said {status}: {message}")]
    Refused { status: u16, message: String },
    #[error("{path} can't be written: {source}")]
    Write { path: String, source: std::io::Error },
    #[error("the answer ended early after {0} bytes; what was written is no bundle")]
    Cut(u64),
}

/// Writes a bundle to a file.
pub async fn export_command(settings: &Settings, args: &ExportArgs) -> ExitCode {
    if let Some(url) = &args.server {
        return finish(export(args, url.trim_end_matches('/')).await);
    }
    let free = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings { listen: free, otlp_grpc: free, otlp_http: free, ..settings.clone() };
    let server = match Server::start(&settings).await {
        Ok(server) => server,
        Err(error) => {
            let code = failed(&error);
            complain(
                "while a server uses the data directory, export through it: --server http://127.0.0.1:4319",
            );
            return code;
        }
    };
    let done = export(args, &format!("http://{}", server.addresses.ui)).await;
    server.stop().await;
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

async fn export(args: &ExportArgs, url: &str) -> Result<u64, ExportError> {
    let entity = args.entity.split_once(':').filter(|(kind, id)| !kind.is_empty() && !id.is_empty());
    let (kind, id) = entity.ok_or_else(|| ExportError::Entity(args.entity.clone()))?;
    let mut query = Vec::new();
    query.extend(args.since.as_ref().map(|since| format!("from={}", encoded(since))));
    query.extend(args.until.as_ref().map(|until| format!("to={}", encoded(until))));
    let address =
        format!("{url}/api/v1/entities/{}/{}/evidence?{}", segment(kind), segment(id), query.join("&"));
    let unreachable = |reason: String| ExportError::Unreachable { url: url.to_owned(), reason };
    let mut request = Request::get(&address);
    if let Some(key) = &args.key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let request = request.body(Empty::<Bytes>::new()).map_err(|error| unreachable(error.to_string()))?;
    let client: Client<HttpConnector, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request).await.map_err(|error| unreachable(error.to_string()))?;
    let status = response.status();
    let mut body = response.into_body();
    if !status.is_success() {
        let answer = body.collect().await.map(|answer| answer.to_bytes()).unwrap_or_default();
        let text = String::from_utf8_lossy(&answer);
        let message = text.chars().filter(|c| !c.is_control()).take(300).collect();
        return Err(ExportError::Refused { status: status.as_u16(), message });
    }
    let write = |source| ExportError::Write { path: args.out.display().to_string(), source };
    let mut file = File::create(&args.out).map_err(write)?;
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
    let Some(mut trust) = read(&args.trust).and_then(|text| Trust::parse(&text)) else {
        return unusable(format!("{} is no trust file", args.trust.display()));
    };
    for path in &args.checkpoint {
        let Some(text) = read(path) else {
            return unusable(format!("{} can't be read", path.display()));
        };
        trust.checkpoints.extend(notes(&text));
    }
    // A bundle may be large: only what begins as JSON is read whole.
    let text = begins_as_json(&args.bundle).then(|| read(&args.bundle)).flatten();
    if let Some(file) = text.and_then(|text| receipt_in(&text)) {
        return verify_receipt(&file, &trust);
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

/// The receipt of an erasure in a text: alone, or as the API gives it.
fn receipt_in(text: &str) -> Option<ReceiptFile> {
    #[derive(serde::Deserialize)]
    struct Whole {
        receipt_file: ReceiptFile,
    }
    let whole = || serde_json::from_str::<Whole>(text).ok().map(|whole| whole.receipt_file);
    serde_json::from_str::<ReceiptFile>(text).ok().or_else(whole)
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
    fn the_newest_whole_note_counts() {
        let note = |n: u8| format!("recount/log/aa\n{n}\nroot\n\n\u{2014} recount sig{n}\n");
        let file = format!("{}\n{}\nrecount/log/aa\n3", note(1), note(2));
        assert_eq!(notes(&file), Some(note(2)));
        assert_eq!(notes("torn"), None);
    }
}
