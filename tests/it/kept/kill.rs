//! A process that keeps is killed, again and again, in the middle of it: what it acknowledged is there.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use recount::log::{Log, LogError, LogSettings};

use crate::support::child::{Child, say};

const DIRECTORY: &str = "RECOUNT_CHILD_DIRECTORY";
const DELETES: &str = "RECOUNT_CHILD_DELETES";
const ROUNDS: usize = 25;

fn settings(dir: &Path) -> LogSettings {
    LogSettings { segment_bytes_max: 1 << 20, ..LogSettings::new(dir.to_owned(), Bytes::new()) }
}

/// Appends from several tasks and says what is kept; takes segments, and says what it is about to delete.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a child of the test below"]
async fn appends() {
    let Some(dir) = std::env::var_os(DIRECTORY) else { return };
    let (log, _) = Log::open(settings(Path::new(&dir))).unwrap();
    let (draining, deletes) = (log.clone(), std::env::var_os(DELETES).is_some_and(|word| word == "yes"));
    tokio::spawn(async move {
        // One segment in three is finished with; the others wait to be found again.
        for turn in 0.. {
            let sealed = draining.next_sealed().await.unwrap();
            if deletes && turn % 3 == 0 {
                // Said before it is done: a kill in between leaves them in the log, which is allowed.
                sealed.frames().iter().for_each(|frame| say(&format!("gone {}", id(&frame.payload))));
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
                say(&format!("kept {id}"));
            }
        })
    });
    for keeper in keepers.collect::<Vec<_>>() {
        keeper.await.unwrap();
    }
}

fn id(payload: &[u8]) -> u64 {
    u64::from_le_bytes(*payload.first_chunk().unwrap())
}

#[tokio::test]
async fn what_was_acknowledged_outlives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let (mut kept, mut gone) = (BTreeSet::new(), BTreeSet::new());
    for round in 0..ROUNDS {
        // The last round deletes nothing: what it kept must be found, however slow the disk is.
        let deletes = Path::new(if round + 1 < ROUNDS { "yes" } else { "no" });
        let variables = [(DIRECTORY, dir.path()), (DELETES, deletes)];
        let mut child = Child::start("kept::kill::appends", &variables);
        let mut said = Vec::new();
        let enough = 3 + round * 7 % 30;
        while said.len() < enough {
            said.push(child.says().unwrap());
        }
        if round == 0 {
            // The second opener gets a sentence, not a broken log.
            assert!(matches!(Log::open(settings(dir.path())), Err(LogError::InUse { .. })));
        }
        child.kill();
        said.extend(std::iter::from_fn(|| child.says()));
        for line in said {
            match line.split_once(' ') {
                Some(("kept", id)) => kept.extend(id.parse::<u64>()),
                Some(("gone", id)) => gone.extend(id.parse::<u64>()),
                Some(_) | None => {}
            }
        }
    }
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
    assert!(kept.iter().any(|id| once.contains(id)), "{} kept, {} gone: none found", kept.len(), gone.len());
    log.close().await;
}
