//! Signed notes (C2SP signed-note, Ed25519) and the checkpoints they carry (C2SP tlog-checkpoint).
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use data_encoding::{BASE64, HEXLOWER};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::evidence::merkle::Hash;

/// The kind of signature, as the key id counts it.
const ED25519_KIND: u8 = 1;

/// Why there is nothing to sign with.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The file system said no.
    #[error("the signing key {} can't be read or made: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The answer.
        source: std::io::Error,
    },
    /// The file is none of ours.
    #[error(
        "the signing key {} is damaged: it holds one line of 64 hexadecimal digits; restore it",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The system has no randomness to give.
    #[error("cannot make a signing key: the system gives no random bytes ({0})")]
    Random(getrandom::Error),
}

/// Signs notes. The key is kept outside the database.
pub struct Signer {
    name: String,
    pair: Ed25519KeyPair,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What somebody must know to check notes, apart from them: whose they are, and earlier checkpoints that
/// were kept elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Trust {
    /// The signer's name.
    pub name: String,
    /// The signer's public key, base64.
    pub public_key: String,
    /// Checkpoints that were kept elsewhere, each a whole note.
    #[serde(default)]
    pub checkpoints: Vec<String>,
}

impl Signer {
    /// Reads the key file; makes it where there is none. A file once made is on disk before this returns.
    ///
    /// # Errors
    /// A [`SignError`].
    pub fn open(path: &Path, name: &str) -> Result<Self, SignError> {
        let io = |source| SignError::Io { path: path.to_owned(), source };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut seed = [0; 32];
                getrandom::fill(&mut seed).map_err(SignError::Random)?;
                let text = format!("{}\n", HEXLOWER.encode(&seed));
                let mut file =
                    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(io)?;
                file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
                text
            }
            Err(error) => return Err(io(error)),
        };
        let damaged = || SignError::Damaged { path: path.to_owned() };
        let seed = HEXLOWER.decode(text.trim().as_bytes()).ok().ok_or_else(damaged)?;
        Self::of_seed(&seed, name).ok_or_else(damaged)
    }

    /// A signer with this seed of 32 bytes.
    pub fn of_seed(seed: &[u8], name: &str) -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).ok()?;
        Some(Self { name: name.to_owned(), pair })
    }

    /// What others need to check its notes.
    pub fn trust(&self) -> Trust {
        let public_key = BASE64.encode(self.pair.public_key().as_ref());
        Trust { name: self.name.clone(), public_key, checkpoints: Vec::new() }
    }

    /// The note: a text of whole lines, an empty line, and the signature.
    pub fn sign(&self, text: &str) -> String {
        let mut signed = key_id(&self.name, self.pair.public_key().as_ref()).to_vec();
        signed.extend_from_slice(self.pair.sign(text.as_bytes()).as_ref());
        format!("{text}\n\u{2014} {} {}\n", self.name, BASE64.encode(&signed))
    }
}

fn key_id(name: &str, public: &[u8]) -> [u8; 4] {
    let hash = Sha256::new()
        .chain_update(name.as_bytes())
        .chain_update([b'\n', ED25519_KIND])
        .chain_update(public)
        .finalize();
    let mut id = [0; 4];
    id.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    id
}

impl Trust {
    /// Reads a trust file.
    pub fn parse(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The text of a note, when this signer signed it.
    pub fn text_of<'a>(&self, note: &'a str) -> Option<&'a str> {
        let (text, signatures) = note.rsplit_once("\n\n").map(|(text, rest)| (text.len() + 1, rest))?;
        let text = note.get(..text)?;
        let public = BASE64.decode(self.public_key.as_bytes()).ok()?;
        let id = key_id(&self.name, &public);
        let key = UnparsedPublicKey::new(&ED25519, &public);
        let ours = signatures.lines().filter_map(|line| {
            let (name, signed) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
            let signed = BASE64.decode(signed.as_bytes()).ok().filter(|_| name == self.name)?;
            signed.strip_prefix(&id).map(<[u8]>::to_vec)
        });
        ours.into_iter().any(|signature| key.verify(text.as_bytes(), &signature).is_ok()).then_some(text)
    }
}

/// The state of a log at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log, 32 hexadecimal digits.
    pub log: String,
    /// How many leaves.
    pub size: u64,
    /// The root over them.
    pub root: Hash,
    /// When, in RFC 3339, by the clock of the server.
    pub at: String,
    /// Where that clock came from, as far as it is known.
    pub clock: String,
}

/// In front of a log's id in the first line of its checkpoints.
const ORIGIN: &str = "recount/log/";

impl Checkpoint {
    /// The text that is signed.
    pub fn text(&self) -> String {
        let mut out = format!("{ORIGIN}{}\n{}\n{}\n", self.log, self.size, BASE64.encode(&self.root));
        // Writing to a String cannot fail.
        write!(out, "at {}\nclock {}\n", self.at, self.clock).unwrap_or_default();
        out
    }

    /// Reads a signed text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let log = lines.next()?.strip_prefix(ORIGIN)?.to_owned();
        let size = lines.next()?.parse().ok()?;
        let root: Hash = BASE64.decode(lines.next()?.as_bytes()).ok()?.try_into().ok()?;
        let mut told = |name: &str| lines.next()?.strip_prefix(name).map(str::to_owned);
        Some(Self { log, size, root, at: told("at ")?, clock: told("clock ")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            log: "07".repeat(16),
            size: 42,
            root: [9; 32],
            at: "2026-11-29T10:00:00Z".to_owned(),
            clock: "system".to_owned(),
        }
    }

    #[test]
    fn a_note_is_read_back_and_no_change_goes_unseen() {
        let signer = Signer::of_seed(&[5; 32], "recount.example").unwrap();
        let note = signer.sign(&checkpoint().text());
        let trust = signer.trust();
        assert_eq!(trust.text_of(&note).and_then(Checkpoint::parse), Some(checkpoint()));
        for at in 0..note.len() {
            let mut bytes = note.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            let same = trust.text_of(&changed).is_some_and(|text| text == checkpoint().text());
            // The last line feed is no part of the signature.
            assert!(!same || at == note.len() - 1, "{at}");
        }
        let other = Signer::of_seed(&[6; 32], "recount.example").unwrap();
        assert_eq!(other.trust().text_of(&note), None);
    }

    #[test]
    fn a_key_is_made_once_and_a_damaged_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recount.sign");
        let made = Signer::open(&path, "a").unwrap().trust();
        assert_eq!(Signer::open(&path, "a").unwrap().trust(), made);
        fs::write(&path, "zz").unwrap();
        assert!(Signer::open(&path, "a").unwrap_err().to_string().contains("is damaged"));
    }
}
