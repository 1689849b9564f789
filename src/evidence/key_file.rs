//! The key file: the one secret of an installation, kept outside the database.
//!
//! Losing it makes re-sent records unrecognisable and pseudonyms unsearchable, so the store keeps its
//! fingerprint, and a start with another key file is refused.
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hmac::Mac;

use crate::domain::ids::Project;
use crate::domain::secret::SecretKey;
use crate::evidence::canon::mac;

const HEADER: &str = "recount-keys 1";
const COMMENT: &str = "\
# The keys of this Recount: record ids, digests and pseudonyms are made with them.
# Without this file its records can't be added to or searched by pseudonym. Keep a copy in a safe place,
# apart from the database: who has both can guess what a pseudonym stands for.
";
const OTHERS: u32 = 0o007;

/// Which key a store was filled with, without telling the key: 16 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What to do about a key file that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyFilePolicy {
    /// The store has no records yet: make one.
    MakeIfMissing,
    /// The store has records made with the key of this fingerprint: only that key will do.
    Expect(Fingerprint),
}

/// Why there is no key to work with.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The store has records, the file is gone.
    #[error(
        "the key file {} is missing, but the store has records made with key {fingerprint}; \
         restore the file from a backup, or start with an empty data directory",
        path.display()
    )]
    Missing {
        /// Where it should be.
        path: PathBuf,
        /// Of the key that the store was filled with.
        fingerprint: Fingerprint,
    },
    /// The file holds another key than the one the store was filled with.
    #[error(
        "the key file {} holds key {found}, but the store has records made with key {expected}; \
         restore the file that belongs to this store",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: Fingerprint,
        /// What the store was filled with.
        expected: Fingerprint,
    },
    /// The file can't be understood.
    #[error("the key file {} is damaged in line {line}: {why}; restore it from a backup", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong; never the line itself.
        why: &'static str,
    },
    /// Everybody on the machine may read it.
    #[error("the key file {} can be read by everybody (mode {mode:o}); run chmod 600 on it", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file system said no.
    #[error("cannot {doing} the key file {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The answer.
        source: io::Error,
    },
    /// The system has no randomness to give.
    #[error("cannot make a key: the system gives no random bytes ({0})")]
    Random(getrandom::Error),
}

/// The keys of an installation, oldest first.
#[derive(Debug)]
pub struct KeyFile {
    first: SecretKey,
    later: Vec<SecretKey>,
    made: bool,
}

/// The keys of one project, one for each purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectKeys {
    /// For record ids. Always of the first version, or a record re-sent after a change of keys would be new.
    pub record: SecretKey,
    /// For pseudonyms, of the latest version.
    pub pseudonym: SecretKey,
    /// For digests of bodies. Of the first version, as `record`.
    pub content: SecretKey,
}

impl KeyFile {
    /// Reads the key file; makes it where the policy allows. A file once made is on disk before this returns.
    pub fn open(path: &Path, policy: KeyFilePolicy) -> Result<Self, KeyError> {
        let (text, made) = match (fs::read_to_string(path), &policy) {
            (Ok(text), KeyFilePolicy::MakeIfMissing | KeyFilePolicy::Expect(_)) => (text, false),
            (Err(error), policy) if error.kind() == io::ErrorKind::NotFound => match policy {
                KeyFilePolicy::MakeIfMissing => (make(path)?, true),
                KeyFilePolicy::Expect(fingerprint) => {
                    let fingerprint = fingerprint.clone();
                    return Err(KeyError::Missing { path: path.to_owned(), fingerprint });
                }
            },
            (Err(error), _) => return Err(failed("read", path)(error)),
        };
        let mode = fs::metadata(path).map_err(failed("read", path))?.permissions().mode() & 0o777;
        if mode & OTHERS != 0 {
            return Err(KeyError::Exposed { path: path.to_owned(), mode });
        }
        let (first, later) =
            parse(&text).map_err(|(line, why)| KeyError::Damaged { path: path.to_owned(), line, why })?;
        let file = Self { first, later, made };
        match policy {
            KeyFilePolicy::Expect(expected) if !file.holds(&expected) => {
                Err(KeyError::Other { path: path.to_owned(), found: file.fingerprint(), expected })
            }
            KeyFilePolicy::Expect(_) | KeyFilePolicy::MakeIfMissing => Ok(file),
        }
    }

    /// Whether this start made it.
    pub fn made(&self) -> bool {
        self.made
    }

