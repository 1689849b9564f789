//! Everybody who may come in, as of one moment, and whether a credential lets them.
use std::collections::HashMap;

use crate::access::grant::Grant;
use crate::access::password::PasswordHash;
use crate::access::role::Role;
use crate::access::token::{ApiKey, SecretHash};
use crate::domain::ids::Project;
use crate::domain::kind::words;
use crate::domain::scope::EntityPattern;

/// How long a session lasts without a request, and at most.
const IDLE_NS: u64 = 8 * 3_600 * 1_000_000_000;
const ABSOLUTE_NS: u64 = 3 * 24 * 3_600 * 1_000_000_000;

words! {
    /// Who says that a person is who they say.
    #[derive(Default)]
    PersonSource {
        /// Recount, by a password.
        #[default]
        Local = "local",
        /// An OpenID Connect provider.
        Oidc = "oidc",
        /// A trusted proxy in front.
        Proxy = "proxy",
    }
}

/// A project, as it was last changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectEntry {
    /// Its name.
    pub project: Project,
    /// When it was last changed, nanoseconds since 1970.
    pub at_ns: u64,
    /// Nothing new is taken for it; what is there can be read.
    pub closed: bool,
    /// Who changed it.
    pub by: String,
}

/// A person, as last changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Theirs for good.
    pub id: String,
    /// When they were last changed, nanoseconds since 1970.
    pub at_ns: u64,
    /// What they sign in with.
    pub name: String,
    /// Who vouches for them.
    pub source: PersonSource,
    /// The hash of their password, of local ones.
    pub password: PasswordHash,
    /// What they were given.
    pub grants: Vec<Grant>,
    /// May not come in any more.
    pub disabled: bool,
    /// Who changed them.
    pub by: String,
}

/// An API key, as last changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// Its public id.
    pub id: String,
    /// When it was last changed, nanoseconds since 1970.
    pub at_ns: u64,
    /// What people call it.
    pub name: String,
    /// The one project it is for.
    pub project: Project,
    /// What it may do there.
    pub role: Role,
    /// Only for what is about these; empty for the whole project.
    pub entities: Vec<EntityPattern>,
    /// What is kept of the key.
    pub hash: SecretHash,
    /// When it was made.
    pub made_ns: u64,
    /// Until when it works.
    pub expires_ns: Option<u64>,
    /// Works no more.
    pub revoked: bool,
    /// Who changed it.
    pub by: String,
}

impl KeyEntry {
    /// What the key was given.
    pub fn grant(&self) -> Grant {
        Grant { project: self.project.0.clone(), role: self.role, entities: self.entities.clone() }
    }
}

/// Somebody who signed in, as last written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What is kept of its token.
    pub hash: SecretHash,
    /// When it was last written, nanoseconds since 1970.
    pub at_ns: u64,
    /// Whose it is.
    pub person_id: String,
    /// When they signed in.
    pub started_ns: u64,
    /// It is over.
    pub ended: bool,
}

impl Session {
    /// Whether it is over, when it was last used then.
    pub fn is_over(&self, seen_ns: u64, now_ns: u64) -> bool {
        let seen_ns = seen_ns.max(self.at_ns);
        self.ended || seen_ns + IDLE_NS <= now_ns || self.started_ns + ABSOLUTE_NS <= now_ns
    }
}

/// Who it is, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// Nobody signs in here yet.
    Development,
    /// A person, by name.
    Person(String),
    /// A key, by its name and id.
    Key(String, String),
    /// Nobody that is known.
    Nobody,
}

impl Who {
    /// As it is shown and recorded.
    pub fn shown(&self) -> String {
        match self {
            Self::Development => "development".to_owned(),
            Self::Person(name) => name.clone(),
            Self::Key(name, id) => format!("key {name} ({id})"),
            Self::Nobody => "nobody".to_owned(),
        }
    }
}

/// Somebody who came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Who.
    pub who: Who,
    /// What they were given.
    pub grants: Vec<Grant>,
}

/// Why a key does not let its holder in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// There is none with this secret.
    #[error("there is no such key; perhaps it was mistyped, or is for another Recount")]
    Unknown,
    /// Its time is over.
    #[error("the key has expired; ask for another")]
    Expired,
    /// Somebody took it back.
    #[error("the key was revoked; ask for another")]
    Revoked,
    /// Its project takes nothing new.
    #[error("the key's project is closed")]
    Closed,
}

/// Everybody, as of one moment.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    /// Projects, by name.
    pub projects: Vec<ProjectEntry>,
    /// People, by name.
    pub people: Vec<Person>,
    /// Keys, by name and id.
    pub keys: Vec<KeyEntry>,
    sessions: HashMap<SecretHash, Session>,
}

