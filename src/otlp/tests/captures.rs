//! What real exporters sent is read whole, and reads the same in both encodings.
use std::fs;
use std::path::{Path, PathBuf};

use crate::otlp::{
    Decoded, decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf,
};

/// Request bodies below the folder of captures: `NNN-<signal>.pb` and `NNN-<signal>.json`.
fn bodies(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bodies(&path, found);
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_body = name.as_bytes()[0].is_ascii_digit() && name.split('.').count() == 2;
        if is_body && !name.contains("metrics") {
            found.push(path);
        }
    }
}

fn check<T: PartialEq + std::fmt::Debug>(path: &Path, read: Decoded<T>, again: Decoded<T>) {
    assert!(!read.items.is_empty() && read.refused.is_empty() && read.warning.is_none(), "{path:?}");
    assert_eq!(read.items.len(), again.items.len(), "{path:?}");
    for (item, other) in read.items.iter().zip(&again.items) {
        assert_eq!(item, other, "{path:?}");
    }
}

#[test]
fn every_capture_is_read_whole_and_the_same_in_both_encodings() {
    let mut paths = Vec::new();
    bodies(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures"), &mut paths);
    assert!(paths.len() > 4);
    for path in paths {
        let body = fs::read(&path).unwrap();
        let json = fs::read(path.with_extension("decoded.json")).unwrap();
        let is_json = path.extension().unwrap() == "json";
        if path.to_str().unwrap().contains("-traces.") {
            let read = if is_json { decode_traces_json(&body) } else { decode_traces_protobuf(&body) };
            check(&path, read.unwrap(), decode_traces_json(&json).unwrap());
        } else {
            let read = if is_json { decode_logs_json(&body) } else { decode_logs_protobuf(&body) };
            check(&path, read.unwrap(), decode_logs_json(&json).unwrap());
        }
    }
}
