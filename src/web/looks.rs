//! What no page may get wrong: an unknown outcome never looks like a failed or a done one.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::outcome::Outcome;
use crate::web::badge::Badge;
use crate::web::gallery::draw;
use crate::web::run::view::{Tab, View};
use crate::web::sample;

const CSS: &str = include_str!("../../static/recount.css");
const SPRITE: &str = include_str!("../../templates/parts/sprite.html");
/// The states that a badge can have.
const STATES: [&str; 6] = ["submitted", "confirmed", "failed", "unknown", "finding", "none"];

fn templates(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(templates(&path));
        } else {
            found.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

fn all_templates() -> Vec<(PathBuf, String)> {
    templates(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("templates"))
}

/// What stands in a symbol of the sprite.
fn symbol(name: &str) -> &'static str {
    let start = format!("<symbol id=\"{name}\"");
    let rest = SPRITE.split(&start).nth(1).unwrap_or_else(|| panic!("no symbol {name}"));
    rest.split("</symbol>").next().unwrap()
}

/// The rules of the stylesheet: selector and declarations.
fn rules() -> Vec<(&'static str, &'static str)> {
    let mut rules = Vec::new();
    for piece in CSS.split('}') {
        if let Some((selector, declarations)) = piece.rsplit_once('{') {
            let selector = selector.rsplit(['{', ';']).next().unwrap_or_default();
            rules.push((selector.rsplit("*/").next().unwrap_or_default().trim(), declarations));
        }
    }
    rules
}

/// The states that a selector names, wherever it names them.
fn named(selector: &str) -> BTreeSet<&'static str> {
    let named = |state: &&str| {
        let quoted = format!("=\"{state}\"");
        let glyph = format!("=\"s-{state}\"");
        selector.contains(&quoted) || selector.contains(&glyph)
    };
    Outcome::ALL.iter().map(|outcome| outcome.word()).filter(named).collect()
}

#[test]
fn every_state_has_a_shape_of_its_own() {
    let outline = |state: &str| {
        let symbol = symbol(&format!("s-{state}"));
        let shape = symbol.split('<').nth(1).unwrap();
        let kind = shape.split(' ').next().unwrap();
        (kind, shape.contains("class=\"solid\""), shape.contains("dashed"))
    };
    assert_eq!(outline("confirmed"), ("circle", true, false));
    assert_eq!(outline("failed"), ("rect", true, false));
    assert_eq!(outline("unknown"), ("path", false, false), "a diamond, never filled");
    assert_eq!(outline("submitted"), ("circle", false, true));
    let all: BTreeSet<&str> = STATES.iter().map(|state| symbol(&format!("s-{state}"))).collect();
    assert_eq!(all.len(), STATES.len(), "two states share a glyph");
}

#[test]
fn no_rule_gives_one_outcome_the_colour_of_another() {
    let mut seen = BTreeSet::new();
    for (selector, declarations) in rules() {
        // One selector at a time: a list may name several states that share a frame.
        let states = named(selector);
        for state in &states {
            for other in
                Outcome::ALL.iter().map(|outcome| outcome.word()).filter(|other| !states.contains(other))
            {
                for token in [format!("var(--{other})"), format!("var(--{other}-wash)")] {
                    // The thread of attempts is drawn over the page's own surface; no other token is shared.
                    assert!(!declarations.contains(&token), "{selector} has the colour of {other}");
                }
            }
            if states.len() == 1 && declarations.contains(&format!("var(--{state})")) {
                seen.insert(*state);
            }
        }
        if states.len() > 1 && (selector.contains("unknown") || selector.contains("s-unknown")) {
            let coloured = ["color:", "background:", "fill:", "stroke:"];
            let says = coloured.iter().any(|name| declarations.contains(name));
            let own = Outcome::ALL
                .iter()
                .any(|outcome| declarations.contains(&format!("var(--{})", outcome.word())));
            assert!(!(says && own), "{selector} colours several outcomes alike");
        }
    }
    assert_eq!(seen.len(), Outcome::ALL.len(), "{seen:?}");
}

#[test]
fn the_frame_of_unknown_is_its_own() {
    let frame = |state: &str| {
        let selector = format!(".badge[data-state=\"{state}\"]");
        let found = rules().into_iter().find(|(found, _)| *found == selector);
        found.unwrap_or_else(|| panic!("{selector}")).1
    };
    assert!(frame("unknown").contains("dashed") && !frame("unknown").contains("background"));
    for other in ["confirmed", "failed", "submitted", "finding", "none"] {
        assert!(!frame(other).contains("dashed"), "{other}");
    }
}

#[test]
fn badges_are_drawn_by_one_macro_only() {
    for (path, text) in all_templates() {
        let badges = text.matches("class=\"badge\"").count();
        let expected = usize::from(path.ends_with("parts/ui.html"));
        assert_eq!(badges, expected, "{}: use the macro ui::badge", path.display());
        // A glyph of an outcome that is written out stands in something of the same state.
        for state in Outcome::ALL.iter().map(|outcome| outcome.word()) {
            for (at, _) in text.match_indices(&format!("#s-{state}\"")) {
                let before = &text[..at];
                let nearest = before.rfind("data-state=\"").map(|from| &before[from + 12..]);
                let nearest = nearest.and_then(|rest| rest.split('"').next()).unwrap_or_default();
                let is_page_glyph = before.ends_with("aria-hidden=\"true\"><use href=\"")
                    && before.rfind("empty-glyph").is_some_and(|from| at - from < 120);
                assert!(nearest == state || is_page_glyph, "{}: {state} in {nearest}", path.display());
            }
        }
    }
}

#[test]
fn every_badge_shows_its_glyph_and_a_word_that_fits() {
    let mut counted = 0;
    for run in [sample::naive(), sample::designed(), sample::gappy()] {
        for tab in Tab::ALL {
            for span in [1, 2, 3, 4, 5] {
                let view = View { tab: Some(tab), span: Some(sample::span(span)), ..View::default() };
                counted += check(&draw(&run, &view));
            }
        }
    }
    assert!(counted > 100, "{counted}");
    for outcome in Outcome::ALL {
        let badge = Badge::outcome(*outcome);
        assert_eq!((badge.state, badge.word.as_ref()), (outcome.word(), outcome.word()));
    }
}

/// Checks every badge of a page, and counts them.
pub(in crate::web) fn check(html: &str) -> usize {
    let badges = html.split("<span class=\"badge\" data-state=\"").skip(1);
    badges
        .map(|rest| {
            let (state, rest) = rest.split_once('"').unwrap();
            assert!(STATES.contains(&state), "{state}");
            let glyph = rest.split("href=\"#s-").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            assert_eq!(glyph, state, "the glyph of another state");
            let word = rest.split("</svg>").nth(1).and_then(|rest| rest.split("</span>").next()).unwrap();
            assert!(!word.trim().is_empty(), "a {state} badge says nothing");
            let lower = word.to_lowercase();
            let says_other = Outcome::ALL
                .iter()
                .map(|outcome| outcome.word())
                .any(|other| other != state && lower.split_whitespace().any(|word| word == other));
            assert!(!says_other, "a {state} badge says {word}");
            assert!(state != "unknown" || lower.contains("unknown"), "an unknown badge says {word}");
        })
        .count()
}
