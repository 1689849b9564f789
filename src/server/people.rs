//! `recount user` and `recount key`: who may come in, changed through the server that runs, else in its
//! store.
use std::process::ExitCode;

use serde_json::Value;

use crate::access::{Account, Change, Grant, Who, random_id, random_token};
use crate::config::{KeyCommand, Settings, UserCommand};
use crate::domain::activity::{Activity, ActivityKind};
use crate::domain::ids::Project;
use crate::server::commands::{complain, failed, say};
use crate::server::error::StartError;
use crate::server::local::Local;
use crate::server::prepare::{migrate, now_ns, open_store};
use crate::store::queries::keep_activity;
use crate::store::{ApplyError, Changed, Store, StoreError, change_access, directory, last_uses};

/// What was asked, and what to say when it is done.
enum Asked {
    Change(Change),
    People,
    Keys,
}

/// Runs `recount user …`.
pub async fn user_command(settings: &Settings, command: UserCommand) -> ExitCode {
    let (change, made) = match command {
        UserCommand::List { .. } => (Asked::People, None),
        UserCommand::Add { name, roles, password_file, .. } => match password(password_file.as_deref()) {
            Ok((password, made)) => {
                (Asked::Change(Change::AddPerson { name, grants: roles, password }), made)
            }
            Err(code) => return code,
        },
        UserCommand::Set { name, roles, password_file, new_password, enable, .. } => {
            let given = password_file.is_some() || new_password;
            let password = if given { password(password_file.as_deref()).map(Some) } else { Ok(None) };
            let (password, made) = match password {
                Ok(Some((password, made))) => (Some(password), made),
                Ok(None) => (None, None),
                Err(code) => return code,
            };
            let grants = (!roles.is_empty()).then_some(roles);
            let disabled = enable.then_some(false);
            (Asked::Change(Change::ChangePerson { name, grants, password, disabled }), made)
        }
        UserCommand::Disable { name, .. } => {
            let disabled = Some(true);
            (Asked::Change(Change::ChangePerson { name, grants: None, password: None, disabled }), None)
        }
    };
    let code = run(settings, change).await;
    if code == ExitCode::SUCCESS
        && let Some(password) = made
    {
        say(&format!("password {password}"));
        complain("this is shown once; change it with `recount user set NAME --password-file FILE`");
    }
    code
}

/// Runs `recount key …`.
pub async fn key_command(settings: &Settings, command: KeyCommand) -> ExitCode {
    let asked = match command {
        KeyCommand::List { .. } => Asked::Keys,
        KeyCommand::Create { name, role, project, about, expires, .. } => {
            let Some(grant) = key_grant(&role, project.as_deref(), &about) else {
                complain(&format!(
                    "--role {role} names the project, so --project and --about can't; leave them out, or \
                     give the role alone"
                ));
                return ExitCode::from(2);
            };
            Asked::Change(Change::MakeKey { name, grant, expires: expires.unwrap_or_default() })
        }
        KeyCommand::Revoke { id, .. } => Asked::Change(Change::RevokeKey { id }),
    };
    run(settings, asked).await
}

/// The grant of a key: from its parts, or whole in the role. `None` when it is said both ways.
fn key_grant(role: &str, project: Option<&str>, about: &[String]) -> Option<String> {
    if role.contains('@') {
        return (project.is_none() && about.is_empty()).then(|| role.to_owned());
    }
    let limits = if about.is_empty() { String::new() } else { format!(":{}", about.join(",")) };
    Some(format!("{role}@{}{limits}", project.unwrap_or("default")))
}

/// A password from a file, or one that is made and to be shown.
fn password(file: Option<&std::path::Path>) -> Result<(String, Option<String>), ExitCode> {
    let Some(path) = file else {
        let made = random_token().map(|token| token.chars().take(24).collect::<String>());
        return made.map(|made| (made.clone(), Some(made))).map_err(|error| {
            complain(&error.to_string());
            ExitCode::FAILURE
        });
    };
    match std::fs::read_to_string(path) {
        Ok(text) => Ok((text.lines().next().unwrap_or_default().to_owned(), None)),
        Err(error) => {
            complain(&format!("the password file {} can't be read: {error}", path.display()));
            Err(ExitCode::from(2))
        }
    }
}

async fn run(settings: &Settings, asked: Asked) -> ExitCode {
    if let Some(local) = Local::find(&settings.data_dir)
        && let Some(code) = through_server(&local, &asked).await
    {
        return code;
    }
    let store = match open_store(settings).await {
        Ok(store) => store,
        Err(error) => return failed(&error),
    };
    let code = in_store(&store, asked).await;
    store.close().await;
    code
}

