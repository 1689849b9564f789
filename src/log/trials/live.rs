//! The log on the real disk, with its thread: groups, waits, restarts, two openers.
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tempfile::tempdir;

use crate::log::error::LogError;
use crate::log::handle::{Log, LogSettings};
use crate::log::recovery::Recovery;
use crate::log::sealed::Sealed;
use crate::log::sim::{Fault, Sim};

fn open(dir: &Path) -> (Log, Recovery) {
    Log::open(LogSettings::new(dir.to_owned(), Bytes::from_static(b"columns"))).unwrap()
}

fn payloads(sealed: &Sealed) -> Vec<&[u8]> {
    sealed.frames().iter().map(|frame| frame.payload.as_ref()).collect()
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), what).await.expect("in time")
}

#[tokio::test]
async fn what_gathers_while_one_segment_is_drained_is_the_next() {
    let dir = tempdir().unwrap();
    let (log, recovery) = open(dir.path());
    assert_eq!(recovery, Recovery::default());
    assert_eq!(log.append(Bytes::from_static(b"one"), 1).await.unwrap(), 1);
    let first = soon(log.next_sealed()).await.unwrap();
    assert_eq!(payloads(&first), [b"one"]);
    log.append(Bytes::from_static(b"two"), 2).await.unwrap();
    log.append(Bytes::from_static(b"three"), 3).await.unwrap();
    let second = soon(log.next_sealed()).await.unwrap();
    assert_eq!(payloads(&second), [b"two".as_slice(), b"three"]);
    assert_eq!((second.weight(), second.header().as_ref(), second.id().0), (5, b"columns".as_slice(), 2));
    assert_eq!(first.log_id(), second.log_id());
    log.delete(second.id()).await.unwrap();
    log.delete(first.id()).await.unwrap();
    let stats = log.stats();
    assert_eq!((stats.frames, stats.weight, stats.deleted.weight, stats.oldest_age), (0, 0, 6, None));
    log.close().await;
    assert!(matches!(log.append(Bytes::new(), 1).await, Err(LogError::Closed)));
    assert!(matches!(soon(log.next_sealed()).await, Err(LogError::Closed)));
}

