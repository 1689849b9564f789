//! Everybody who may come in, read.
use std::collections::BTreeMap;

use clickhouse::Row;
use serde::Deserialize;

use crate::access::{
    Directory, Grant, KeyEntry, PasswordHash, Person, PersonSource, ProjectEntry, Role, SecretHash, Session,
};
use crate::domain::ids::Project;
use crate::domain::scope::EntityPattern;
use crate::store::client::Store;
use crate::store::error::StoreError;

const PROJECTS_SQL: &str = include_str!("projects.sql");
const USERS_SQL: &str = include_str!("users.sql");
const KEYS_SQL: &str = include_str!("api_keys.sql");
const SESSIONS_SQL: &str = include_str!("sessions.sql");
const USES_SQL: &str = include_str!("last_uses.sql");

/// No session lasts longer.
const SESSION_NS: u64 = 7 * 86_400 * 1_000_000_000;

#[derive(Row, Deserialize)]
struct ProjectRow {
    project: String,
    at_ns: u64,
    closed: bool,
    changed_by: String,
}

#[derive(Row, Deserialize)]
struct UserRow {
    user_id: String,
    at_ns: u64,
    name: String,
    source: String,
    password: String,
    grants: Vec<String>,
    disabled: bool,
    changed_by: String,
}

#[derive(Row, Deserialize)]
struct KeyRow {
    key_id: String,
    at_ns: u64,
    name: String,
    project: String,
    role: String,
    entities: Vec<String>,
    secret_hash: String,
    made_ns: u64,
    expires_ns: u64,
    revoked: bool,
    changed_by: String,
}

#[derive(Row, Deserialize)]
struct SessionRow {
    session_hash: String,
    seen_ns: u64,
    user_id: String,
    started_ns: u64,
    ended: bool,
}

#[derive(Row, Deserialize)]
struct UseRow {
    id: String,
    used_ns: u64,
}

/// Everybody as of now, with the sessions that may go on.
///
/// # Errors
/// As for any read; [`StoreError::Unreadable`] for rows of a later version.
pub async fn directory(store: &Store, now_ns: u64) -> Result<Directory, StoreError> {
    let read = store.read_all_projects(SESSIONS_SQL).bind("since_ns", now_ns.saturating_sub(SESSION_NS));
    let sessions = read.all::<SessionRow>().await?.into_iter().map(session).collect();
    // The clock of another replica may be ahead.
    read_as_of(store, u64::MAX, sessions).await
}

/// Everybody as of some time, without sessions.
///
/// # Errors
/// As for [`directory`].
pub async fn directory_as_of(store: &Store, as_of_ns: u64) -> Result<Directory, StoreError> {
    read_as_of(store, as_of_ns, Vec::new()).await
}

/// When keys were last used, by id, nanoseconds since 1970.
///
/// # Errors
/// As for any read.
pub async fn last_uses(store: &Store) -> Result<BTreeMap<String, u64>, StoreError> {
    let rows = store.read_all_projects(USES_SQL).all::<UseRow>().await?;
    Ok(rows.into_iter().map(|row| (row.id, row.used_ns)).collect())
}

async fn read_as_of(store: &Store, as_of_ns: u64, sessions: Vec<Session>) -> Result<Directory, StoreError> {
    let read = |sql| store.read_all_projects(sql).bind("as_of_ns", as_of_ns);
    let projects = read(PROJECTS_SQL).all::<ProjectRow>().await?.into_iter().map(project).collect();
    let people = read(USERS_SQL).all::<UserRow>().await?;
    let keys = read(KEYS_SQL).all::<KeyRow>().await?;
    let people = people.into_iter().map(person).collect::<Result<_, _>>()?;
    let keys = keys.into_iter().map(key).collect::<Result<_, _>>()?;
    Ok(Directory::of(projects, people, keys, sessions))
}

fn project(row: ProjectRow) -> ProjectEntry {
    let ProjectRow { project, at_ns, closed, changed_by } = row;
    ProjectEntry { project: Project(project), at_ns, closed, by: changed_by }
}

fn person(row: UserRow) -> Result<Person, StoreError> {
    let UserRow { user_id, at_ns, name, source, password, grants, disabled, changed_by } = row;
    let grants = grants.iter().map(|text| Grant::parse(text)).collect::<Result<_, _>>();
    Ok(Person {
        source: PersonSource::from_word(&source).ok_or_else(|| unknown("users", &user_id))?,
        grants: grants.map_err(|_wrong| unknown("users", &user_id))?,
        id: user_id,
        at_ns,
        name,
        password: PasswordHash(password),
        disabled,
        by: changed_by,
    })
}

fn key(row: KeyRow) -> Result<KeyEntry, StoreError> {
    let patterns: Option<Vec<_>> = row.entities.iter().map(|text| EntityPattern::parse(text)).collect();
    Ok(KeyEntry {
        role: Role::from_word(&row.role).ok_or_else(|| unknown("api_keys", &row.key_id))?,
        entities: patterns.ok_or_else(|| unknown("api_keys", &row.key_id))?,
        id: row.key_id,
        at_ns: row.at_ns,
        name: row.name,
        project: Project(row.project),
        hash: SecretHash(row.secret_hash),
        made_ns: row.made_ns,
        expires_ns: Some(row.expires_ns).filter(|at| *at != 0),
        revoked: row.revoked,
        by: row.changed_by,
    })
}

fn session(row: SessionRow) -> Session {
    let SessionRow { session_hash, seen_ns, user_id, started_ns, ended } = row;
    Session { hash: SecretHash(session_hash), at_ns: seen_ns, person_id: user_id, started_ns, ended }
}

/// A role or an entity that this version can't read must not widen what somebody may.
fn unknown(table: &str, id: &str) -> StoreError {
    StoreError::Unreadable { reason: format!("row {id} of `{table}` holds a right of a later version") }
}
