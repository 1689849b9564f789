//! A server of its own whose store is behind a proxy, and what it acknowledged.
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::bugs::clickhouse::Clickhouse;
use crate::faults::counts::Counts;
use crate::faults::proxy::{Mood, Proxy};
use crate::faults::traffic::{JSON, SPANS, run};
use crate::support::binary::{Serving, http, raw};

/// Longer than anything takes on a slow and busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct House {
    serving: Option<Serving>,
    pub(crate) proxy: Proxy,
    pub(crate) clickhouse: Clickhouse,
    pub(crate) folder: TempDir,
    /// What the program is started under, and its arguments.
    under: Vec<String>,
    arguments: Vec<String>,
    /// Runs that were acknowledged.
    pub(crate) runs: Vec<u64>,
}

impl House {
    pub(crate) fn start() -> Self {
        Self::start_with(&[], |_| Vec::new())
    }

    /// With arguments of its own, under a program that may depend on the directory.
    pub(crate) fn start_with(more: &[&str], under: impl FnOnce(&std::path::Path) -> Vec<String>) -> Self {
        let clickhouse = Clickhouse::start();
        let proxy = Proxy::before(clickhouse.at());
        let folder = tempfile::tempdir().unwrap();
        let url = format!("http://{}/{}?compress=0", proxy.at, clickhouse.database());
        let mut arguments = vec!["--clickhouse-url".to_owned(), url];
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        let under = under(folder.path());
        let mut house = Self { serving: None, proxy, clickhouse, folder, under, arguments, runs: Vec::new() };
        house.serve();
        house
    }

    pub(crate) fn serve(&mut self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        self.serving = Some(Serving::start_under(&self.under, self.folder.path(), &arguments));
    }

    /// Ends the server as the loss of power would.
    pub(crate) fn kill(&mut self) {
        self.serving.take().unwrap().kill();
    }

    pub(crate) fn kill_and_serve(&mut self) {
        self.kill();
        self.serve();
    }

    pub(crate) fn serving(&self) -> &Serving {
        self.serving.as_ref().unwrap()
    }

    /// Stops it in order and gives its exit code.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        self.serving.take().unwrap().stop()
    }

    /// Sends so many runs; each must be acknowledged.
    pub(crate) fn send(&mut self, runs: u64) {
        for _ in 0..runs {
            let run = run();
            let answer = http(&self.serving().otlp_http, JSON, run.body.as_bytes()).unwrap();
            assert_eq!(answer.0, 200, "{answer:?}");
            self.runs.push(run.number);
        }
    }

    /// Sends one run that must be turned away, to be sent again later.
    pub(crate) fn is_refused(&self) {
        let answer = raw(&self.serving().otlp_http, JSON, run().body.as_bytes()).unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.to_ascii_lowercase().contains("\r\nretry-after: "), "{answer}");
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts::of(self.serving())
    }

    /// Waits until this is so; the law holds all the while.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&Self, &Counts) -> bool) {
        let begun = Instant::now();
        loop {
            let counts = self.counts();
            counts.hold_quietly();
            if is_so(self, &counts) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "not in time: {what}: {counts:?}");
            thread::sleep(Duration::from_millis(25));
        }
    }

    /// `/readyz` says no, and gives this reason; the pages for people stay up and say so too.
    pub(crate) fn says(&self, reason: &str) {
        self.until(reason, |house, _| house.serving().get("/readyz").1.contains(reason));
        assert_eq!(self.serving().get("/readyz").0, 503);
        let (status, page) = self.serving().get("/status");
        assert_eq!(status, 200);
        assert!(page.contains(reason) && page.contains("Not everything answers"), "{reason}: {page}");
        assert!(page.contains("even: every record is accounted for"), "{page}");
        assert_eq!(self.serving().get("/healthz").0, 200);
    }

    /// It takes writes, and says so.
    pub(crate) fn is_well(&self) {
        self.until("ready", |house, _| house.serving().get("/readyz").0 == 200);
        let (status, page) = self.serving().get("/status");
        assert!(status == 200 && page.contains("Everything answers"), "{page}");
    }

    /// Everything acknowledged is stored, once, and in the lists.
    pub(crate) fn all_stored(&self) {
        self.until("settled", |_, counts| counts.is_settled());
        self.stored_but(0);
    }

    /// The same, but for so many spans, which belong to one run.
    pub(crate) fn stored_but(&self, missing: u64) {
        let (runs, spans) = (self.runs.len() as u64, self.runs.len() as u64 * SPANS - missing);
        let stored: (u64, u64) =
            self.clickhouse.ask("SELECT count(), uniqExact(trace_id, span_id) FROM steps");
        assert_eq!(stored, (spans, spans), "rows, spans");
        let listed: (u64, u64, u64) = self.clickhouse.ask(
            "SELECT count(), uniqExact(run_id), toUInt64(sum(step_count)) FROM runs FINAL WHERE NOT is_deleted",
        );
        assert_eq!(listed, (runs, runs, spans), "lines, runs, steps");
    }

    /// Behaves like this from now on.
    pub(crate) fn store_is(&self, mood: Mood) {
        self.proxy.be(mood);
    }
}