/// `None` when no server runs there any more.
async fn through_server(local: &Local, asked: &Asked) -> Option<ExitCode> {
    let (path, body) = match asked {
        Asked::Change(change) => ("/api/v1/access/changes", serde_json::to_vec(change).ok()),
        Asked::People | Asked::Keys => ("/api/v1/access", None),
    };
    let (status, body) = local.ask(path, body).await?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    if status >= 400 {
        let detail = answer.get("detail").and_then(Value::as_str).unwrap_or("the server gave no reason");
        complain(detail);
        return Some(ExitCode::FAILURE);
    }
    match asked {
        Asked::Change(_) => {
            let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
            tell(&text("done").unwrap_or_default(), text("key").as_deref());
        }
        Asked::People => print(answer.get("people"), &["name", "grants", "source", "disabled"]),
        Asked::Keys => {
            print(answer.get("keys"), &["id", "name", "grant", "expires_at", "revoked", "last_used_at"]);
        }
    }
    Some(ExitCode::SUCCESS)
}

/// One line each, fields apart by tabs.
fn print(list: Option<&Value>, fields: &[&str]) {
    for one in list.and_then(Value::as_array).into_iter().flatten() {
        let line: Vec<String> = fields.iter().map(|field| shown(one.get(*field))).collect();
        say(&line.join("\t"));
    }
}

fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => items.iter().map(|item| shown(Some(item))).collect::<Vec<_>>().join(" "),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Object(_))) => other.to_string(),
    };
    text.chars().filter(|c| !c.is_control()).collect()
}

fn tell(done: &str, key: Option<&str>) {
    if let Some(key) = key {
        complain("the key is shown once; only its hash is kept");
        say(key);
    } else {
        say(done);
    }
}

async fn in_store(store: &Store, asked: Asked) -> ExitCode {
    match changed_in(store, asked).await {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(Changed { sentence, key })) => {
            tell(&sentence, key.as_ref().map(crate::access::ApiKey::expose));
            ExitCode::SUCCESS
        }
        Err(Failed::Start(error)) => failed(&error),
        Err(Failed::Apply(error)) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Records a change that no server was there to record.
async fn note(store: &Store, sentence: &str) -> Result<(), StoreError> {
    let entry = Activity {
        at_ns: now_ns(),
        id: random_id().unwrap_or_default(),
        project: Project(String::new()),
        who: "command line".to_owned(),
        kind: ActivityKind::Changed,
        what: sentence.to_owned(),
        ..Activity::default()
    };
    keep_activity(store, &entry).await
}

enum Failed {
    Start(StartError),
    Apply(ApplyError),
}

async fn changed_in(store: &Store, asked: Asked) -> Result<Option<Changed>, Failed> {
    if !migrate(store).await.map_err(Failed::Start)? {
        let unreachable = store.check().await.err().map(StartError::Store);
        return unreachable.map_or(Ok(None), |error| Err(Failed::Start(error)));
    }
    let store_failed = |error| Failed::Start(StartError::Store(error));
    let known = directory(store, now_ns()).await.map_err(store_failed)?;
    match asked {
        Asked::Change(change) => {
            let grants = Grant::parse("admin@*").into_iter().collect();
            let account = Account { who: Who::Person("command line".to_owned()), grants };
            let changed = change_access(store, &known, (&account, now_ns()), change).await;
            let changed = changed.map_err(Failed::Apply)?;
            note(store, &changed.sentence).await.map_err(store_failed)?;
            if known.is_empty() {
                complain(
                    "from now on everybody is asked for credentials; whoever is to sign in needs \
                     `recount user add NAME --role ROLE@PROJECT`",
                );
            }
            Ok(Some(changed))
        }
        Asked::People => {
            for person in &known.people {
                let grants: Vec<String> = person.grants.iter().map(ToString::to_string).collect();
                say(&format!(
                    "{}\t{}\t{}\t{}",
                    person.name,
                    grants.join(" "),
                    person.source,
                    person.disabled
                ));
            }
            Ok(None)
        }
        Asked::Keys => {
            let uses = last_uses(store).await.map_err(store_failed)?;
            let moment = |at: Option<u64>| {
                let at = at.and_then(|at| jiff::Timestamp::from_nanosecond(i128::from(at)).ok());
                at.map_or_else(|| "-".to_owned(), |at| at.to_string())
            };
            for key in &known.keys {
                say(&format!(
                    "{}\t{}\t{}\t{}\t{}\t{}",
                    key.id,
                    key.name,
                    key.grant(),
                    moment(key.expires_ns),
                    key.revoked,
                    moment(uses.get(&key.id).copied())
                ));
            }
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_whole_or_its_parts_are_flags() {
        let about = ["account:2291".to_owned(), "account:22*".to_owned()];
        for (role, project, about, grant) in [
            ("viewer", None, &[][..], Some("viewer@default")),
            ("viewer", Some("shop"), &[], Some("viewer@shop")),
            ("viewer", Some("shop"), &about, Some("viewer@shop:account:2291,account:22*")),
            ("viewer@shop", None, &[], Some("viewer@shop")),
            ("viewer@shop:account:2291", None, &[], Some("viewer@shop:account:2291")),
            ("viewer@shop:account:2291", Some("shop"), &[], None),
            ("viewer@shop", None, &about, None),
        ] {
            assert_eq!(key_grant(role, project, about).as_deref(), grant, "{role}");
        }
    }
}