    /// The fingerprint to keep in the store: of the first key, which never changes.
    pub fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.first)
    }

    /// The keys of a project.
    pub fn project(&self, project: &Project) -> ProjectKeys {
        ProjectKeys {
            record: derive(&self.first, "record", project),
            pseudonym: derive(self.later.last().unwrap_or(&self.first), "pseudonym", project),
            content: derive(&self.first, "content", project),
        }
    }

    /// Adds a key to the file and returns its version: pseudonyms are made with it from the next start on,
    /// and searches try the older ones too. The file is replaced whole, after the new one is on disk.
    pub fn rotate(path: &Path) -> Result<u32, KeyError> {
        let file = Self::open(path, KeyFilePolicy::MakeIfMissing)?;
        let text = fs::read_to_string(path).map_err(failed("read", path))?;
        let last = file.masters().last().map_or(0, |master| master.version);
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(KeyError::Random)?;
        let master = SecretKey::new(last.saturating_add(1), bytes);
        let line = format!("key {} {} {}", master.version, hex(&bytes), fingerprint(&master));
        let mut draft = path.as_os_str().to_owned();
        draft.push(".new");
        let draft = PathBuf::from(draft);
        // The name is fixed, so that of two rotations at once one fails instead of losing the other's key.
        write_durably(&draft, &format!("{}\n{line}\n", text.trim_end())).map_err(failed("rotate", path))?;
        fs::rename(&draft, path).map_err(failed("rotate", path))?;
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        synced.map_err(failed("rotate", path))?;
        Ok(master.version)
    }

    /// The version of each key, with its fingerprint, oldest first.
    pub fn versions(&self) -> Vec<(u32, Fingerprint)> {
        self.masters().map(|master| (master.version, fingerprint(master))).collect()
    }

    /// Every pseudonym key of a project, latest first: a search has to try them all.
    pub fn pseudonym_keys(&self, project: &Project) -> Vec<SecretKey> {
        self.masters().rev().map(|master| derive(master, "pseudonym", project)).collect()
    }

    fn holds(&self, expected: &Fingerprint) -> bool {
        self.masters().any(|master| fingerprint(master) == *expected)
    }

    fn masters(&self) -> impl DoubleEndedIterator<Item = &SecretKey> {
        std::iter::once(&self.first).chain(&self.later)
    }
}

/// One block of HKDF-Expand (RFC 5869); the master key is random, so there is nothing to extract.
fn derive(master: &SecretKey, purpose: &str, project: &Project) -> SecretKey {
    let info = format!("recount {purpose} {}", project.0);
    let block = mac(master.expose()).chain_update(info.as_bytes()).chain_update([1]).finalize();
    SecretKey::new(master.version, block.into_bytes().into())
}

fn fingerprint(master: &SecretKey) -> Fingerprint {
    let block: [u8; 32] =
        mac(master.expose()).chain_update(b"recount fingerprint").finalize().into_bytes().into();
    Fingerprint(hex(block.get(..8).unwrap_or_default()))
}

/// Writes a new file beside its place, makes it durable, then moves it there without replacing anything:
/// of two first starts at once, both work with the file of the first.
fn make(path: &Path) -> Result<String, KeyError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(KeyError::Random)?;
    let master = SecretKey::new(1, bytes);
    let text = format!("{HEADER}\n{COMMENT}key 1 {} {}\n", hex(&bytes), fingerprint(&master));

    let mut suffix = [0; 8];
    getrandom::fill(&mut suffix).map_err(KeyError::Random)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", hex(&suffix)));
    let draft = PathBuf::from(draft);
    let made = write_durably(&draft, &text).and_then(|()| settle(&draft, path));
    if made.is_err() {
        // The draft holds a key that nobody uses; the error above is the one to report.
        drop(fs::remove_file(&draft));
    }
    made.map_err(failed("make", path))?;
    fs::read_to_string(path).map_err(failed("read", path))
}

fn write_durably(draft: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn settle(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Ok(()) => fs::remove_file(draft)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::remove_file(draft)?,
        // Not every file system has links; there, the last of two first starts wins, as with any rename.
        Err(_) => fs::rename(draft, path)?,
    }
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The first key in a file's text and the later ones, or the line that is wrong and why.
fn parse(text: &str) -> Result<(SecretKey, Vec<SecretKey>), (usize, &'static str)> {
    let mut masters: Vec<SecretKey> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let wrong = |why| (at + 1, why);
        match (at, line.trim()) {
            (0, HEADER) => {}
            (0, _) => return Err(wrong("it does not begin as a key file of this version")),
            (_, line) if line.is_empty() || line.starts_with('#') => {}
            (_, line) => {
                let master = parse_key(line).map_err(wrong)?;
                if masters.last().is_some_and(|last| last.version >= master.version) {
                    return Err(wrong("versions do not rise"));
                }
                masters.push(master);
            }
        }
    }
    let mut masters = masters.into_iter();
    let first = masters.next().ok_or((text.lines().count().max(1), "it holds no key"))?;
    Ok((first, masters.collect()))
}

