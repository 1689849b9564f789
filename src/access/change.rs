//! Changes of who may come in: what is asked, checked against who is there and who asks.
use serde::{Deserialize, Serialize};

use crate::access::directory::{Account, Directory, KeyEntry, Person, PersonSource, ProjectEntry};
use crate::access::grant::{EVERY_PROJECT, Grant, GrantError, allow, is_project_name};
use crate::access::password::{PasswordError, PasswordHash};
use crate::access::role::Permission;
use crate::access::token::{ApiKey, NoRandom, random_id};
use crate::domain::ids::Project;

const NAME_CHARS_MAX: usize = 100;

/// Why a change is not made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// A name that can't be one.
    #[error("`{0}` can't be a name: 1 to {NAME_CHARS_MAX} characters, none of them a control character")]
    Name(String),
    /// A name that is taken.
    #[error("there is a person named {0} already")]
    Taken(String),
    /// Nobody of this name.
    #[error("there is no person named {0}")]
    NoPerson(String),
    /// No key of this id.
    #[error("there is no key with the id {0}")]
    NoKey(String),
    /// Another vouches for them.
    #[error("{0} does not sign in with a password here")]
    Vouched(String),
    /// A right that can't be given.
    #[error(transparent)]
    Grant(#[from] GrantError),
    /// A password that can't be used.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// Nothing given.
    #[error("give at least one role, such as viewer@default")]
    NoGrant,
    /// A right in a project where whoever asks may not say who may what.
    #[error("only an admin of the project {0} can change who may what in it")]
    NotYours(String),
    /// Nobody would be left who can say who may what.
    #[error("{0} is the last admin of every project: give the role admin@* to another person first")]
    LastAdmin(String),
    /// A time that can't be read.
    #[error("`{0}` is no time to come: write 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z")]
    Expiry(String),
    /// A time that is over.
    #[error("the key would have expired already: give a time to come")]
    Past,
    /// A project's name that can't be one, or that is there.
    #[error("{0}")]
    Project(String),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

/// A key to make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// What it may do, in one project.
    pub grant: String,
    /// Until when it works: `90d`, `12h`, a day or a moment of RFC 3339; empty for always.
    pub expires: String,
}

/// A person to add.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewPerson {
    /// What they sign in with.
    pub name: String,
    /// What they are given.
    pub grants: Vec<String>,
}

/// A change, as the API takes it: `{"change": "make_key", …}`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A person who signs in with a password.
    AddPerson {
        /// What they sign in with.
        name: String,
        /// What they are given: `role@project`, `role@project:account:2291,account:22*`.
        grants: Vec<String>,
        /// Their first password.
        password: String,
    },
    /// Something about a person; what is left out stays.
    ChangePerson {
        /// Who.
        name: String,
        /// What they are given from now on.
        #[serde(default)]
        grants: Option<Vec<String>>,
        /// Another password.
        #[serde(default)]
        password: Option<String>,
        /// Whether they may come in.
        #[serde(default)]
        disabled: Option<bool>,
    },
    /// A key.
    MakeKey {
        /// What people call it.
        name: String,
        /// What it may do, in one project: `sender@default`.
        grant: String,
        /// Until when it works; empty for always.
        #[serde(default)]
        expires: String,
    },
    /// No longer this key.
    RevokeKey {
        /// Its public id.
        id: String,
    },
    /// A project.
    OpenProject {
        /// Its name.
        name: String,
    },
    /// Nothing new for this project.
    CloseProject {
        /// Its name.
        name: String,
    },
}

/// Who asks for a change, and when.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// Who.
    pub account: &'a Account,
    /// When, nanoseconds since 1970.
    pub now_ns: u64,
}

impl Asking<'_> {
    fn by(&self) -> String {
        self.account.who.shown()
    }

    /// Whether whoever asks may say who may what in these projects.
    fn may(&self, grants: &[Grant]) -> Result<(), ChangeError> {
        let mine = &self.account.grants;
        let refused = grants.iter().find(|grant| match grant.project.as_str() {
            EVERY_PROJECT => !allow_everywhere(mine),
            name => !allow(mine, &Project(name.to_owned()), Permission::ManageAccess),
        });
        refused.map_or(Ok(()), |grant| Err(ChangeError::NotYours(grant.project.clone())))
    }

    /// A time after the last change of the same thing, so that the latest is always told apart.
    fn after(&self, last_ns: u64) -> u64 {
        self.now_ns.max(last_ns + 1)
    }
}

