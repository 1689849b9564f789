//! Who is asking, from where, and what they may see. Pure: it judges; what it judges by, the store fetches.
mod addresses;
mod bearer;
mod change;
mod directory;
mod grant;
mod hosts;
mod id_token;
mod lockout;
mod password;
mod role;
mod token;
mod watch;

pub use addresses::is_public;
pub use bearer::{BearerError, bare, bearer, names_a_key};
pub use change::{
    Asking, Change, ChangeError, NewKey, NewPerson, PersonChange, add_person, change_person, close_project,
    make_key, open_project, revoke_key,
};
pub use directory::{Account, Denied, Directory, KeyEntry, Person, PersonSource, ProjectEntry, Session, Who};
pub use grant::{EVERY_PROJECT, Grant, GrantError, allow, is_project_name, scope};
pub use hosts::{Hosts, Origins};
pub use id_token::{Claims, Expected, ProviderKeys, TokenError, judge};
pub use lockout::Lockout;
pub use password::{PasswordError, PasswordHash};
pub use role::{Permission, Role};
pub use token::{ApiKey, KEY_MARK, NoRandom, SecretHash, hash, random_id, random_token};
pub use watch::Access;
