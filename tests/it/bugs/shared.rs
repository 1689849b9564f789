//! One server for all of these tests, in a process of its own. It ends with the process of the tests, however
//! that ends: a shell holds the other end of a pipe.
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::support::binary::recount;
use crate::support::engine::library;

const FREE_PORTS: [&str; 6] =
    ["--listen", "127.0.0.1:0", "--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];

/// Runs the program until its own input ends, then kills it and removes its directory.
const UNTIL_THE_PIPE_ENDS: &str = r#"dir=$1; shift
"$@" --data-dir "$dir" </dev/null &
server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null
rm -rf "$dir"
"#;

/// Where the server listens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addresses {
    pub(crate) ui: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) grpc: SocketAddr,
}

/// A server with default settings.
pub(crate) fn server() -> Addresses {
    static SERVER: OnceLock<(Addresses, Child)> = OnceLock::new();
    SERVER.get_or_init(start).0
}

fn start() -> (Addresses, Child) {
    let dir = tempfile::tempdir().unwrap().keep();
    let mut shell = Command::new("sh")
        .args(["-c", UNTIL_THE_PIPE_ENDS, "sh"])
        .arg(dir)
        .args([env!("CARGO_BIN_EXE_recount"), "serve"])
        .args(FREE_PORTS)
        .env("RECOUNT_ENGINE", library())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(shell.stdout.take().unwrap()).lines();
    let ready = lines.find_map(|line| line.ok().filter(|line| line.starts_with("ready "))).unwrap();
    (addresses(&ready), shell)
}

/// A server of one test, with settings or a fate of its own; killed when dropped.
pub(crate) struct Own {
    pub(crate) at: Addresses,
    process: Child,
    dir: TempDir,
    arguments: Vec<String>,
}

impl Own {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let (at, process) = serve(dir.path(), &arguments);
        Self { at, process, dir, arguments }
    }

    /// Ends it as the loss of power would, and starts it again over the same directory.
    pub(crate) fn kill_and_start(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        (self.at, self.process) = serve(self.dir.path(), &self.arguments);
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.process.kill().unwrap_or_default();
        drop(self.process.wait());
    }
}

fn serve(dir: &Path, arguments: &[String]) -> (Addresses, Child) {
    let mut process = recount(&["serve", "--data-dir", dir.to_str().unwrap()])
        .args(FREE_PORTS)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let ready = lines.find_map(|line| line.ok().filter(|line| line.starts_with("ready "))).unwrap();
    (addresses(&ready), process)
}

/// The addresses in the line that a server says when it can take traffic.
pub(crate) fn addresses(ready: &str) -> Addresses {
    let at = |name: &str| {
        let found =
            ready.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix("=http://"));
        found.unwrap().trim_end_matches('/').split('/').next().unwrap().parse().unwrap()
    };
    Addresses { ui: at("ui"), http: at("otlp_http"), grpc: at("otlp_grpc") }
}
