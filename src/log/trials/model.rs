//! The log against a disk that fails: every crash point, every offset, faults in any order.
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;

use crate::log::disk::Disk;
use crate::log::error::LogError;
use crate::log::frame;
use crate::log::header::{Header, LogId};
use crate::log::recovery::{Recovery, recover};
use crate::log::segments::{Bounds, Entry, Segments, Taken};
use crate::log::sim::{Dice, Fault, Sim};

const ROOMY: usize = 64 << 20;

fn bounds() -> Bounds {
    Bounds {
        bytes_max: 1 << 20,
        segment_bytes_max: 600,
        segment_weight_max: 1000,
        owner: Bytes::from_static(b"columns"),
    }
}

fn open(sim: &Sim) -> (Segments, Recovery) {
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    recover(&disk, bounds(), LogId([9; 16])).unwrap()
}

/// All frames of a taken segment.
fn frames(sim: &Sim, taken: Taken) -> Vec<(u64, Vec<u8>)> {
    let file = sim.contents(&format!("{:016x}.seg", taken.first)).unwrap();
    let (header, start) = Header::decode(&file).unwrap();
    let scan =
        frame::scan(&file[..usize::try_from(taken.end).unwrap()], start, taken.first, header.log.salt());
    scan.frames.into_iter().map(|found| (found.label.sequence, file[found.payload].to_vec())).collect()
}

/// Everything that waits, taken.
fn drained(sim: &Sim, segments: &mut Segments) -> Vec<(u64, Vec<u8>)> {
    std::iter::from_fn(|| segments.take()).flat_map(|taken| frames(sim, taken)).collect()
}

fn entry(payload: &[u8]) -> Entry {
    Entry { payload: Bytes::copy_from_slice(payload), weight: 3 }
}

/// What a client of the log believes.
#[derive(Default)]
struct Oracle {
    /// Told to be kept, not yet deleted.
    acknowledged: BTreeMap<u64, Vec<u8>>,
    /// Tried at any time.
    tried: Vec<Vec<u8>>,
    newest: u64,
    /// Syncs have failed.
    faulty: bool,
    taken: Vec<(Taken, Vec<u64>)>,
}

impl Oracle {
    fn append(&mut self, segments: &mut Segments, dice: &mut Dice, count: usize) {
        let batch: Vec<_> = (0..count)
            .map(|_| {
                let mut payload = format!("{}:", self.tried.len()).into_bytes();
                payload.resize(payload.len() + dice.below(200), b'x');
                self.tried.push(payload.clone());
                entry(&payload)
            })
            .collect();
        for (answer, entry) in segments.commit(&batch).into_iter().zip(&batch) {
            if let Ok(sequence) = answer {
                assert!(sequence > self.newest, "sequences only grow");
                self.newest = sequence;
                self.acknowledged.insert(sequence, entry.payload.to_vec());
            }
        }
    }

    fn take(&mut self, sim: &Sim, segments: &mut Segments) {
        if let Some(taken) = segments.take() {
            let found = frames(sim, taken);
            for (sequence, payload) in &found {
                assert!(self.tried.contains(payload));
                let acknowledged = self.acknowledged.get(sequence);
                assert!(acknowledged.is_none_or(|acknowledged| acknowledged == payload));
            }
            self.taken.push((taken, found.into_iter().map(|(sequence, _)| sequence).collect()));
        }
    }

    fn delete(&mut self, segments: &mut Segments) {
        if let Some((taken, sequences)) = self.taken.pop() {
            for sequence in sequences {
                self.acknowledged.remove(&sequence);
            }
            // A failed delete is tried again by the log itself.
            drop(segments.delete(taken.first));
        }
    }

    /// After a crash: everything acknowledged is there, in order, once; nothing that was never tried.
    fn check(&mut self, sim: &Sim, recovery: &Recovery, segments: &mut Segments) {
        // What a failed sync lost may look like damage when the process restarts before the machine does.
        assert!(self.faulty || recovery.set_aside.is_empty(), "a crash is no damage: {recovery:?}");
        self.taken.clear();
        let found = drained(sim, segments);
        assert!(found.is_sorted_by(|(one, _), (other, _)| one < other));
        let found: BTreeMap<_, _> = found.into_iter().collect();
        for (sequence, payload) in &self.acknowledged {
            assert_eq!(found.get(sequence), Some(payload), "frame {sequence} was acknowledged");
        }
        assert!(found.values().all(|payload| self.tried.contains(payload)));
    }
}

