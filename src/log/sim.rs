//! A disk for tests that fails on command and, when the machine crashes, keeps only what was synced, and of
//! the rest whatever is worst.
//!
//! What may survive without a sync: any prefix of the appended bytes, with holes of zeros in it; any of the
//! changed names, in any combination. A failed sync leaves pages that look clean and are not: a later sync
//! that succeeds does not save them.
use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::log::disk::{Disk, DiskFile};

/// What goes wrong at one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Input/output error; of a write, some bytes may have arrived.
    Io,
    /// No space left.
    Full,
    /// A write takes only this many bytes, and says so.
    Short(usize),
    /// The machine stops here: this operation and every later one fail.
    Crash,
}

/// Random enough, and the same for the same seed.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`; 0 when that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap().checked_rem(end).unwrap_or(0)
    }
}

#[derive(Debug, Default, Clone)]
struct Inode {
    durable: Vec<u8>,
    current: Vec<u8>,
    /// From here on, bytes were lost by a failed sync: they are read back from memory but never become
    /// durable.
    lost_from: Option<usize>,
}

#[derive(Debug, Clone)]
enum Change {
    Name(String, usize),
    Rename(String, String),
    Unlink(String),
}

#[derive(Debug)]
struct State {
    inodes: Vec<Inode>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    changes: Vec<Change>,
    /// Operations so far that change something.
    operations: usize,
    /// What happens at which operation.
    faults: BTreeMap<usize, Fault>,
    capacity: usize,
    dead: bool,
    dice: Dice,
}

/// The disk. Clones are the same disk.
#[derive(Debug, Clone)]
pub(crate) struct Sim(Arc<Mutex<State>>);

impl Sim {
    /// An empty disk of so many bytes.
    pub(crate) fn new(capacity: usize, seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            inodes: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
            operations: 0,
            faults: BTreeMap::new(),
            capacity,
            dead: false,
            dice: Dice::new(seed),
        })))
    }

    /// How many changing operations there were.
    pub(crate) fn operations(&self) -> usize {
        self.state().operations
    }

    /// Lets the operation that comes after so many others go wrong.
    pub(crate) fn fail_after(&self, others: usize, fault: Fault) {
        let mut state = self.state();
        let at = state.operations + others + 1;
        state.faults.insert(at, fault);
    }

    /// Every changing operation goes wrong from here on, until [`Sim::heal`].
    pub(crate) fn fail_always(&self, fault: Fault) {
        let mut state = self.state();
        let from = state.operations + 1;
        state.faults.extend((from..from + 100_000).map(|at| (at, fault)));
    }

    /// Nothing goes wrong any more.
    pub(crate) fn heal(&self) {
        self.state().faults.clear();
    }

    /// Another size.
    pub(crate) fn resize(&self, capacity: usize) {
        self.state().capacity = capacity;
    }

    /// The machine stops and starts again: what was not synced is gone, or half there.
    pub(crate) fn reboot(&self) {
        let mut state = self.state();
        let state = &mut *state;
        let mut names = state.durable_names.clone();
        for change in std::mem::take(&mut state.changes) {
            if state.dice.below(2) == 0 {
                apply(&mut names, &change);
            }
        }
        for inode in &mut state.inodes {
            let survived = survivor(inode, &mut state.dice);
            *inode = Inode { durable: survived.clone(), current: survived, lost_from: None };
        }
        state.durable_names.clone_from(&names);
        state.names = names;
        state.dead = false;
        state.faults.clear();
    }

    /// The process stops and starts again; the machine goes on, so what was written is there.
    pub(crate) fn restart(&self) {
        let mut state = self.state();
        state.dead = false;
        state.faults.clear();
    }

    /// The file as it is read now.
    pub(crate) fn contents(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(name).map(|inode| state.inodes[*inode].current.clone())
    }

    /// Puts a file there, durably.
    pub(crate) fn put(&self, name: &str, bytes: Vec<u8>) {
        let mut state = self.state();
        let inode = state.inodes.len();
        state.inodes.push(Inode { durable: bytes.clone(), current: bytes, lost_from: None });
        state.names.insert(name.to_owned(), inode);
        state.durable_names.insert(name.to_owned(), inode);
    }

    /// All names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

fn apply(names: &mut BTreeMap<String, usize>, change: &Change) {
    match change {
        Change::Name(name, inode) => {
            names.insert(name.clone(), *inode);
        }
        Change::Rename(from, to) => {
            if let Some(inode) = names.remove(from) {
                names.insert(to.clone(), inode);
            }
        }
        Change::Unlink(name) => {
            names.remove(name);
        }
    }
}

