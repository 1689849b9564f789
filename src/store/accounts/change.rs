//! A change of who may come in: checked, kept, and told in a sentence.
use crate::access::{
    Account, ApiKey, Asking, Change, ChangeError, Directory, NewKey, NewPerson, PasswordError, Person,
    PersonChange, add_person, change_person, close_project, make_key, open_project, revoke_key,
};
use crate::store::accounts::write::{keep_key, keep_person, keep_project};
use crate::store::client::Store;
use crate::store::error::StoreError;

/// Why a change was not made, or may not have been.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// It may not be.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was changed.
#[derive(Debug)]
pub struct Changed {
    /// In a sentence, for the record and for whoever asked.
    pub sentence: String,
    /// The key that was made: to be shown once.
    pub key: Option<ApiKey>,
}

/// Makes a change and keeps it. It is in force once the directory has been read again.
///
/// # Errors
/// [`ApplyError`].
pub async fn change_access(
    store: &Store,
    directory: &Directory,
    (account, now_ns): (&Account, u64),
    change: Change,
) -> Result<Changed, ApplyError> {
    let asking = Asking { account, now_ns };
    let said = |sentence: String| Changed { sentence, key: None };
    match change {
        Change::MakeKey { name, grant, expires } => {
            let (key, entry) = make_key(&NewKey { name, grant, expires }, asking)?;
            keep_key(store, &entry).await?;
            let sentence = format!("made the key {} ({}) with {}", entry.name, entry.id, entry.grant());
            Ok(Changed { sentence, key: Some(key) })
        }
        Change::RevokeKey { id } => {
            let entry = revoke_key(directory, &id, asking)?;
            keep_key(store, &entry).await?;
            Ok(said(format!("revoked the key {} ({})", entry.name, entry.id)))
        }
        Change::OpenProject { name } => {
            let entry = open_project(directory, &name, asking)?;
            keep_project(store, &entry).await?;
            Ok(said(format!("opened the project {}", entry.project.0)))
        }
        Change::CloseProject { name } => {
            let entry = close_project(directory, &name, asking)?;
            keep_project(store, &entry).await?;
            Ok(said(format!("closed the project {}", entry.project.0)))
        }
        person @ (Change::AddPerson { .. } | Change::ChangePerson { .. }) => {
            let sentence = change_of_person(store, directory, asking, person).await?;
            Ok(said(sentence))
        }
    }
}

/// Hashing a password takes a while: not on a thread that serves.
async fn change_of_person(
    store: &Store,
    directory: &Directory,
    asking: Asking<'_>,
    change: Change,
) -> Result<String, ApplyError> {
    let (directory, account, now_ns) = (directory.clone(), asking.account.clone(), asking.now_ns);
    let changed = tokio::task::spawn_blocking(move || {
        changed_person(&directory, Asking { account: &account, now_ns }, change)
    });
    let (person, sentence) = changed.await.or(Err(ChangeError::from(PasswordError::Failed)))??;
    keep_person(store, &person).await?;
    Ok(sentence)
}

fn changed_person(
    directory: &Directory,
    asking: Asking<'_>,
    change: Change,
) -> Result<(Person, String), ChangeError> {
    let given = |person: &Person| person.grants.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    match change {
        Change::AddPerson { name, grants, password } => {
            let person = add_person(directory, &NewPerson { name, grants }, &password, asking)?;
            let sentence = format!("added {} with {}", person.name, given(&person));
            Ok((person, sentence))
        }
        Change::ChangePerson { name, grants, password, disabled } => {
            let change = PersonChange { grants, password, disabled };
            let person = change_person(directory, &name, &change, asking)?;
            let parts = [
                change.grants.map(|_| format!("the roles {}", given(&person))),
                change.password.map(|_| "another password".to_owned()),
                change.disabled.map(|disabled| if disabled { "disabled" } else { "enabled" }.to_owned()),
            ];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            Ok((person.clone(), format!("changed {}: {}", person.name, parts.join(", "))))
        }
        Change::MakeKey { name, .. }
        | Change::RevokeKey { id: name }
        | Change::OpenProject { name }
        | Change::CloseProject { name } => Err(ChangeError::NoPerson(name)),
    }
}
