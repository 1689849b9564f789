//! The plan of the house, checked: which room may use which, how big a room may be, what never stands in it.
//!
//! Reads the sources as text, needs no server, and runs in well under a second.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Lower floors first. A room may use rooms on lower floors only; rooms on one floor do not know each other.
const FLOORS: &[&[&str]] = &[
    &["domain"],
    &["mcp", "otlp"],
    &["access", "conventions", "evidence", "redaction"],
    &["log", "store"],
    &["projection"],
    &["ingest", "notices", "web"],
    &["config"],
    &["server"],
    &["console", "demo"],
];
/// Folders of equals: files in one of these never use one another.
const CELLS: &[&str] = &["conventions::dialects", "store::queries", "web::pages"];
/// Which rooms may name which outside crate.
const VENDORS: &[(&str, &[&str])] = &[
    ("aes_siv", &["redaction"]),
    ("aho_corasick", &["redaction"]),
    ("askama", &["web"]),
    ("axum", &["demo", "ingest", "server", "web"]),
    ("clap", &["config"]),
    ("clickhouse", &["store"]),
    ("libloading", &["store"]),
    ("opentelemetry", &["demo"]),
    ("opentelemetry_otlp", &["demo"]),
    ("opentelemetry_proto", &["ingest", "otlp"]),
    ("opentelemetry_sdk", &["demo"]),
    ("parquet", &["web"]),
    ("prost", &["ingest", "otlp"]),
    ("pulldown_cmark", &["web"]),
    ("regex", &["redaction", "web"]),
    ("rmcp", &["mcp"]),
    ("rusqlite", &["demo"]),
    ("rustix", &["log", "store"]),
    ("similar", &["web"]),
    ("tokio", &["console", "demo", "ingest", "log", "notices", "projection", "server", "store", "web"]),
    ("toml", &["config"]),
    ("tonic", &["ingest", "server"]),
];
const FILE_LINES_MAX: usize = 500;
const LINE_COLUMNS_MAX: usize = 110;
const NAMES_BANNED: &[&str] = &["common", "helpers", "manager", "misc", "shared", "util", "utils"];