fn survivor(inode: &Inode, dice: &mut Dice) -> Vec<u8> {
    let Inode { durable, current, .. } = inode;
    if !current.starts_with(durable) {
        // Cut, and not synced.
        return if dice.below(2) == 0 { durable.clone() } else { current.clone() };
    }
    let mut survived = current[..durable.len() + dice.below(current.len() - durable.len() + 1)].to_vec();
    let fresh = survived.len() - durable.len();
    if fresh > 0 && dice.below(2) == 0 {
        let hole = durable.len() + dice.below(fresh);
        let end = hole + dice.below(survived.len() - hole + 1);
        survived[hole..end].fill(0);
    }
    survived
}

impl State {
    /// Counts one operation and says what is to go wrong with it.
    fn step(&mut self) -> Option<Fault> {
        self.operations += 1;
        let fault = self.faults.get(&self.operations).copied();
        if fault == Some(Fault::Crash) {
            self.dead = true;
        }
        if self.dead { Some(Fault::Crash) } else { fault }
    }

    fn checked(&mut self) -> io::Result<()> {
        match self.step() {
            None | Some(Fault::Short(_)) => Ok(()),
            Some(fault) => Err(error(fault)),
        }
    }

    fn inode(&self, name: &str) -> io::Result<usize> {
        self.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn used(&self) -> usize {
        self.names.values().map(|inode| self.inodes[*inode].current.len()).sum()
    }
}

fn error(fault: Fault) -> io::Error {
    match fault {
        Fault::Full => io::ErrorKind::StorageFull.into(),
        Fault::Io | Fault::Short(_) => io::Error::other("input/output error"),
        Fault::Crash => io::Error::other("crashed"),
    }
}

impl Disk for Sim {
    fn create(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.checked()?;
        let inode = state.inodes.len();
        state.inodes.push(Inode::default());
        state.names.insert(name.to_owned(), inode);
        state.changes.push(Change::Name(name.to_owned(), inode));
        Ok(Box::new(SimFile { sim: self.clone(), inode }))
    }

    fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let state = self.state();
        let length = |inode: &usize| u64::try_from(state.inodes[*inode].current.len()).unwrap();
        Ok(state.names.iter().map(|(name, inode)| (name.clone(), length(inode))).collect())
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let state = self.state();
        Ok(state.inodes[state.inode(name)?].current.clone())
    }

    fn truncate(&self, name: &str, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.checked()?;
        let inode = state.inode(name)?;
        let inode = &mut state.inodes[inode];
        inode.current.truncate(usize::try_from(len).unwrap());
        let sound = inode.lost_from.unwrap_or(usize::MAX).min(inode.current.len());
        inode.durable = inode.current[..sound].to_vec();
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.checked()?;
        state.inode(from)?;
        let change = Change::Rename(from.to_owned(), to.to_owned());
        apply(&mut state.names, &change);
        state.changes.push(change);
        Ok(())
    }

    fn unlink(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.checked()?;
        state.inode(name)?;
        let change = Change::Unlink(name.to_owned());
        apply(&mut state.names, &change);
        state.changes.push(change);
        Ok(())
    }

    fn sync_dir(&self) -> io::Result<()> {
        let mut state = self.state();
        state.checked()?;
        state.durable_names = state.names.clone();
        state.changes.clear();
        Ok(())
    }

    fn free_bytes(&self) -> io::Result<u64> {
        let state = self.state();
        Ok(u64::try_from(state.capacity.saturating_sub(state.used())).unwrap())
    }

    fn release(&self) {}
}

struct SimFile {
    sim: Sim,
    inode: usize,
}

impl DiskFile for SimFile {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.sim.state();
        let fault = state.step();
        let mut bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        match fault {
            Some(Fault::Short(len)) => bytes.truncate(len.max(1)),
            Some(Fault::Io | Fault::Full | Fault::Crash) => {
                let arrived = state.dice.below(bytes.len() + 1);
                bytes.truncate(arrived);
            }
            None => {}
        }
        let room = state.capacity.saturating_sub(state.used());
        let full = bytes.len() > room;
        bytes.truncate(room);
        state.inodes[self.inode].current.extend_from_slice(&bytes);
        match fault {
            Some(fault @ (Fault::Io | Fault::Full | Fault::Crash)) => Err(error(fault)),
            Some(Fault::Short(_)) | None if full && bytes.is_empty() => Err(error(Fault::Full)),
            Some(Fault::Short(_)) | None => Ok(bytes.len()),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.sim.state();
        let failed = state.checked();
        let dead = state.dead;
        let inode = &mut state.inodes[self.inode];
        if dead {
            // The process is gone; what it wrote is still in memory, and the next one may sync it.
        } else if failed.is_err() {
            inode.lost_from.get_or_insert(inode.durable.len());
        } else {
            let sound = inode.lost_from.unwrap_or(usize::MAX).min(inode.current.len());
            inode.durable = inode.current[..sound].to_vec();
        }
        failed
    }
}
