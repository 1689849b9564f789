//! What the binary says of itself, and the documents that it serves. Needs nothing: a source archive without git builds
//! the same, only without the commit in `recount --version`.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let Some(out) = std::env::var_os("OUT_DIR") else { return ExitCode::FAILURE };
    match documents(Path::new(&out)) {
        Ok(()) => {}
        Err(error) => {
            println!("cargo::error=docs/ could not be read: {error}");
            return ExitCode::FAILURE;
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    println!("cargo::rerun-if-env-changed=RECOUNT_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    match commit() {
        Some(commit) => println!("cargo::rustc-env=RECOUNT_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=RECOUNT_VERSION={version}"),
    }
    ExitCode::SUCCESS
}

/// The commit that is built: as told, else as git says. Only for releases, so that a commit costs no build of a
/// developer's.
fn commit() -> Option<String> {
    let told = std::env::var_os("RECOUNT_COMMIT").and_then(|commit| commit.into_string().ok());
    if let Some(told) = told.filter(|told| !told.is_empty()) {
        return Some(told);
    }
    if std::env::var_os("PROFILE").is_none_or(|profile| profile != "release") || !Path::new(".git").exists() {
        return None;
    }
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={head}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Writes the list of the documents: name and text of each.
fn documents(out: &Path) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=docs");
    let folder = std::env::current_dir()?.join("docs");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    paths.sort();
    let mut list = String::from("&[\n");
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.to_string_lossy().into_owned();
        println!("cargo::rerun-if-changed={path}");
        list.push_str(&format!("    Document {{ name: {name:?}, text: include_str!({path:?}) }},\n"));
    }
    list.push_str("]\n");
    fs::write(out.join("documents.rs"), list)
}
