//! A process that keeps is killed, again and again, in the middle of it: what it acknowledged is there.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use recount::log::{Log, LogError, LogSettings};

const DIR: &str = "RECOUNT_TEST_LOG";
const ROUNDS: u32 = 25;

fn settings(dir: &Path) -> LogSettings {
    LogSettings { segment_bytes_max: 1 << 20, ..LogSettings::new(dir.to_owned(), Bytes::new()) }
}

/// Not a test by itself: the process that is killed. It says what it has kept, line by line.
#[test]
#[ignore = "runs only as the child of the test below"]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let (log, _) = Log::open(settings(Path::new(&dir))).unwrap();
        let draining = log.clone();
        tokio::spawn(async move {
            // One segment in three is finished with; the others wait to be found again.
            for turn in 0.. {
                let sealed = draining.next_sealed().await.unwrap();
                if turn % 3 == 0 {
                    let mut said = String::new();
                    for frame in sealed.frames() {
                        said.push_str(&format!("gone {}\n", id(&frame.payload)));
                    }
                    // Said before it is done: a kill in between leaves them in the log, which is allowed.
                    std::io::stdout().write_all(said.as_bytes()).unwrap();
                    draining.delete(sealed.id()).await.unwrap();
                }
                tokio::time::sleep(Duration::from_millis(7)).await;
            }
        });
        let keepers = (0..4_u64).map(|keeper| {
            let log = log.clone();
            tokio::spawn(async move {
                for turn in 0.. {
                    let id = (u64::from(std::process::id()) << 32) + (keeper << 28) + turn;
                    let mut payload = id.to_le_bytes().to_vec();
                    payload.resize(8 + usize::try_from(id % 5).unwrap() * 9_000, 7);
                    log.append(payload.into(), 1).await.unwrap();
                    std::io::stdout().write_all(format!("kept {id}\n").as_bytes()).unwrap();
                }
            })
        });
        for keeper in keepers.collect::<Vec<_>>() {
            keeper.await.unwrap();
        }
    });
}

fn id(payload: &[u8]) -> u64 {
    u64::from_le_bytes(*payload.first_chunk().unwrap())
}

#[tokio::test]
async fn what_was_acknowledged_outlives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let (mut kept, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kept::kill::child", "--ignored", "--nocapture"])
            .env(DIR, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        tokio::time::sleep(Duration::from_millis(40 + u64::from(round * 13 % 70))).await;
        if round == 0 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            // The second opener gets a sentence, not a broken log.
            assert!(matches!(Log::open(settings(dir.path())), Err(LogError::InUse { .. })));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut said = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut said).unwrap();
        for line in String::from_utf8(said).unwrap().split_inclusive('\n') {
            match line.strip_suffix('\n').and_then(|line| line.split_once(' ')) {
                Some(("kept", id)) => kept.extend(id.parse::<u64>()),
                Some(("gone", id)) => gone.extend(id.parse::<u64>()),
                Some(_) | None => {}
            }
        }
    }
    assert!(kept.len() > 200, "only {} were kept", kept.len());
    let (log, recovery) = Log::open(settings(dir.path())).unwrap();
    assert_eq!(recovery.set_aside, []);
    let mut found = Vec::new();
    while log.stats().frames > u64::try_from(found.len()).unwrap() {
        found.extend(log.next_sealed().await.unwrap().frames().iter().map(|frame| id(&frame.payload)));
    }
    let once: BTreeSet<u64> = found.iter().copied().collect();
    assert_eq!(once.len(), found.len(), "nothing is there twice");
    let lost: Vec<_> = kept.iter().filter(|id| !once.contains(id) && !gone.contains(id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), kept.len());
    log.close().await;
}
