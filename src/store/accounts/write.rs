//! Changes of who may come in, kept: rows are only ever added.
use bytes::Bytes;

use crate::access::{KeyEntry, Person, ProjectEntry, Session};
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::cell::{Cell, Day};
use crate::store::rows::writer::Writer;

/// Rows of `sessions` are of no use for longer.
const SESSION_DAYS: u16 = 14;

/// Keeps a project as it is now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_project(store: &Store, entry: &ProjectEntry) -> Result<(), StoreError> {
    let mut out = Writer::default();
    entry.project.write(&mut out);
    out.u64(entry.at_ns);
    entry.closed.write(&mut out);
    out.text(&entry.by);
    let columns = ["project", "at_ns", "closed", "changed_by"];
    insert(store, ("projects", &columns), out, (&entry.project.0, entry.at_ns)).await
}

/// Keeps a person as they are now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_person(store: &Store, person: &Person) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.text(&person.id);
    out.u64(person.at_ns);
    out.text(&person.name);
    out.text(person.source.word());
    out.text(&person.password.0);
    person.grants.iter().map(ToString::to_string).collect::<Vec<_>>().write(&mut out);
    person.disabled.write(&mut out);
    out.text(&person.by);
    let columns = ["user_id", "at_ns", "name", "source", "password", "grants", "disabled", "changed_by"];
    insert(store, ("users", &columns), out, (&person.id, person.at_ns)).await
}

/// Keeps a key's entry as it is now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_key(store: &Store, key: &KeyEntry) -> Result<(), StoreError> {
    let mut out = Writer::default();
    out.text(&key.id);
    out.u64(key.at_ns);
    out.text(&key.name);
    key.project.write(&mut out);
    out.text(key.role.word());
    key.entities.iter().map(ToString::to_string).collect::<Vec<_>>().write(&mut out);
    out.text(&key.hash.0);
    out.u64(key.made_ns);
    out.u64(key.expires_ns.unwrap_or_default());
    key.revoked.write(&mut out);
    out.text(&key.by);
    let columns = [
        "key_id",
        "at_ns",
        "name",
        "project",
        "role",
        "entities",
        "secret_hash",
        "made_ns",
        "expires_ns",
        "revoked",
        "changed_by",
    ];
    insert(store, ("api_keys", &columns), out, (&key.id, key.at_ns)).await
}

/// Keeps a session as it is now.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn keep_session(store: &Store, session: &Session) -> Result<(), StoreError> {
    let mut out = Writer::default();
    write_session(&mut out, session);
    insert(store, ("sessions", &SESSION_COLUMNS), out, (&session.hash.0, session.at_ns)).await
}

/// Ends these sessions.
///
/// # Errors
/// As for any insert; repeating it adds nothing.
pub async fn end_sessions_of(store: &Store, sessions: &[Session], now_ns: u64) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for session in sessions {
        write_session(&mut out, &Session { at_ns: now_ns, ended: true, ..session.clone() });
    }
    match sessions.first() {
        Some(first) => insert(store, ("sessions", &SESSION_COLUMNS), out, (&first.hash.0, now_ns)).await,
        None => Ok(()),
    }
}

/// Keeps when keys were last used.
///
/// # Errors
/// As for any insert.
pub async fn keep_uses(store: &Store, uses: &[(String, u64)], now_ns: u64) -> Result<(), StoreError> {
    let mut out = Writer::default();
    for (id, used_ns) in uses {
        out.text(id);
        out.u64(*used_ns);
    }
    if uses.is_empty() {
        return Ok(());
    }
    insert(store, ("last_uses", &["id", "used_ns"]), out, ("uses", now_ns)).await
}

const SESSION_COLUMNS: [&str; 6] = ["session_hash", "at_ns", "user_id", "started_ns", "ended", "expires"];

fn write_session(out: &mut Writer, session: &Session) {
    out.text(&session.hash.0);
    out.u64(session.at_ns);
    out.text(&session.person_id);
    out.u64(session.started_ns);
    session.ended.write(out);
    Day::after(session.started_ns, SESSION_DAYS).write(out);
}

async fn insert(
    store: &Store,
    (table, columns): (&str, &[&str]),
    rows: Writer,
    (id, at_ns): (&str, u64),
) -> Result<(), StoreError> {
    let token = format!("{table} {id} {at_ns}");
    store.insert_rows(table, columns, Bytes::from(rows.into_bytes()), &token).await
}