impl Directory {
    /// Everybody of these.
    pub fn of(
        mut projects: Vec<ProjectEntry>,
        mut people: Vec<Person>,
        mut keys: Vec<KeyEntry>,
        sessions: Vec<Session>,
    ) -> Self {
        projects.sort_by(|a, b| a.project.cmp(&b.project));
        people.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        keys.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        let sessions = sessions.into_iter().map(|session| (session.hash.clone(), session)).collect();
        Self { projects, people, keys, sessions }
    }

    /// Whether nobody was ever given a credential. One that was taken back counts: the house does not open
    /// again when the last key is lost.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.keys.is_empty()
    }

    /// Who holds this key.
    ///
    /// # Errors
    /// Why it does not let them in.
    pub fn holder(&self, key: &ApiKey, now_ns: u64) -> Result<(Account, &KeyEntry), Denied> {
        let hash = key.hash();
        let entry = self.keys.iter().find(|entry| entry.id == key.id()).ok_or(Denied::Unknown)?;
        if !entry.hash.matches(&hash) {
            return Err(Denied::Unknown);
        }
        if entry.revoked {
            return Err(Denied::Revoked);
        }
        if entry.expires_ns.is_some_and(|at| at <= now_ns) {
            return Err(Denied::Expired);
        }
        let who = Who::Key(entry.name.clone(), entry.id.clone());
        Ok((Account { who, grants: vec![entry.grant()] }, entry))
    }

    /// Whether a project takes nothing new.
    pub fn is_closed(&self, project: &Project) -> bool {
        self.projects.iter().any(|entry| entry.project == *project && entry.closed)
    }

    /// The session under this hash.
    pub fn session(&self, hash: &SecretHash) -> Option<&Session> {
        self.sessions.get(hash)
    }

    /// The person with this id, unless they may not come in any more.
    pub fn person_by_id(&self, id: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.id == id && !person.disabled)
    }

    /// The person with this name, disabled or not. Names are compared without case.
    pub fn person(&self, name: &str) -> Option<&Person> {
        self.people.iter().find(|person| person.name.eq_ignore_ascii_case(name.trim()))
    }

    /// Every project that is named anywhere, and the one that is always there.
    pub fn project_names(&self) -> Vec<Project> {
        let granted = self.people.iter().flat_map(|person| &person.grants);
        let mut names: Vec<Project> = granted
            .filter(|grant| grant.project != crate::access::grant::EVERY_PROJECT)
            .map(|grant| Project(grant.project.clone()))
            .chain(self.projects.iter().map(|entry| entry.project.clone()))
            .chain(self.keys.iter().map(|key| key.project.clone()))
            .chain([Project::default()])
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Person {
    /// What they are once they have come in.
    pub fn account(&self) -> Account {
        Account { who: Who::Person(self.name.clone()), grants: self.grants.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &ApiKey) -> KeyEntry {
        KeyEntry {
            id: key.id().to_owned(),
            at_ns: 1,
            name: "agents".to_owned(),
            project: Project("shop".to_owned()),
            role: Role::Sender,
            entities: Vec::new(),
            hash: key.hash(),
            made_ns: 1,
            expires_ns: None,
            revoked: false,
            by: "ada".to_owned(),
        }
    }

    #[test]
    fn a_key_works_until_it_is_expired_or_revoked() {
        let key = ApiKey::make().unwrap();
        let with = |entry: KeyEntry| Directory::of(Vec::new(), Vec::new(), vec![entry], Vec::new());
        let (account, found) = with(entry(&key)).holder(&key, 10).map(|(a, e)| (a, e.clone())).unwrap();
        assert_eq!(
            (account.who.shown(), found.project.0.as_str()),
            (format!("key agents ({})", key.id()), "shop")
        );
        let refused = |entry: KeyEntry, key: &ApiKey| with(entry).holder(key, 10).unwrap_err();
        assert_eq!(refused(KeyEntry { expires_ns: Some(10), ..entry(&key) }, &key), Denied::Expired);
        assert_eq!(refused(KeyEntry { revoked: true, ..entry(&key) }, &key), Denied::Revoked);
        let other = ApiKey::make().unwrap();
        assert_eq!(refused(entry(&key), &other), Denied::Unknown);
        // The id of one key with the secret of another.
        let stolen = KeyEntry { id: other.id().to_owned(), ..entry(&key) };
        assert_eq!(refused(stolen, &other), Denied::Unknown);
        assert!(!with(KeyEntry { revoked: true, ..entry(&key) }).is_empty());
    }

    #[test]
    fn a_session_ends_by_idling_by_age_and_by_hand() {
        let session = Session {
            hash: SecretHash("x".to_owned()),
            at_ns: 1,
            person_id: "p".to_owned(),
            started_ns: 1,
            ended: false,
        };
        assert!(!session.is_over(1, IDLE_NS) && session.is_over(1, IDLE_NS + 1));
        assert!(!session.is_over(IDLE_NS, IDLE_NS + 1));
        assert!(session.is_over(ABSOLUTE_NS, ABSOLUTE_NS + 1));
        assert!(Session { ended: true, ..session }.is_over(1, 1));
    }
}
