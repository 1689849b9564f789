//! The captures of real runtimes, on pages and in answers of the API.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use recount::conventions::{Conventions, ToolRules};
use recount::domain::run::{Attempt, Run, Slot};
use recount::domain::step::Step;
use recount::otlp::{decode_logs_json, decode_logs_protobuf, decode_traces_json, decode_traces_protobuf};

use crate::pages::site::{Site, addresses};

/// Of a run of twice as many attempts and more, about so many are looked at; of every other run all of them.
const LOOKS: usize = 40;

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn steps(capture: &Path) -> Vec<Step> {
    let conventions = Conventions::new(ToolRules::default());
    let mut steps = Vec::new();
    for path in sorted(capture) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.contains("decoded") || name.contains("metrics") || name.contains("headers") {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        if name.ends_with(".gz") {
            let mut plain = Vec::new();
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
            bytes = plain;
        }
        let is_json = name.contains(".json");
        if name.contains("-traces.") {
            let decode = if is_json { decode_traces_json } else { decode_traces_protobuf };
            steps.extend(decode(&bytes).unwrap().items.iter().map(|span| conventions.step(span)));
        } else {
            let decode = if is_json { decode_logs_json } else { decode_logs_protobuf };
            steps.extend(decode(&bytes).unwrap().items.iter().map(|log| conventions.step_of_log(log)));
        }
    }
    steps
}

#[tokio::test]
async fn every_capture_is_shown() {
    let site = Site::new().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pages");
    fs::create_dir_all(&folder).unwrap();
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures");
    for capture in sorted(&captures) {
        let name = capture.file_name().unwrap().to_str().unwrap().to_owned();
        let runs = site.keep(steps(&capture)).await;
        assert!(!runs.is_empty(), "{name}");
        for (at, run) in runs.iter().enumerate() {
            let html = shown(&site, run).await;
            fs::write(folder.join(format!("capture-{name}-{at}.html")), html).unwrap();
            answered(&site, run).await;
        }
    }
    let html = site.page("/runs").await;
    fs::write(folder.join("runs.html"), html).unwrap();
    let html = site.page("/status").await;
    fs::write(folder.join("status.html"), html).unwrap();
    for name in ["conventions", "findings"] {
        fs::write(folder.join(format!("{name}.html")), site.page(&format!("/about/{name}")).await).unwrap();
    }
}

/// Looks at a run and at each of its attempts, each from another side, and follows what the pages link to.
async fn shown(site: &Site, run: &Run) -> String {
    let path = format!("/runs/{}", run.run_id);
    let html = site.page(&path).await;
    assert!(html.trim_end().ends_with("</html>"), "{path}");
    let sides = ["saw", "proposed", "happened", "model", "gate", "raw"];
    // Long runs repeat themselves: every side is looked at, and attempts from all over the run.
    let step = (attempts(run).count() / LOOKS).max(1);
    for (attempt, side) in attempts(run).step_by(step).zip(sides.iter().cycle()) {
        let span = attempt.record.facts.span_id;
        let part = format!("{path}?span={span}&tab={side}&messages=all&part=inspector");
        let html = site.page(&part).await;
        assert!(html.contains("class=\"inspector card\""), "{part}");
        if let Some(content) = addresses(&html, &path).iter().find(|address| address.contains("/contents/")) {
            assert!(site.get(content).await.status.is_success(), "{part}: {content}");
        }
    }
    html
}

fn attempts(run: &Run) -> impl Iterator<Item = &Attempt> {
    run.steps.iter().flat_map(|step| &step.attempts).filter_map(|slot| match slot {
        Slot::Attempt(attempt) => Some(attempt.as_ref()),
        Slot::Missing(_) => None,
    })
}

async fn answered(site: &Site, run: &Run) {
    let whole = site.get(&format!("/api/v1/runs/{}", run.run_id)).await.json();
    assert_eq!(whole["steps"].as_array().unwrap().len(), run.steps.len());
    for attempt in attempts(run).step_by(3) {
        let facts = &attempt.record.facts;
        let path = format!("/api/v1/spans/{}/{}", facts.trace_id, facts.span_id);
        let kept = site.get(&path).await.json();
        assert_eq!(kept["run_id"], run.run_id.as_str());
        assert!(kept["attributes"].is_array(), "{path}");
        let otlp = site.get(&format!("{path}?format=otlp")).await;
        assert_eq!(decode_traces_json(otlp.body.as_bytes()).unwrap().items.len(), 1, "{path}");
    }
}
