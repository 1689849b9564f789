//! Starting the engine: what can stand in the way, each with one sentence that names the way out.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::path::{Path, PathBuf};

use recount::store::{Engine, EngineSettings};

use crate::support::child::{Child, say, wait};
use crate::support::engine::library;

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
const LIBRARY: &str = "RECOUNT_CHILD_LIBRARY";

/// Opens the engine, says how that went, and closes it when told to.
#[tokio::test]
#[ignore = "a child of other tests"]
async fn opens() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let library = std::env::var_os(LIBRARY).map_or_else(library, PathBuf::from);
    match Engine::open(EngineSettings::new(library, directory)).await {
        Ok(engine) => {
            let second = Engine::open(EngineSettings::new("/nowhere", "/nowhere")).await;
            assert_eq!(second.map(|_| ()).unwrap_err().to_string(), SECOND);
            say("opened");
            wait();
            // Dropped, it leaves room for another.
            drop(engine);
            let again =
                std::env::var_os(DIRECTORY).map(|directory| EngineSettings::new("/nowhere", directory));
            let engine = Engine::open(again.unwrap()).await.unwrap();
            assert_eq!(engine.client().query_raw("SELECT 1").fetch_one::<u8>().await.unwrap(), 1);
            engine.shutdown().await;
            say("closed");
        }
        Err(error) => say(&error.to_string()),
    }
}

const SECOND: &str = "this process has its engine open already, and can have one only";

fn open(library: &Path, directory: &Path) -> Child {
    Child::start("store::start::opens", &[(LIBRARY, library), (DIRECTORY, directory)])
}

fn sentence(library: &Path, directory: &Path) -> String {
    let mut child = open(library, directory);
    let sentence = child.says().unwrap();
    assert!(child.ends(), "after: {sentence}");
    sentence
}

#[test]
fn a_directory_serves_one_process_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = open(&library(), directory.path());
    assert_eq!(first.says().as_deref(), Some("opened"));
    let id = first.id();
    let real = directory.path().canonicalize().unwrap();
    assert_eq!(
        sentence(&library(), directory.path()),
        format!(
            "the data directory {} is in use by process {id}: stop that one, or choose another with \
             --data-dir",
            real.display()
        )
    );
    assert!(first.ends());
    assert_eq!(sentence(&library(), directory.path()), "opened");
}

#[test]
fn a_killed_process_leaves_its_directory_free() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = open(&library(), directory.path());
    assert_eq!(first.says().as_deref(), Some("opened"));
    first.kill();
    assert_eq!(sentence(&library(), directory.path()), "opened");
}

#[test]
fn a_missing_library_names_the_command_that_gets_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("libchdb.so");
    assert_eq!(
        sentence(&path, directory.path()),
        format!(
            "no engine library at {}: run `make engine`, or let the setting `engine` point at libchdb 26.7",
            path.display()
        )
    );
}

#[test]
fn a_wrong_library_says_what_is_wrong_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let text = directory.path().join("text.so");
    std::fs::write(&text, "This is no library, whatever its name says. It is long enough to be one, though.")
        .unwrap();
    let other = another_library();
    for (path, reason) in [(&text, "invalid ELF header"), (&other, "undefined symbol: chdb_connect")] {
        let sentence = sentence(path, directory.path());
        let beginning = format!("{} is not the engine library (", path.display());
        assert!(sentence.starts_with(&beginning), "{sentence}");
        assert!(sentence.contains(reason) && sentence.contains("`make engine`"), "{sentence}");
    }
}

/// A library that is none of ours: the C library, wherever it is.
fn another_library() -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
    paths.map(PathBuf::from).find(|path| path.file_name().is_some_and(|name| name == "libc.so.6")).unwrap()
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let sentence = sentence(&library(), Path::new("/proc/recount"));
    assert!(sentence.starts_with("the data directory /proc/recount cannot be used ("), "{sentence}");
    assert!(sentence.ends_with("or choose another with --data-dir"), "{sentence}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let variables = [(LIBRARY, library()), (DIRECTORY, directory.path().to_owned())];
    // No file may grow: what a full disk does, without one.
    let mut child =
        Child::start_under("trap '' XFSZ; ulimit -f 0; exec \"$@\"", "store::start::opens", &variables);
    let sentence = child.says().unwrap();
    assert!(
        sentence.contains("cannot be used (File too large") && sentence.contains("free some space"),
        "{sentence}"
    );
}

#[test]
fn a_directory_the_engine_cannot_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let metadata = directory.path().join("metadata");
    std::fs::create_dir(&metadata).unwrap();
    std::fs::write(metadata.join("broken.sql"), "no SQL at all").unwrap();
    let sentence = sentence(&library(), directory.path());
    assert!(sentence.starts_with("the engine did not start on "), "{sentence}");
}

#[test]
fn configurations_that_lie_about_are_not_read() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("config.xml"), "<clickhouse><path>/nowhere</path>").unwrap();
    let data = directory.path().join("data");
    let shell = format!("cd '{}'; HOME=$PWD exec \"$@\"", directory.path().display());
    let mut child =
        Child::start_under(&shell, "store::start::opens", &[(LIBRARY, library()), (DIRECTORY, data.clone())]);
    assert_eq!(child.says().as_deref(), Some("opened"));
    assert!(data.join("engine.xml").exists());
    let mode = std::os::unix::fs::PermissionsExt::mode(&data.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700, "only its owner may look into it");
    assert!(child.ends());
}