fn allow_everywhere(grants: &[Grant]) -> bool {
    let everywhere = |grant: &Grant| grant.project == EVERY_PROJECT;
    grants.iter().any(|grant| everywhere(grant) && grant.role.allows(Permission::ManageAccess))
}

/// Makes a key; the key itself is shown once and not kept.
///
/// # Errors
/// Why it is not made.
pub fn make_key(ask: &NewKey, asking: Asking<'_>) -> Result<(ApiKey, KeyEntry), ChangeError> {
    let grant = Grant::parse(&ask.grant)?;
    if grant.project == EVERY_PROJECT {
        return Err(GrantError::Project(grant.project).into());
    }
    asking.may(std::slice::from_ref(&grant))?;
    let expires_ns = expiry(&ask.expires, asking.now_ns)?;
    let key = ApiKey::make()?;
    let entry = KeyEntry {
        id: key.id().to_owned(),
        at_ns: asking.now_ns,
        name: name(&ask.name)?,
        project: Project(grant.project),
        role: grant.role,
        entities: grant.entities,
        hash: key.hash(),
        made_ns: asking.now_ns,
        expires_ns,
        revoked: false,
        by: asking.by(),
    };
    Ok((key, entry))
}

/// Takes a key back.
///
/// # Errors
/// Why not.
pub fn revoke_key(directory: &Directory, id: &str, asking: Asking<'_>) -> Result<KeyEntry, ChangeError> {
    let found = directory.keys.iter().find(|key| key.id == id);
    let key = found.ok_or_else(|| ChangeError::NoKey(plain(id)))?;
    asking.may(&[key.grant()])?;
    Ok(KeyEntry { at_ns: asking.after(key.at_ns), revoked: true, by: asking.by(), ..key.clone() })
}

/// Adds a person who signs in with a password.
///
/// # Errors
/// Why not.
pub fn add_person(
    directory: &Directory,
    ask: &NewPerson,
    password: &str,
    asking: Asking<'_>,
) -> Result<Person, ChangeError> {
    let name = name(&ask.name)?;
    if directory.person(&name).is_some() {
        return Err(ChangeError::Taken(name));
    }
    let grants = grants(&ask.grants)?;
    asking.may(&grants)?;
    Ok(Person {
        id: random_id()?,
        at_ns: asking.now_ns,
        password: PasswordHash::make(&name, password)?,
        source: PersonSource::Local,
        name,
        grants,
        disabled: false,
        by: asking.by(),
    })
}

/// What to change of a person; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonChange {
    /// What they are given from now on.
    pub grants: Option<Vec<String>>,
    /// Another password.
    pub password: Option<String>,
    /// Whether they may come in.
    pub disabled: Option<bool>,
}

/// Changes a person.
///
/// # Errors
/// Why not.
pub fn change_person(
    directory: &Directory,
    who: &str,
    change: &PersonChange,
    asking: Asking<'_>,
) -> Result<Person, ChangeError> {
    let person = directory.person(who).ok_or_else(|| ChangeError::NoPerson(plain(who)))?;
    asking.may(&person.grants)?;
    let mut changed = Person { at_ns: asking.after(person.at_ns), by: asking.by(), ..person.clone() };
    if let Some(asked) = &change.grants {
        changed.grants = grants(asked)?;
        asking.may(&changed.grants)?;
    }
    if let Some(password) = &change.password {
        if person.source != PersonSource::Local {
            return Err(ChangeError::Vouched(person.name.clone()));
        }
        changed.password = PasswordHash::make(&person.name, password)?;
    }
    changed.disabled = change.disabled.unwrap_or(person.disabled);
    let rules = |person: &Person| !person.disabled && allow_everywhere(&person.grants);
    let others = directory.people.iter().any(|other| other.id != person.id && rules(other));
    if rules(person) && !rules(&changed) && !others {
        return Err(ChangeError::LastAdmin(person.name.clone()));
    }
    Ok(changed)
}

