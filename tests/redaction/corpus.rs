//! What the built-in rules find and miss, measured on a corpus: the table in docs/redaction.md is this.
use std::collections::BTreeMap;

use recount::redaction::{Redactor, Settings, listing};

const CORPUS: &str = include_str!("../fixtures/redaction/corpus.tsv");
const DOCS: &str = include_str!("../../docs/redaction.md");

/// Lines with something to find, of these found, and lines in which a rule found something that is none.
#[derive(Debug, Default, Clone, Copy)]
struct Measured {
    lines: u32,
    found: u32,
    wrong: u32,
}

#[test]
fn the_table_of_precision_and_recall_is_what_the_rules_do() {
    let settings = Settings {
        packs: ["cards", "iban", "base64", "email", "phone", "ip", "national-id"].map(str::to_owned).to_vec(),
        ..Settings::default()
    };
    let rules = Redactor::new(&settings).unwrap();
    let packs: BTreeMap<String, String> = listing(&settings)
        .into_iter()
        .map(|line| (line.id, line.origin.trim_start_matches("pack ").to_owned()))
        .collect();
    let class = |rule: &str| match rule {
        "secret" => "secrets, by key".to_owned(),
        rule => packs.get(rule).map(|pack| pack.replace("secrets", "secrets, by form")).unwrap(),
    };
    let (mut measured, mut wrong): (BTreeMap<String, Measured>, Vec<String>) = Default::default();
    let (mut lines, mut harmless) = (0, 0);
    for line in CORPUS.lines().filter(|line| !line.starts_with('#')) {
        let (expected, text) = line.split_once('\t').unwrap();
        let text = unescaped(&text.replace('~', ""));
        lines += 1;
        harmless += u32::from(expected == "-");
        let tried = rules.try_on(&text);
        let hits: Vec<&str> = tried.done.iter().map(|done| done.rule.as_str()).collect();
        if expected == "-" {
            hits.iter().for_each(|rule| measured.entry(class(rule)).or_default().wrong += 1);
            wrong.extend((!hits.is_empty()).then(|| format!("{line}: {hits:?}")));
            continue;
        }
        let entry = measured.entry(class(expected)).or_default();
        entry.lines += 1;
        // Where hits overlap, the longest names what it takes in.
        entry.found += u32::from(!hits.is_empty());
        wrong.extend((!hits.contains(&expected)).then(|| format!("{line}: {hits:?}")));
    }
    assert!(lines >= 300 && harmless >= 100, "{lines} lines, {harmless} of them harmless");
    let table = table(&measured);
    let told = DOCS.split("<!-- corpus -->\n").nth(1).unwrap_or_default();
    assert_eq!(told, table, "the table is not what was measured\n{table}\n{}", wrong.join("\n"));
    let all = measured.values().fold(Measured::default(), |all, one| Measured {
        lines: all.lines + one.lines,
        found: all.found + one.found,
        wrong: all.wrong + one.wrong,
    });
    assert!(all.found * 100 >= all.lines * 97, "recall: {all:?}");
    assert!(all.found * 100 >= (all.found + all.wrong) * 97, "precision: {all:?}");
}

fn table(measured: &BTreeMap<String, Measured>) -> String {
    let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
    let mut table =
        "| rules | lines with something to find | found | recall | harmless lines hit | precision |\n\
                     |---|---|---|---|---|---|\n"
            .to_owned();
    for (class, Measured { lines, found, wrong }) in measured {
        let (recall, precision) = (share(*found, *lines), share(*found, found + wrong));
        table += &format!("| {class} | {lines} | {found} | {recall:.2} | {wrong} | {precision:.2} |\n");
    }
    table
}

/// `\n` is a new line, `\\` a backslash; any other backslash stands for itself.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('n')) => {
                chars.next();
                out.push('\n');
            }
            ('\\', Some('\\')) => {
                chars.next();
                out.push('\\');
            }
            _ => out.push(char),
        }
    }
    out
}
