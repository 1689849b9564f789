//! The program itself, as its users run it: a process with ports of its own.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::engine;

/// A server that runs; killed when dropped.
pub(crate) struct Serving {
    process: Child,
    /// Host and port of the pages.
    pub(crate) ui: String,
    /// Host and port of OTLP over HTTP.
    pub(crate) otlp_http: String,
    /// Host and port of OTLP over gRPC.
    pub(crate) otlp_grpc: String,
}

/// The program with arguments, its engine found as by the other tests.
pub(crate) fn recount(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recount"));
    command.args(arguments).env("RECOUNT_ENGINE", engine::library());
    command
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    recount(arguments).stdin(Stdio::null()).output().unwrap()
}

const FREE_PORTS: [&str; 6] =
    ["--listen", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];

fn arguments<'a>(data_dir: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let dir = data_dir.to_str().unwrap();
    let free: Vec<&str> = FREE_PORTS
        .chunks(2)
        .filter(|pair| pair.first().is_none_or(|name| !more.contains(name)))
        .flatten()
        .copied()
        .collect();
    [&["serve", "--data-dir", dir], free.as_slice(), more].concat()
}

impl Serving {
    /// Serves from a data directory.
    pub(crate) fn start(data_dir: &Path, more: &[&str]) -> Self {
        Self::start_saying(data_dir, more, ("info", Stdio::null()))
    }

    /// The same, with a log of this level to there.
    pub(crate) fn start_saying(data_dir: &Path, more: &[&str], (level, to): (&str, Stdio)) -> Self {
        let mut command = recount(&arguments(data_dir, more));
        command.env("RECOUNT_LOG", level).stderr(to);
        Self::ready(command)
    }

    /// The same under another program, which ends by becoming the one that is named behind it.
    pub(crate) fn start_under(under: &[String], data_dir: &Path, more: &[&str]) -> Self {
        let Some((program, before)) = under.split_first() else { return Self::start(data_dir, more) };
        let mut command = Command::new(program);
        command.args(before).arg(env!("CARGO_BIN_EXE_recount")).args(arguments(data_dir, more));
        command.env("RECOUNT_ENGINE", engine::library()).stderr(Stdio::null());
        Self::ready(command)
    }

    fn ready(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let ready = loop {
            let line = lines.next().unwrap().unwrap();
            if line.starts_with("ready ") {
                break line;
            }
        };
        let field = |name: &str| {
            let value = ready.split(' ').find_map(|field| field.strip_prefix(name)).unwrap();
            value.trim_start_matches("=http://").to_owned()
        };
        Self { process, ui: field("ui"), otlp_http: field("otlp_http"), otlp_grpc: field("otlp_grpc") }
    }

    /// Its process number.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Ends it as the loss of power would.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Tells it to stop and gives its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let told = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(told.success());
        self.process.wait().unwrap().code()
    }

    /// Tells it to read its rules again.
    pub(crate) fn hang_up(&self) {
        let told = Command::new("kill").args(["-HUP", &self.process.id().to_string()]).status().unwrap();
        assert!(told.success());
    }

    /// GET of a path of the pages or the API: status and body.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        http(&self.ui, &format!("GET {path} HTTP/1.1\r\n"), b"").unwrap()
    }

    /// The JSON at a path of the API.
    pub(crate) fn json(&self, path: &str) -> serde_json::Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Asks until there is something at a path.
    pub(crate) fn eventually_found(&self, path: &str) -> serde_json::Value {
        let begun = Instant::now();
        loop {
            let (status, body) = self.get(path);
            if status == 200 {
                return serde_json::from_str(&body).unwrap();
            }
            assert!(status == 404 && begun.elapsed() < Duration::from_secs(60), "{path}: {status} {body}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Asks until the answer satisfies, for as long as a list may be behind.
    pub(crate) fn eventually(
        &self,
        path: &str,
        satisfied: impl Fn(&serde_json::Value) -> bool,
    ) -> serde_json::Value {
        let begun = Instant::now();
        loop {
            let answer = self.eventually_found(path);
            if satisfied(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{path} stays {answer}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if self.process.try_wait().ok().flatten().is_none() {
            self.process.kill().ok();
            self.process.wait().ok();
        }
    }
}

/// One request on a connection of its own. An error when the other end goes away first.
pub(crate) fn http(at: &str, head: &str, body: &[u8]) -> std::io::Result<(u16, String)> {
    let answer = raw(at, head, body)?;
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::UnexpectedEof))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    Ok((status, if chunked { unchunked(body) } else { body.to_owned() }))
}

/// The same, with the head of the answer.
pub(crate) fn raw(at: &str, head: &str, body: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let host = format!("Host: {at}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    // Who refuses need not read to the end: what was answered counts, and whether anything was.
    let sent = [head.as_bytes(), host.as_bytes(), body].iter().try_for_each(|part| stream.write_all(part));
    let mut answer = Vec::new();
    let ended = stream.read_to_end(&mut answer);
    if answer.is_empty() {
        sent?;
        ended?;
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn unchunked(body: &str) -> String {
    let mut out = String::new();
    let mut rest = body;
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 {
            break;
        }
        out.push_str(after.get(..length).unwrap_or_default());
        rest = after.get(length + 2..).unwrap_or_default();
    }
    out
}