/// Opens a project, or opens one again.
///
/// # Errors
/// Why not.
pub fn open_project(
    directory: &Directory,
    name: &str,
    asking: Asking<'_>,
) -> Result<ProjectEntry, ChangeError> {
    set_project(directory, name, false, asking)
}

/// Closes a project: it takes nothing new.
///
/// # Errors
/// Why not.
pub fn close_project(
    directory: &Directory,
    name: &str,
    asking: Asking<'_>,
) -> Result<ProjectEntry, ChangeError> {
    set_project(directory, name, true, asking)
}

fn set_project(
    directory: &Directory,
    name: &str,
    closed: bool,
    asking: Asking<'_>,
) -> Result<ProjectEntry, ChangeError> {
    let name = name.trim();
    if !is_project_name(name) {
        return Err(GrantError::Project(plain(name)).into());
    }
    if !allow_everywhere(&asking.account.grants) {
        return Err(ChangeError::NotYours(EVERY_PROJECT.to_owned()));
    }
    let project = Project(name.to_owned());
    let found = directory.projects.iter().find(|entry| entry.project == project);
    if found.is_some_and(|entry| entry.closed == closed) {
        let state = if closed { "closed" } else { "open" };
        return Err(ChangeError::Project(format!("the project {name} is {state} already")));
    }
    if closed && found.is_none() && !directory.project_names().contains(&project) {
        return Err(ChangeError::Project(format!("there is no project {name}")));
    }
    let last_ns = found.map(|entry| entry.at_ns).unwrap_or_default();
    Ok(ProjectEntry { project, at_ns: asking.after(last_ns), closed, by: asking.by() })
}

/// Reads until when a key works.
fn expiry(text: &str, now_ns: u64) -> Result<Option<u64>, ChangeError> {
    let text = text.trim();
    if text.is_empty() || text == "never" {
        return Ok(None);
    }
    let wrong = || ChangeError::Expiry(plain(text));
    let span = |unit: char, hours: u64| {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        now_ns.checked_add(count.checked_mul(hours)?.checked_mul(3_600_000_000_000)?)
    };
    let moment = || {
        let day = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() };
        let at: jiff::Timestamp = day.parse().ok()?;
        u64::try_from(at.as_nanosecond()).ok()
    };
    let at = span('d', 24).or_else(|| span('h', 1)).or_else(moment).ok_or_else(wrong)?;
    if at <= now_ns { Err(ChangeError::Past) } else { Ok(Some(at)) }
}

fn grants(texts: &[String]) -> Result<Vec<Grant>, ChangeError> {
    let mut grants = texts
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| Grant::parse(text))
        .collect::<Result<Vec<_>, _>>()?;
    grants.sort();
    grants.dedup();
    if grants.is_empty() { Err(ChangeError::NoGrant) } else { Ok(grants) }
}

