//! Draws every sample page into `target/pages`, for looking at them, and checks what holds on all.
use std::fs;
use std::path::PathBuf;

use askama::Template;

use crate::domain::content::ContentKind;
use crate::domain::price::Prices;
use crate::domain::run::Run;
use crate::domain::value::Value;
use crate::web::link::Links;
use crate::web::page::{Section, Shell};
use crate::web::pages::run::RunPage;
use crate::web::run::bodies::{Bodies, Body};
use crate::web::run::inspector::Loaded;
use crate::web::run::raw::Original;
use crate::web::run::view::{Tab, View};
use crate::web::sample;

pub(in crate::web) fn shell() -> Shell {
    let section = |name, href: &str, here| Section { name, href: href.to_owned(), here, count: None };
    Shell {
        who: "development".to_owned(),
        projects: Vec::new(),
        csrf: String::new(),
        links: Links::new(""),
        sections: vec![section("Runs", "/runs", true), section("Status", "/status", false)],
        project: "default".to_owned(),
        development: true,
        find: String::new(),
    }
}

/// Bodies of the sample runs, one a line: number, kind, role, text.
const BODIES: &str = include_str!("../../tests/pages/bodies.jsonl");

pub(in crate::web) fn loaded() -> Loaded {
    let mut bodies = Bodies::default();
    for line in BODIES.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        let body = Body {
            kind: ContentKind::from_word(&text("kind")).unwrap(),
            role: text("role"),
            bytes: u64::try_from(text("text").len()).unwrap(),
            text: text("text"),
            whole: true,
        };
        let n = u8::try_from(line["n"].as_u64().unwrap()).unwrap();
        bodies.add((sample::TRACE, sample::digest(n)), body);
    }
    let text = |text: &str| Value::String(text.to_owned());
    let original = Original {
        attributes: vec![
            ("gen_ai.operation.name".to_owned(), text("execute_tool")),
            ("gen_ai.tool.name".to_owned(), text("issue_refund")),
            ("gen_ai.tool.call.id".to_owned(), text("toolu_01Vb")),
            ("recount.action.key".to_owned(), text("run_7f3k2m:3:issue_refund:ord_4812")),
            ("recount.run.epoch".to_owned(), Value::Int(4)),
            ("enduser.email".to_owned(), text("[redacted:email]")),
            ("tags".to_owned(), Value::Array(vec![text("a"), text("b")])),
        ],
        resource: vec![("service.name".to_owned(), text("support"))],
        ..Original::default()
    };
    Loaded { bodies, original: Some(original), case_id: None }
}

pub(in crate::web) fn draw(run: &Run, view: &View) -> String {
    let page = RunPage::of(
        run,
        (&sample::summary(run), Prices::default().total(&sample::summary(run))),
        view,
        &loaded(),
        (shell(), sample::START + 60_000 * sample::MS),
    );
    page.render().unwrap()
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/pages");
    fs::create_dir_all(folder.join("static")).unwrap();
    folder
}

fn put(name: &str, html: &str) {
    fs::write(folder().join(name), html).unwrap();
}

#[test]
fn sample_pages_are_drawn() {
    for name in ["recount.css", "recount.js", "icon.svg"] {
        let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("static").join(name);
        fs::copy(from, folder().join("static").join(crate::web::assets::hashed(name))).unwrap();
    }
    let stories = [("naive", sample::naive()), ("designed", sample::designed()), ("gappy", sample::gappy())];
    for (name, run) in &stories {
        let spans: Vec<_> = vec![None, Some(sample::span(3)), Some(sample::span(4)), Some(sample::span(1))];
        put(&format!("run-{name}.html"), &draw(run, &View::default()));
        for tab in Tab::ALL {
            for (at, span) in spans.iter().enumerate() {
                let view = View { tab: Some(tab), span: *span, ..View::default() };
                let html = draw(run, &view);
                assert!(html.ends_with("</html>"), "{name} {tab:?}");
                put(&format!("run-{name}-{}-{at}.html", tab.word()), &html);
            }
        }
    }
}