fn parse_key(line: &str) -> Result<SecretKey, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["key", version, key, told] = words.as_slice() else {
        return Err("it is not `key VERSION KEY FINGERPRINT`");
    };
    let Ok(version) = version.parse() else { return Err("the key's version is no number") };
    let Some(bytes) = unhex(key) else { return Err("the key is not 64 hex digits") };
    let master = SecretKey::new(version, bytes);
    if fingerprint(&master).0 == *told { Ok(master) } else { Err("the key does not match its fingerprint") }
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> KeyError {
    move |source| KeyError::Io { doing, path: path.to_owned(), source }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    data_encoding::HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(path: &Path) -> KeyFile {
        KeyFile::open(path, KeyFilePolicy::MakeIfMissing).unwrap()
    }

    #[test]
    fn made_once_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let first = opened(&path);
        assert!(first.made());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft stays behind");

        let again = KeyFile::open(&path, KeyFilePolicy::Expect(first.fingerprint())).unwrap();
        assert!(!again.made());
        let (default, other) = (Project::default(), Project("other".to_owned()));
        let keys = first.project(&default);
        assert_eq!(again.project(&default), keys.clone());
        let others = first.project(&other);
        let mut all = [keys.record, keys.pseudonym, keys.content, others.record, others.pseudonym]
            .map(|key| *key.expose());
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_lost_or_foreign_file_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (path, foreign) = (folder.path().join("keys"), folder.path().join("foreign"));
        let expected = opened(&path).fingerprint();
        fs::remove_file(&path).unwrap();
        let error = KeyFile::open(&path, KeyFilePolicy::Expect(expected.clone())).unwrap_err();
        assert!(matches!(error, KeyError::Missing { .. }), "{error}");
        assert!(error.to_string().contains(&expected.0));
        opened(&foreign);
        let error = KeyFile::open(&foreign, KeyFilePolicy::Expect(expected)).unwrap_err();
        assert!(matches!(error, KeyError::Other { .. }), "{error}");
    }

    #[test]
    fn a_damaged_or_exposed_file_is_refused_without_showing_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        opened(&path);
        let text = fs::read_to_string(&path).unwrap();
        let key = text.split_whitespace().rev().nth(1).unwrap().to_owned();
        let flipped = format!("{}{}", if key.starts_with('0') { '1' } else { '0' }, &key[1..]);
        for (damaged, why) in [
            (String::new(), "holds no key"),
            ("something else\n".to_owned(), "does not begin as a key file"),
            (format!("{HEADER}\n"), "holds no key"),
            (text.replace(&key, &flipped), "does not match its fingerprint"),
            (text.replace(&key, &key[1..]), "not 64 hex digits"),
            (format!("{text}{}\n", text.lines().last().unwrap()), "versions do not rise"),
            (format!("{text}more\n"), "it is not `key"),
        ] {
            fs::write(&path, damaged).unwrap();
            let error = KeyFile::open(&path, KeyFilePolicy::MakeIfMissing).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
            assert!(!error.contains(&key[1..]), "{error}");
        }
        fs::write(&path, &text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let error = KeyFile::open(&path, KeyFilePolicy::MakeIfMissing).unwrap_err();
        assert!(matches!(error, KeyError::Exposed { mode: 0o644, .. }), "{error}");
    }

    #[test]
    fn rotating_adds_a_key_and_keeps_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let before = opened(&path);
        assert_eq!(KeyFile::rotate(&path).unwrap(), 2);
        assert_eq!(KeyFile::rotate(&path).unwrap(), 3);
        let after = KeyFile::open(&path, KeyFilePolicy::Expect(before.fingerprint())).unwrap();
        let versions: Vec<u32> = after.versions().into_iter().map(|(version, _)| version).collect();
        assert_eq!(versions, [1, 2, 3]);
        let project = Project::default();
        assert_eq!(after.pseudonym_keys(&project).last(), Some(&before.project(&project).pseudonym));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft stays behind");
        fs::write(folder.path().join("keys.new"), "").unwrap();
        assert!(matches!(KeyFile::rotate(&path), Err(KeyError::Io { doing: "rotate", .. })));
    }

    #[test]
    fn a_second_key_leaves_record_ids_alone() {
        let (one, two) = (SecretKey::new(1, [1; 32]), SecretKey::new(2, [2; 32]));
        let line =
            |key: &SecretKey| format!("key {} {} {}\n", key.version, hex(key.expose()), fingerprint(key));
        let (first, later) = parse(&format!("{HEADER}\n{}", line(&one))).unwrap();
        let before = KeyFile { first, later, made: false };
        let (first, later) = parse(&format!("{HEADER}\n{}{}", line(&one), line(&two))).unwrap();
        let after = KeyFile { first, later, made: false };
        let project = Project::default();
        let (old, new) = (before.project(&project), after.project(&project));
        assert_eq!((&old.record, &old.content), (&new.record, &new.content));
        assert_eq!(new.pseudonym.version, 2);
        assert_eq!(after.pseudonym_keys(&project), [new.pseudonym, old.pseudonym]);
        assert_eq!(before.fingerprint(), after.fingerprint());
    }
}