#[test]
fn rooms_use_lower_floors_only() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let Some(room) = room_of(&path) else { continue };
        floor(&room);
        for used in uses(&text).iter().filter_map(|used| used.first()) {
            if used != &room && floor(used) >= floor(&room) {
                wrong.push(format!("{}: `{room}` may not use `{used}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn cells_stand_alone() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        let Some((cell, _)) = module.rsplit_once("::").filter(|(cell, _)| CELLS.contains(cell)) else {
            continue;
        };
        for used in uses(&text).iter().map(|used| used.join("::")) {
            if used.starts_with(&format!("{cell}::")) && !used.starts_with(&module) {
                wrong.push(format!("{}: may not use `{used}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn vendors_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let Some(room) = room_of(&path) else { continue };
        for (vendor, rooms) in VENDORS {
            let named = text
                .match_indices(&format!("{vendor}::"))
                .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'));
            if named && !rooms.contains(&room.as_str()) {
                wrong.push(format!("{}: `{room}` may not name `{vendor}`", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn files_form_no_circle() {
    let sources = sources();
    let modules: BTreeSet<String> = sources.iter().map(|(path, _)| module_of(path)).collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in &sources {
        let from = module_of(path);
        for child in declared(text) {
            edges.entry(from.clone()).or_default().insert(format!("{from}::{child}"));
        }
        for used in uses(text) {
            let to = (1..=used.len()).rev().map(|len| used[..len].join("::")).find(|to| modules.contains(to));
            if let Some(to) = to.filter(|to| *to != from) {
                edges.entry(from.clone()).or_default().insert(to);
            }
        }
    }
    // Take away files that use nothing left, and files nothing left uses: what remains stands in a circle.
    while let Some(loose) = edges.keys().find(|file| {
        let uses_none = edges[*file].iter().all(|used| !edges.contains_key(used));
        uses_none || edges.values().all(|used| !used.contains(*file))
    }) {
        let loose = loose.clone();
        edges.remove(&loose);
    }
    assert!(edges.is_empty(), "circle among {edges:#?}");
}

#[test]
fn files_are_small_and_well_named() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            wrong.push(format!("{}: {lines} lines, more than {FILE_LINES_MAX}", path.display()));
        }
        if text.lines().any(|line| line.chars().count() > LINE_COLUMNS_MAX) {
            wrong.push(format!("{}: a line has more than {LINE_COLUMNS_MAX} columns", path.display()));
        }
        if text.lines().any(|line| line.trim_start().starts_with("use super::")) {
            wrong.push(format!("{}: name the path from `crate::`, not from `super::`", path.display()));
        }
        if !text.starts_with("//! ") {
            wrong.push(format!("{}: the first line does not say what the file is for", path.display()));
        }
        if module_of(&path).split("::").any(|name| NAMES_BANNED.contains(&name)) {
            wrong.push(format!("{}: the name says nothing", path.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_page_has_its_template_and_every_query_its_sql() {
    let stems = |folder: &str, ext: &str| -> BTreeSet<String> {
        files(&root().join(folder))
            .iter()
            .filter(|path| path.extension().is_some_and(|found| found == ext))
            .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
            .filter(|stem| stem != "mod")
            .collect()
    };
    assert_eq!(stems("src/web/pages", "rs"), stems("templates/pages", "html"));
    assert_eq!(stems("src/store/queries", "rs"), stems("src/store/queries", "sql"));
}

/// On a cluster a sharded table is asked on every shard; a subquery over another one is refused there, unless it
/// is answered once and sent along.
#[test]
fn subqueries_over_sharded_tables_are_global() {
    let whole: BTreeSet<String> =
        files(&root().join("migrations")).iter().filter_map(|path| whole_table(path)).collect();
    assert!(whole.contains("case_events") && !whole.contains("steps"), "{whole:?}");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in files(&root().join("src/store")) {
        let is_job = path.ends_with("expiry.rs");
        let text = fs::read_to_string(&path).unwrap().replace(['\n', '\\'], " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( SELECT", "(SELECT");
        for (at, _) in text.match_indices(" IN (SELECT ") {
            let (before, after) = (&text[..at], &text[at + " IN (SELECT ".len()..]);
            let asked = from_of(after);
            let is_global = before.ends_with(" GLOBAL") || before.ends_with(" GLOBAL NOT");
            seen += usize::from(is_global);
            // The job of expiry asks local tables only; `system` tables and parameters are everywhere.
            let needs =
                !is_job && asked.is_some_and(|table| !whole.contains(table) && !table.starts_with("system."));
            if needs != is_global && !is_job {
                wrong.push(format!("{}: IN (SELECT … FROM {asked:?}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(seen >= 5, "the pattern fits nothing any more");
}

/// The table of a migration that is on every node whole.
fn whole_table(path: &Path) -> Option<String> {
    let text =
        fs::read_to_string(path).ok().filter(|_| path.extension().is_some_and(|kind| kind == "sql"))?;
    Some(text.split_once("CREATE TABLE IF NOT EXISTS {table:")?.1.split_once('}')?.0.to_owned())
}

/// The first table or expression that a subquery asks, to its closing parenthesis.
fn from_of(subquery: &str) -> Option<&str> {
    let mut depth = 1;
    let end = subquery.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth == 0
    });
    let subquery = &subquery[..end.map_or(subquery.len(), |(at, _)| at)];
    let asked = subquery.split_once(" FROM ")?.1;
    asked.split([' ', ')']).next()
}

#[test]
fn templates_never_skip_escaping() {
    for path in files(&root().join("templates")) {
        let text = fs::read_to_string(&path).unwrap();
        for banned in ["|safe", "| safe", "<script>", "style=\"", "onclick="] {
            assert!(!text.contains(banned), "{}: {banned}", path.display());
        }
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Every Rust source, its path relative to `src`, its inline tests and comments cut off.
fn sources() -> Vec<(PathBuf, String)> {
    let src = root().join("src");
    files(&src)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ext| ext == "rs"))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            (path.strip_prefix(&src).unwrap().to_owned(), code)
        })
        .collect()
}

/// The child modules a door (`mod.rs`) opens onto.
fn declared(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_suffix(';')?.rsplit_once("mod ").map(|(_, child)| child.to_owned()))
        .collect()
}

fn module_of(path: &Path) -> String {
    let module = path.with_extension("").to_str().unwrap().replace('/', "::");
    module.strip_suffix("::mod").unwrap_or(&module).to_owned()
}

fn room_of(path: &Path) -> Option<String> {
    let room = module_of(path).split("::").next().unwrap().to_owned();
    (room != "lib" && room != "main").then_some(room)
}

fn floor(room: &str) -> usize {
    FLOORS.iter().position(|floor| floor.contains(&room)).unwrap_or_else(|| panic!("`{room}` is on no floor"))
}

/// The `crate::a::b` paths a source names, with `{…}` groups spread out.
fn uses(text: &str) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::").filter(|(at, _)| !line[..*at].ends_with("in ")) {
            let path: String = line[at + "crate::".len()..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                .collect();
            let path: Vec<String> =
                path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            if path.first().is_some_and(|first| first.chars().all(|c| c.is_lowercase() || c == '_')) {
                found.insert(path);
            }
        }
    }
    found
}
