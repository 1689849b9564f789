//! Key material in memory. Its bytes never show in a log, an error or a page.
use std::fmt;

/// A 256-bit key for one purpose of one project.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey {
    /// Which version of the key file it came from; part of every pseudonym.
    pub version: u32,
    bytes: [u8; 32],
}

impl SecretKey {
    /// A key of this version.
    pub fn new(version: u32, bytes: [u8; 32]) -> Self {
        Self { version, bytes }
    }

    /// The bytes, for a keyed hash.
    pub fn expose(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(v{}, hidden)", self.version)
    }
}

/// Key material of any length that somebody gave us. Its bytes never show either.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// These bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, for a keyed hash.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}
