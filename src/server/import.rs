//! `recount import`: captures of OTLP requests, sent through the same door as the network.
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::header::CONTENT_TYPE;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::config::Settings;
use crate::domain::counting::counted;
use crate::otlp::{decode_logs_protobuf, decode_traces_protobuf};
use crate::server::commands::{complain, failed, say};
use crate::server::start::Server;

/// Most bytes of one capture, unpacked: what the door takes, and a little for JSON lines.
const CAPTURE_BYTES_MAX: u64 = 1 << 30;
/// How long the store may take with what was imported before the command says that it waits in the log.
const DRAIN_WITHIN: Duration = Duration::from_secs(60);

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    Traces,
    Logs,
    Metrics,
}

impl Signal {
    fn path(self) -> &'static str {
        match self {
            Self::Traces => "/v1/traces",
            Self::Logs => "/v1/logs",
            Self::Metrics => "/v1/metrics",
        }
    }
}

/// Why a capture can't be imported.
#[derive(Debug, thiserror::Error)]
enum ImportError {
    #[error("{path} can't be read: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} has more than {CAPTURE_BYTES_MAX} bytes unpacked")]
    TooLarge { path: PathBuf },
    #[error("{path} is no OTLP request: neither protobuf, nor JSON, nor JSON lines")]
    Unrecognised { path: PathBuf },
    #[error("{path}: {url} does not answer: {reason}")]
    Unreachable { path: PathBuf, url: String, reason: String },
    #[error("{path}: the server said {status}: {message}")]
    Refused { path: PathBuf, status: u16, message: String },
}

/// Imports files into a running server, or into the data directory when none is named.
pub async fn import_command(settings: &Settings, files: &[PathBuf], to: Option<&str>) -> ExitCode {
    if let Some(url) = to {
        return import(files, url.trim_end_matches('/')).await;
    }
    let free = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let settings = Settings { listen: free, otlp_grpc: free, otlp_http: free, ..settings.clone() };
    let server = match Server::start(&settings).await {
        Ok(server) => server,
        Err(error) => {
            let code = failed(&error);
            complain(
                "while a server uses the data directory, import through it: \
                 recount import --to http://127.0.0.1:4318 FILE...",
            );
            return code;
        }
    };
    let code = import(files, &format!("http://{}", server.addresses.otlp_http)).await;
    if !server.rooms().drained(DRAIN_WITHIN).await {
        complain("the store has not confirmed everything yet: the rest waits in the log for the next start");
    }
    server.stop().await;
    code
}