fn story(oracle: &mut Oracle, sim: &Sim, segments: &mut Segments, dice: &mut Dice) {
    for round in 0..3 {
        oracle.append(segments, dice, 1);
        oracle.append(segments, dice, 4);
        oracle.take(sim, segments);
        oracle.append(segments, dice, 2);
        oracle.delete(segments);
        oracle.take(sim, segments);
        if round == 1 {
            oracle.delete(segments);
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_whatever_the_crash_point() {
    let quiet = Sim::new(ROOMY, 1);
    let (mut segments, _) = open(&quiet);
    story(&mut Oracle::default(), &quiet, &mut segments, &mut Dice::new(5));
    let operations = quiet.operations();
    assert!(operations > 40);
    for crash in 0..operations {
        for seed in 0..12 {
            let sim = Sim::new(ROOMY, seed);
            sim.fail_after(crash, Fault::Crash);
            let mut oracle = Oracle::default();
            let (mut segments, _) = open(&sim);
            story(&mut oracle, &sim, &mut segments, &mut Dice::new(5));
            sim.reboot();
            // The start after a crash may crash as well.
            sim.fail_after(usize::try_from(seed).unwrap(), Fault::Crash);
            drop(open(&sim));
            sim.reboot();
            let (mut segments, recovery) = open(&sim);
            oracle.check(&sim, &recovery, &mut segments);
            oracle.append(&mut segments, &mut Dice::new(6), 1);
            assert!(!oracle.acknowledged.is_empty());
        }
    }
}

#[derive(Debug, Clone)]
enum Act {
    Append(usize),
    Take,
    Delete,
    SetFault(usize, Fault),
    Heal,
    Crash,
    Restart,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let fault = prop_oneof![
        Just(Fault::Io),
        Just(Fault::Full),
        Just(Fault::Crash),
        (1..40_usize).prop_map(Fault::Short)
    ];
    let act = prop_oneof![
        6 => (1..5_usize).prop_map(Act::Append),
        3 => Just(Act::Take),
        3 => Just(Act::Delete),
        3 => ((0..12_usize), fault).prop_map(|(after, fault)| Act::SetFault(after, fault)),
        1 => Just(Act::Heal),
        1 => Just(Act::Crash),
        1 => Just(Act::Restart),
    ];
    proptest::collection::vec(act, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_acknowledged_is_lost_whatever_goes_wrong(acts in acts(), seed in any::<u64>()) {
        let sim = Sim::new(ROOMY, seed);
        let mut dice = Dice::new(seed);
        let mut oracle = Oracle::default();
        let (mut segments, _) = open(&sim);
        for act in acts {
            match act {
                Act::Append(count) => oracle.append(&mut segments, &mut dice, count),
                Act::Take => oracle.take(&sim, &mut segments),
                Act::Delete => oracle.delete(&mut segments),
                Act::SetFault(after, fault) => {
                    oracle.faulty |= matches!(fault, Fault::Io | Fault::Full);
                    sim.fail_after(after, fault);
                }
                Act::Heal => sim.heal(),
                Act::Crash | Act::Restart => {
                    if matches!(act, Act::Crash) { sim.reboot() } else { sim.restart() }
                    let (reopened, recovery) = open(&sim);
                    segments = reopened;
                    oracle.check(&sim, &recovery, &mut segments);
                    let (reopened, _) = open(&sim);
                    segments = reopened;
                }
            }
            let (stats, _) = segments.stats();
            prop_assert_eq!(
                stats.recovered.weight + stats.appended.weight,
                stats.deleted.weight + stats.set_aside.weight + stats.weight
            );
        }
        sim.reboot();
        let (mut segments, recovery) = open(&sim);
        oracle.check(&sim, &recovery, &mut segments);
    }
}

/// A disk with one drained-up-to-here log of two segments; the payloads by segment.
fn two_segments() -> (Sim, Vec<Vec<Vec<u8>>>) {
    let sim = Sim::new(ROOMY, 3);
    let (mut segments, _) = open(&sim);
    let payloads: Vec<Vec<Vec<u8>>> = ["a", "b"]
        .iter()
        .map(|name| (0..3).map(|n| format!("{name}{n}").repeat(7).into_bytes()).collect())
        .collect();
    for segment in &payloads {
        for payload in segment {
            assert!(segments.commit(&[entry(payload)])[0].is_ok());
        }
        segments.take().unwrap();
    }
    (sim, payloads)
}

#[test]
fn a_cut_at_every_offset_of_the_newest_segment_loses_only_what_is_cut() {
    let (whole, payloads) = two_segments();
    let name = "0000000000000004.seg";
    let file = whole.contents(name).unwrap();
    let (_, start) = Header::decode(&file).unwrap();
    for cut in 0..file.len() {
        let (sim, _) = two_segments();
        sim.put(name, file[..cut].to_vec());
        let (mut segments, recovery) = open(&sim);
        let kept: Vec<_> = drained(&sim, &mut segments).into_iter().map(|(_, payload)| payload).collect();
        let whole_frames = cut.saturating_sub(start) / (frame::HEAD_BYTES + 14);
        let expected: Vec<_> =
            payloads[0].iter().chain(payloads[1].iter().take(whole_frames)).cloned().collect();
        assert_eq!(kept, expected, "cut at {cut}");
        assert_eq!(recovery.set_aside.len(), usize::from(cut < start), "cut at {cut}");
        let tail = if cut < start { 0 } else { cut - start - whole_frames * (frame::HEAD_BYTES + 14) };
        assert_eq!(recovery.truncated_bytes, u64::try_from(tail).unwrap(), "cut at {cut}");
        // The sequence goes on, and the next start is clean.
        assert!(*segments.commit(&[entry(b"later")])[0].as_ref().unwrap() > 3);
        let (_, again) = open(&sim);
        assert_eq!((again.truncated_bytes, again.set_aside), (0, vec![]));
    }
}

#[test]
fn a_flipped_bit_at_every_offset_of_an_older_segment_is_damage_and_costs_one_frame() {
    let (whole, payloads) = two_segments();
    let name = "0000000000000001.seg";
    let file = whole.contents(name).unwrap();
    let (_, start) = Header::decode(&file).unwrap();
    for at in 0..file.len() {
        let (sim, _) = two_segments();
        let mut bad = file.clone();
        bad[at] ^= 1 << (at % 8);
        sim.put(name, bad.clone());
        let (mut segments, recovery) = open(&sim);
        let found = drained(&sim, &mut segments);
        let good = if at < start { 0 } else { 2 };
        assert_eq!(found.len(), good + 3, "byte {at}");
        assert!(found.iter().all(|(_, payload)| payloads.iter().flatten().any(|known| known == payload)));
        assert_eq!(recovery.set_aside.len(), 1, "byte {at}");
        assert_eq!(recovery.set_aside[0].name, "0000000000000001.damaged");
        assert_eq!(recovery.set_aside[0].good_frames, u64::try_from(good).unwrap());
        assert_eq!(recovery.truncated_bytes, 0);
        // Its bytes stay for whoever wants to look.
        if good > 0 {
            segments.delete(1).unwrap();
        }
        assert_eq!(sim.contents("0000000000000001.damaged"), Some(bad));
        assert!(open(&sim).1.set_aside.is_empty());
    }
}

#[test]
fn a_failed_write_or_sync_is_a_refusal_and_the_next_append_begins_a_new_segment() {
    // Operations of an append to a segment that is there: write, sync.
    for (after, fault) in [(0, Fault::Io), (1, Fault::Io), (0, Fault::Full), (1, Fault::Full)] {
        let sim = Sim::new(ROOMY, 8);
        let (mut segments, _) = open(&sim);
        assert!(segments.commit(&[entry(b"first")])[0].is_ok());
        sim.fail_after(after, fault);
        let answers = segments.commit(&[entry(b"second"), entry(b"third")]);
        for answer in answers {
            let full = matches!(answer, Err(LogError::Full { .. }));
            assert_eq!(full, fault == Fault::Full);
            assert!(matches!(answer, Err(LogError::Full { .. } | LogError::Io(_))));
        }
        assert_eq!(segments.commit(&[entry(b"fourth")])[0].as_ref().unwrap(), &4);
        let found: Vec<_> = drained(&sim, &mut segments);
        assert_eq!(found, [(1, b"first".to_vec()), (4, b"fourth".to_vec())]);
        let (stats, _) = segments.stats();
        assert_eq!((stats.suspect_segments, stats.refused_full + stats.refused_io), (1, 2));
    }
}

#[test]
fn short_writes_are_finished() {
    let sim = Sim::new(ROOMY, 8);
    let (mut segments, _) = open(&sim);
    segments.commit(&[entry(b"first")]);
    for after in 0..20 {
        sim.fail_after(after, Fault::Short(3));
    }
    assert!(
        segments.commit(&[entry(b"a payload of many bytes"), entry(b"another")]).iter().all(Result::is_ok)
    );
    assert_eq!(drained(&sim, &mut segments).len(), 3);
}

#[test]
fn a_full_disk_refuses_and_recovers_by_itself() {
    let sim = Sim::new(2 * ROOMY, 8);
    let (mut segments, _) = open(&sim);
    assert!(segments.commit(&[entry(&[1; 400])])[0].is_ok());
    let taken = segments.take().unwrap();
    let used = usize::try_from(sim.list().unwrap().iter().map(|(_, bytes)| bytes).sum::<u64>()).unwrap();
    sim.resize(used);
    assert!(matches!(segments.commit(&[entry(b"more")])[0], Err(LogError::Full { .. })));
    // Deleting the newest segment needs another one in its place, and there is not a byte left for it.
    segments.delete(taken.first).unwrap();
    assert!(!sim.names().contains(&"reserve".to_owned()));
    assert!(!sim.names().contains(&"0000000000000001.seg".to_owned()));
    sim.resize(2 * ROOMY);
    assert!(segments.commit(&[entry(b"more")])[0].is_ok());
    let taken = segments.take().unwrap();
    segments.delete(taken.first).unwrap();
    assert!(sim.names().contains(&"reserve".to_owned()), "the reserve is made again");
}

#[test]
fn the_bound_refuses_and_never_evicts() {
    let sim = Sim::new(ROOMY, 8);
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    let bounds = Bounds { bytes_max: 2000, ..bounds() };
    let (mut segments, _) = recover(&disk, bounds, LogId([9; 16])).unwrap();
    let mut kept = 0;
    let refused = loop {
        match segments.commit(&[entry(&[7; 200])])[0].clone() {
            Ok(_) => kept += 1,
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, LogError::Full { limit: 2000, .. }), "{refused}");
    assert!(segments.commit(&[entry(b"small")])[0].is_ok(), "what fits is kept");
    let oldest = segments.take().unwrap();
    segments.delete(oldest.first).unwrap();
    assert!(segments.commit(&[entry(&[7; 200])])[0].is_ok());
    assert!(kept >= 5);
}

#[test]
fn a_quarter_of_the_free_disk_is_the_most() {
    let sim = Sim::new(20_000, 8);
    let (mut segments, _) = open(&sim);
    assert!(matches!(segments.commit(&[entry(&[7; 5_100])])[0], Err(LogError::Full { .. })));
    assert!(segments.commit(&[entry(&[7; 4_000])])[0].is_ok());
}

#[test]
fn a_file_that_cannot_go_now_goes_later() {
    let sim = Sim::new(ROOMY, 8);
    let (mut segments, _) = open(&sim);
    segments.commit(&[entry(b"first")]);
    let taken = segments.take().unwrap();
    sim.fail_always(Fault::Io);
    assert!(segments.delete(taken.first).is_err());
    assert!(segments.commit(&[entry(b"second")])[0].is_err());
    sim.heal();
    assert!(segments.commit(&[entry(b"third")])[0].is_ok());
    let taken = segments.take().unwrap();
    segments.delete(taken.first).unwrap();
    assert!(open(&sim).0.take().is_none());
    assert_eq!(sim.names().iter().filter(|name| name.ends_with(".seg")).count(), 1);
}

#[test]
fn the_sequence_and_the_id_outlive_an_empty_log_and_a_lost_header() {
    let sim = Sim::new(ROOMY, 8);
    let (mut segments, _) = open(&sim);
    segments.commit(&[entry(b"1"), entry(b"2"), entry(b"3")]);
    let taken = segments.take().unwrap();
    segments.delete(taken.first).unwrap();
    let disk: Arc<dyn Disk> = Arc::new(sim.clone());
    let (mut segments, recovery) = recover(&disk, bounds(), LogId([1; 16])).unwrap();
    assert_eq!(recovery, Recovery::default());
    let next = *segments.commit(&[entry(b"4")])[0].as_ref().unwrap();
    assert!(next > 3);
    let taken = segments.take().unwrap();
    let name = format!("{:016x}.seg", taken.first);
    let mut file = sim.contents(&name).unwrap();
    assert_eq!(Header::decode(&file).unwrap().0.log, LogId([9; 16]));
    file[20] ^= 1;
    sim.put(&name, file);
    let (mut segments, recovery) = open(&sim);
    assert_eq!(recovery.set_aside.len(), 1);
    assert!(*segments.commit(&[entry(b"5")])[0].as_ref().unwrap() > next);
}

#[test]
fn rejected_entries_make_a_segment_that_can_be_drained_again() {
    let sim = Sim::new(ROOMY, 8);
    let (mut segments, _) = open(&sim);
    segments.commit(&[entry(b"good"), entry(b"bad")]);
    let taken = segments.take().unwrap();
    segments.write_aside(taken.first, Bytes::from_static(b"columns"), &[entry(b"bad")]).unwrap();
    segments.commit(&[entry(b"later")]);
    segments.delete(taken.first).unwrap();
    let aside = sim.contents("0000000000000001.rejected").unwrap();
    sim.put("0000000000000001.seg", aside);
    let (mut segments, recovery) = open(&sim);
    assert_eq!((recovery.frames, recovery.weight, recovery.set_aside), (2, 6, vec![]));
    assert_eq!(drained(&sim, &mut segments), [(1, b"bad".to_vec()), (3, b"later".to_vec())]);
}
