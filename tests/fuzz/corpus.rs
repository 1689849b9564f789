//! What real runtimes sent: the bodies, and the spans and log records in them.
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use recount::otlp::{
    WireLog, WireSpan, decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf,
};

use crate::chance::Chance;

/// Bodies beyond this are left to the readings: a case is to be small.
const BODY_BYTES_MAX: usize = 256 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Traces,
    Logs,
    Metrics,
}

pub(crate) struct Corpus {
    protobuf: Vec<(Signal, Vec<u8>)>,
    json: Vec<(Signal, Vec<u8>)>,
    spans: Vec<Vec<WireSpan>>,
    logs: Vec<Vec<WireLog>>,
}

impl Corpus {
    pub(crate) fn load() -> Self {
        let mut corpus = Self { protobuf: Vec::new(), json: Vec::new(), spans: Vec::new(), logs: Vec::new() };
        for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures")) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let signals =
                [("-traces.", Signal::Traces), ("-logs.", Signal::Logs), ("-metrics.", Signal::Metrics)];
            let signal = signals.iter().find(|(part, _)| name.contains(part)).map(|(_, signal)| *signal);
            let Some(signal) = signal.filter(|_| !name.contains("decoded")) else { continue };
            let (body, is_json) = (plain(&path), name.contains(".json"));
            match (signal, is_json) {
                (Signal::Traces, true) => corpus.spans.push(decode_traces_json(&body).unwrap().items),
                (Signal::Traces, false) => corpus.spans.push(decode_traces_protobuf(&body).unwrap().items),
                (Signal::Logs, true) => corpus.logs.push(decode_logs_json(&body).unwrap().items),
                (Signal::Logs, false) => corpus.logs.push(decode_logs_protobuf(&body).unwrap().items),
                (Signal::Metrics, _) => {}
            }
            if body.len() <= BODY_BYTES_MAX {
                if is_json { &mut corpus.json } else { &mut corpus.protobuf }.push((signal, body));
            }
        }
        assert!(corpus.protobuf.len() > 40 && corpus.json.len() > 10, "the captures are there");
        corpus
    }

    pub(crate) fn protobuf(&self, chance: &mut Chance) -> (Signal, &[u8]) {
        let (signal, body) = chance.of(&self.protobuf);
        (*signal, body)
    }

    pub(crate) fn json(&self, chance: &mut Chance) -> (Signal, &[u8]) {
        let (signal, body) = chance.of(&self.json);
        (*signal, body)
    }

    pub(crate) fn spans(&self, chance: &mut Chance) -> &[WireSpan] {
        chance.of::<Vec<WireSpan>>(&self.spans)
    }

    pub(crate) fn logs(&self, chance: &mut Chance) -> &[WireLog] {
        chance.of::<Vec<WireLog>>(&self.logs)
    }
}

fn plain(path: &Path) -> Vec<u8> {
    let stored = fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut plain = Vec::new();
        GzDecoder::new(stored.as_slice()).read_to_end(&mut plain).unwrap();
        return plain;
    }
    stored
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}