#[tokio::test]
async fn whoever_waits_for_a_segment_gets_the_first_append_and_the_end() {
    let dir = tempdir().unwrap();
    let (log, _) = open(dir.path());
    let waiting = tokio::spawn({
        let log = log.clone();
        async move { (log.next_sealed().await.unwrap().frames().len(), log.next_sealed().await.map(|_| ())) }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    log.append(Bytes::from_static(b"one"), 1).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    log.close().await;
    let (frames, end) = soon(waiting).await.unwrap();
    assert_eq!(frames, 1);
    assert!(matches!(end, Err(LogError::Closed)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_appends_share_a_sync_and_all_are_there_after_a_restart() {
    let dir = tempdir().unwrap();
    let (log, _) = open(dir.path());
    let appends: Vec<_> = (0..400_u32)
        .map(|n| {
            let log = log.clone();
            tokio::spawn(async move { log.append(Bytes::from(vec![7; 1000]), n).await.unwrap() })
        })
        .collect();
    let mut sequences = Vec::new();
    for append in appends {
        sequences.push(append.await.unwrap());
    }
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=400).collect::<Vec<u64>>());
    let stats = log.stats();
    assert_eq!((stats.appended.frames, stats.frames), (400, 400));
    assert!(stats.commits < 400, "{} syncs", stats.commits);
    log.close().await;
    let (log, recovery) = open(dir.path());
    assert_eq!((recovery.frames, recovery.weight, recovery.truncated_bytes), (400, 399 * 200, 0));
    assert_eq!(soon(log.next_sealed()).await.unwrap().frames().len(), 400);
    assert_eq!(log.append(Bytes::new(), 0).await.unwrap(), 401);
}

#[tokio::test]
async fn segments_are_closed_by_size_and_by_weight_and_come_oldest_first() {
    let dir = tempdir().unwrap();
    let settings = LogSettings {
        segment_bytes_max: 10_000,
        segment_weight_max: 10,
        ..LogSettings::new(dir.path().to_owned(), Bytes::new())
    };
    let (log, _) = Log::open(settings).unwrap();
    for (bytes, weight) in [(6_000, 1), (6_000, 1), (10, 6), (10, 6), (50_000, 50), (1, 1)] {
        log.append(Bytes::from(vec![1; bytes]), weight).await.unwrap();
    }
    let mut lengths = Vec::new();
    let mut last = 0;
    for _ in 0..5 {
        let sealed = soon(log.next_sealed()).await.unwrap();
        assert!(sealed.id().0 > last);
        last = sealed.id().0;
        lengths.push(sealed.frames().iter().map(|frame| frame.payload.len()).collect::<Vec<_>>());
    }
    assert_eq!(lengths, [vec![6_000], vec![6_000, 10], vec![10], vec![50_000], vec![1]]);
}

#[tokio::test]
async fn one_directory_is_for_one_log() {
    let dir = tempdir().unwrap();
    let (log, _) = open(dir.path());
    let settings = LogSettings::new(dir.path().to_owned(), Bytes::new());
    let Err(refused) = Log::open(settings.clone()) else { panic!("two logs in one directory") };
    let said = refused.to_string();
    assert!(matches!(refused, LogError::InUse { .. }), "{said}");
    assert!(said.contains(&format!("(process {})", std::process::id())), "{said}");
    log.close().await;
    assert!(Log::open(settings).is_ok());
}

#[tokio::test]
async fn a_directory_that_cannot_be_used_is_one_sentence() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, b"").unwrap();
    let Err(refused) = Log::open(LogSettings::new(file.join("log"), Bytes::new())) else { panic!("opened") };
    assert!(matches!(refused, LogError::Open { .. }));
    assert!(refused.to_string().contains("cannot be opened"), "{refused}");
}

#[tokio::test]
async fn a_segment_that_cannot_be_read_is_set_aside_and_the_next_one_comes() {
    let dir = tempdir().unwrap();
    let (log, _) = open(dir.path());
    log.append(Bytes::from_static(b"lost"), 4).await.unwrap();
    fs::write(dir.path().join("0000000000000001.seg"), b"overwritten").unwrap();
    let waiting = tokio::spawn({
        let log = log.clone();
        async move { log.next_sealed().await.unwrap() }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    log.append(Bytes::from_static(b"good"), 1).await.unwrap();
    assert_eq!(payloads(&soon(waiting).await.unwrap()), [b"good"]);
    let stats = log.stats();
    assert_eq!((stats.set_aside.weight, stats.weight), (4, 1));
    assert!(dir.path().join("0000000000000001.damaged").exists());
}

#[tokio::test]
async fn a_whole_segment_set_aside_is_kept_under_another_name() {
    let dir = tempdir().unwrap();
    let (log, _) = open(dir.path());
    log.append(Bytes::from_static(b"odd"), 4).await.unwrap();
    let sealed = soon(log.next_sealed()).await.unwrap();
    log.set_aside(sealed.id(), "of no known form").await.unwrap();
    assert_eq!(log.stats().set_aside.frames, 1);
    log.close().await;
    let (log, recovery) = open(dir.path());
    assert_eq!((recovery.frames, recovery.set_aside.len()), (0, 0));
    assert!(log.append(Bytes::new(), 0).await.unwrap() > sealed.id().0);
}

#[tokio::test]
async fn a_broken_disk_refuses_all_that_wait_and_a_whole_one_takes_the_next() {
    let sim = Sim::new(1 << 30, 4);
    let settings = LogSettings::new("simulated".into(), Bytes::new());
    let (log, _) = Log::open_on(Arc::new(sim.clone()), settings).unwrap();
    assert!(log.append(Bytes::from_static(b"one"), 1).await.is_ok());
    sim.fail_always(Fault::Io);
    for _ in 0..3 {
        assert!(matches!(soon(log.append(Bytes::from_static(b"two"), 1)).await, Err(LogError::Io(_))));
    }
    sim.heal();
    assert!(log.append(Bytes::from_static(b"three"), 1).await.is_ok());
    assert_eq!(payloads(&soon(log.next_sealed()).await.unwrap()), [b"one"]);
    assert_eq!(payloads(&soon(log.next_sealed()).await.unwrap()), [b"three"]);
    assert_eq!((log.stats().refused_io, log.stats().suspect_segments), (3, 1));
}