fn name(text: &str) -> Result<String, ChangeError> {
    let name = text.trim();
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX;
    if fits && !name.chars().any(char::is_control) {
        Ok(name.to_owned())
    } else {
        Err(ChangeError::Name(plain(name)))
    }
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::directory::Who;

    fn account(grants: &[&str]) -> Account {
        let grants = grants.iter().map(|text| Grant::parse(text).unwrap()).collect();
        Account { who: Who::Person("ada".to_owned()), grants }
    }

    fn person(name: &str, grants: &[&str]) -> Person {
        let grants = grants.iter().map(|text| Grant::parse(text).unwrap()).collect();
        Person { id: name.to_owned(), name: name.to_owned(), at_ns: 5, grants, ..Person::default() }
    }

    fn of(people: Vec<Person>) -> Directory {
        Directory::of(Vec::new(), people, Vec::new(), Vec::new())
    }

    #[test]
    fn an_admin_of_one_project_gives_nothing_in_another() {
        let account = account(&["admin@shop"]);
        let asking = Asking { account: &account, now_ns: 10 };
        let ask =
            |grant: &str| NewKey { name: "k".to_owned(), grant: grant.to_owned(), expires: String::new() };
        let (key, entry) = make_key(&ask("sender@shop"), asking).unwrap();
        assert_eq!((entry.project.0.as_str(), entry.by.as_str()), ("shop", "ada"));
        let refused = |grant: &str| make_key(&ask(grant), asking).unwrap_err().to_string();
        assert!(refused("sender@bank").contains("only an admin of the project bank"));
        assert!(refused("sender@*").contains("can't be a project's name"));
        let keys = Directory::of(Vec::new(), Vec::new(), vec![entry], Vec::new());
        assert!(revoke_key(&keys, key.id(), asking).unwrap().revoked);
        assert!(matches!(revoke_key(&keys, "x", asking), Err(ChangeError::NoKey(_))));
        let directory = of(vec![person("bob", &["viewer@bank"])]);
        let change = PersonChange { disabled: Some(true), ..PersonChange::default() };
        assert!(matches!(change_person(&directory, "bob", &change, asking), Err(ChangeError::NotYours(_))));
        assert!(matches!(open_project(&directory, "new", asking), Err(ChangeError::NotYours(_))));
    }

    #[test]
    fn a_key_ends_in_time_to_come() {
        let now_ns = 1_795_970_000_000_000_000;
        for (text, hours) in [("90d", 90 * 24), ("12h", 12)] {
            assert_eq!(expiry(text, now_ns).unwrap(), Some(now_ns + hours * 3_600_000_000_000), "{text}");
        }
        for text in ["2027-01-31", "2027-01-31T12:00:00Z"] {
            assert!(expiry(text, now_ns).unwrap().unwrap() > now_ns, "{text}");
        }
        assert_eq!((expiry("", now_ns).unwrap(), expiry("never", now_ns).unwrap()), (None, None));
        for text in ["soon", "-3d", "90", "99999999999999999999d"] {
            assert!(matches!(expiry(text, now_ns), Err(ChangeError::Expiry(_))), "{text}");
        }
        assert!(matches!(expiry("2020-01-01", now_ns), Err(ChangeError::Past)));
        assert!(matches!(expiry("0d", now_ns), Err(ChangeError::Past)));
    }

    #[test]
    fn the_last_admin_stays() {
        let account = account(&["admin@*"]);
        let asking = Asking { account: &account, now_ns: 1 };
        let change = PersonChange { disabled: Some(true), ..PersonChange::default() };
        let directory = of(vec![person("ada", &["admin@*"]), person("bob", &["viewer@a"])]);
        assert!(matches!(change_person(&directory, "Ada", &change, asking), Err(ChangeError::LastAdmin(_))));
        let bob = change_person(&directory, "bob", &change, asking).unwrap();
        assert!(bob.disabled && bob.at_ns == 6, "later than the last change, whatever the clock says");
        let two = of(vec![person("ada", &["admin@*"]), person("bob", &["admin@*"])]);
        assert!(change_person(&two, "ada", &change, asking).unwrap().disabled);
    }

    #[test]
    fn names_are_taken_once_and_grants_are_needed() {
        let account = account(&["admin@*"]);
        let asking = Asking { account: &account, now_ns: 1 };
        let directory = of(vec![person("ada", &["admin@*"])]);
        let add = |name: &str, grants: &[&str]| {
            let grants = grants.iter().map(|&text| text.to_owned()).collect();
            add_person(&directory, &NewPerson { name: name.to_owned(), grants }, "a long password", asking)
        };
        assert!(matches!(add("ADA", &["viewer"]), Err(ChangeError::Taken(_))));
        assert!(matches!(add("", &["viewer"]), Err(ChangeError::Name(_))));
        assert!(matches!(add("eve", &[]), Err(ChangeError::NoGrant)));
        assert!(add("eve", &["viewer", "viewer"]).unwrap().grants.len() == 1);
        let project = open_project(&directory, "shop", asking).unwrap();
        let directory = Directory::of(vec![project], Vec::new(), Vec::new(), Vec::new());
        assert!(close_project(&directory, "shop", asking).unwrap().closed);
        assert!(close_project(&directory, "none", asking).is_err());
    }
}
