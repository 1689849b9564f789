//! Whose turn it is to sign, of several servers over one store.
use bytes::Bytes;
use clickhouse::Row;
use serde::Deserialize;

use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Writer;

const SQL: &str = include_str!("signing.sql");
const COLUMNS: [&str; 4] = ["turn", "server", "name", "key"];

/// A claim to sign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Row, Deserialize)]
pub struct SigningTurn {
    /// The how-manieth claim.
    pub turn: u64,
    /// Whose it is; empty when the turn was given back.
    pub server: String,
    /// The server, for people.
    pub name: String,
    /// The public key it signs with.
    pub key: String,
    /// How long ago it was made when it was read, by the clock of the store.
    pub age_ms: u64,
}

/// The last claim. It belongs to no project.
///
/// # Errors
/// As for any read.
pub async fn signing_turn(store: &Store) -> Result<Option<SigningTurn>, StoreError> {
    store.read_all_projects(SQL).optional().await
}

/// Claims a turn; the claim that counts is read back with [`signing_turn`].
///
/// The token of the insert names the turn, so of two claims the store keeps the first and drops the other
/// without a word.
///
/// # Errors
/// As for any insert.
pub async fn claim_signing(store: &Store, claim: &SigningTurn) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.u64(claim.turn);
    out.text(&claim.server);
    out.text(&claim.name);
    out.text(&claim.key);
    let token = format!("signing {}", claim.turn);
    store.insert_rows("signing", &COLUMNS, Bytes::from(out.into_bytes()), &token).await
}