async fn import(files: &[PathBuf], url: &str) -> ExitCode {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut code = ExitCode::SUCCESS;
    for file in files {
        match import_file(&client, file, url).await {
            Ok(requests) => {
                say(&format!("{}: {} kept", file.display(), counted(requests, "request", "requests")));
            }
            Err(error) => {
                complain(&error.to_string());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

type HttpClient = Client<HttpConnector, Full<Bytes>>;

async fn import_file(client: &HttpClient, path: &Path, url: &str) -> Result<usize, ImportError> {
    let body = read(path)?;
    let requests =
        requests_of(path, body).ok_or_else(|| ImportError::Unrecognised { path: path.to_owned() })?;
    let count = requests.len();
    for (signal, content_type, body) in requests {
        send(client, path, &format!("{url}{}", signal.path()), content_type, body).await?;
    }
    Ok(count)
}

/// The whole file, unpacked when it is gzip.
fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let failed = |source| ImportError::Read { path: path.to_owned(), source };
    let raw = std::fs::read(path).map_err(failed)?;
    if !raw.starts_with(&[0x1f, 0x8b]) {
        return Ok(raw);
    }
    let mut unpacked = Vec::new();
    let taken = MultiGzDecoder::new(raw.as_slice()).take(CAPTURE_BYTES_MAX + 1).read_to_end(&mut unpacked);
    match taken.map_err(failed)? as u64 {
        bytes if bytes > CAPTURE_BYTES_MAX => Err(ImportError::TooLarge { path: path.to_owned() }),
        _ => Ok(unpacked),
    }
}

/// The requests of a file: one of protobuf or JSON, or one a line.
fn requests_of(path: &Path, body: Vec<u8>) -> Option<Vec<(Signal, &'static str, Bytes)>> {
    let text = std::str::from_utf8(&body).ok().filter(|text| text.trim_start().starts_with('{'));
    let Some(text) = text else {
        let signal = protobuf_signal(path, &body)?;
        return Some(vec![(signal, "application/x-protobuf", Bytes::from(body))]);
    };
    if let Some(signal) = json_signal(text) {
        return Some(vec![(signal, "application/json", Bytes::from(body))]);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| Some((json_signal(line)?, "application/json", Bytes::copy_from_slice(line.as_bytes()))))
        .collect()
}

/// What a JSON request holds, by its only key.
fn json_signal(text: &str) -> Option<Signal> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let has = |camel: &str, snake: &str| value.get(camel).or_else(|| value.get(snake)).is_some();
    if has("resourceSpans", "resource_spans") {
        Some(Signal::Traces)
    } else if has("resourceLogs", "resource_logs") {
        Some(Signal::Logs)
    } else if has("resourceMetrics", "resource_metrics") {
        Some(Signal::Metrics)
    } else {
        None
    }
}

/// What a protobuf request holds: what its name says, else what it decodes as.
fn protobuf_signal(path: &Path, body: &[u8]) -> Option<Signal> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let named = [("trace", Signal::Traces), ("log", Signal::Logs), ("metric", Signal::Metrics)];
    if let Some((_, signal)) = named.into_iter().find(|(word, _)| name.contains(word)) {
        return Some(signal);
    }
    let spans = decode_traces_protobuf(body).map_or(0, |decoded| decoded.items.len());
    let logs = decode_logs_protobuf(body).map_or(0, |decoded| decoded.items.len());
    match (spans, logs) {
        (0, 0) => None,
        (spans, logs) if spans >= logs => Some(Signal::Traces),
        _ => Some(Signal::Logs),
    }
}

async fn send(
    client: &HttpClient,
    path: &Path,
    url: &str,
    content_type: &'static str,
    body: Bytes,
) -> Result<(), ImportError> {
    let unreachable =
        |reason: String| ImportError::Unreachable { path: path.to_owned(), url: url.to_owned(), reason };
    let request = Request::post(url)
        .header(CONTENT_TYPE, content_type)
        .body(Full::new(body))
        .map_err(|error| unreachable(error.to_string()))?;
    let response = client.request(request).await.map_err(|error| unreachable(error.to_string()))?;
    let status = response.status();
    let answer =
        response.into_body().collect().await.map_err(|error| unreachable(error.to_string()))?.to_bytes();
    if status.is_success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&answer).chars().filter(|c| !c.is_control()).take(300).collect();
    Err(ImportError::Refused { path: path.to_owned(), status: status.as_u16(), message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_recognised() {
        let path = Path::new("capture.bin");
        let one = br#"{"resourceSpans":[]}"#.to_vec();
        assert_eq!(requests_of(path, one).unwrap().len(), 1);
        let lines = b"{\"resourceLogs\":[]}\n\n{\"resourceSpans\":[]}\n".to_vec();
        let signals: Vec<_> =
            requests_of(path, lines).unwrap().into_iter().map(|(signal, ..)| signal).collect();
        assert_eq!(signals, [Signal::Logs, Signal::Traces]);
        assert!(requests_of(path, b"{\"other\":1}".to_vec()).is_none());
        assert_eq!(protobuf_signal(Path::new("002-metrics.pb"), b""), Some(Signal::Metrics));
        assert_eq!(protobuf_signal(path, b""), None);
    }
}
