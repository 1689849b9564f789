//! `recount redact`: tries rules in a terminal or in CI, keeps the keys of pseudonyms, opens what is
//! encrypted.
use std::path::Path;
use std::process::ExitCode;

use crate::config::{ConfigError, RedactTestArgs, Settings, parse_file, redaction_of, rules_in};
use crate::domain::address::encoded;
use crate::domain::ids::Project;
use crate::domain::lifecycle::LifecycleKind;
use crate::evidence::{KeyFile, KeyFilePolicy};
use crate::redaction::{Redactor, Settings as Rules, opened};
use crate::server::commands::{complain, failed, say};
use crate::server::error::StartError;
use crate::server::local::Local;
use crate::server::prepare::{key_path, migrate, open_keys, open_store, record};

/// Tries rules on a file. 0: as expected, or nothing was expected; 1: different; 2: unusable.
pub fn redact_test_command(args: &RedactTestArgs) -> ExitCode {
    let rules = match rules_of_file(args.rules.as_deref()) {
        Ok(rules) => rules,
        Err(message) => return unusable(&message),
    };
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{} can't be read: {error}", path.display()))
    };
    let input = match read(&args.input) {
        Ok(input) => input,
        Err(message) => return unusable(&message),
    };
    let tried = rules.try_on(&input);
    let Some(expect) = &args.expect else {
        say(tried.after.trim_end_matches('\n'));
        for done in &tried.done {
            complain(&format!("{} {}: {} in {} bytes", done.rule, done.method, done.count, done.bytes));
        }
        return ExitCode::SUCCESS;
    };
    let expected = match read(expect) {
        Ok(expected) => expected,
        Err(message) => return unusable(&message),
    };
    let (expected, after) = (expected.trim_end_matches('\n'), tried.after.trim_end_matches('\n'));
    if expected == after {
        say("as expected");
        return ExitCode::SUCCESS;
    }
    let lines = expected.lines().zip(after.lines());
    let at = lines.take_while(|(expected, after)| expected == after).count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(no such line)").to_owned();
    complain(&format!(
        "line {} differs\n  expected: {}\n  left:     {}",
        at + 1,
        line(expected),
        line(after)
    ));
    ExitCode::FAILURE
}

/// The rules of a recount.toml or of a file of rules.
fn rules_of_file(path: Option<&Path>) -> Result<Redactor, String> {
    let settings = match path {
        None => Ok(Rules::default()),
        Some(path) => settings_in(path).map_err(|error| error.to_string()),
    };
    Redactor::new(&settings?).map_err(|error| error.to_string())
}

fn settings_in(path: &Path) -> Result<Rules, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    if text.lines().any(|line| line.trim() == "[[rules]]") {
        return Ok(Rules::with_rules(rules_in(path)?));
    }
    let (all, _) = redaction_of(&parse_file(Some(path))?)?;
    Ok(all.general)
}

/// Makes the key file where there is none.
pub fn redact_key_new_command(settings: &Settings) -> ExitCode {
    let path = key_path(&settings.data_dir);
    let made = std::fs::create_dir_all(&settings.data_dir)
        .map_err(|source| StartError::DataDir { path: settings.data_dir.clone(), source })
        .and_then(|()| Ok(KeyFile::open(&path, KeyFilePolicy::MakeIfMissing)?));
    match made {
        Ok(keys) if keys.made() => {
            say(&format!(
                "made {} with key {}; keep a copy apart from the database",
                path.display(),
                keys.fingerprint()
            ));
            ExitCode::SUCCESS
        }
        Ok(keys) => {
            complain(&format!("{} is there already, with key {}", path.display(), keys.fingerprint()));
            ExitCode::FAILURE
        }
        Err(error) => failed(&error),
    }
}

/// Lists versions and fingerprints.
pub fn redact_key_list_command(settings: &Settings) -> ExitCode {
    match keys_that_are_there(settings) {
        Ok(keys) => {
            for (version, fingerprint) in keys.versions() {
                say(&format!("version {version}  fingerprint {fingerprint}"));
            }
            ExitCode::SUCCESS
        }
        Err(code) => code,
    }
}

/// Adds a key.
pub fn redact_key_rotate_command(settings: &Settings) -> ExitCode {
    if let Err(code) = keys_that_are_there(settings) {
        return code;
    }
    match KeyFile::rotate(&key_path(&settings.data_dir)) {
        Ok(version) => {
            say(&format!(
                "added key version {version}; it is used from the next start on; renew the copy of the file"
            ));
            ExitCode::SUCCESS
        }
        Err(error) => failed(&error.into()),
    }
}

/// Prints the value behind an encrypted one, after the store has taken who asked and why.
pub async fn redact_reveal_command(
    settings: &Settings,
    (value, project): (&str, Option<&str>),
    (by, reason): (&str, &str),
) -> ExitCode {
    if by.trim().is_empty() || reason.trim().is_empty() {
        return unusable("--as and --reason must say who asks and why");
    }
    let project = project.map_or_else(Project::default, |name| Project(name.to_owned()));
    let because = format!("{reason} (as {by})");
    if let Some(local) = Local::find(&settings.data_dir)
        && let Some(code) = revealed_by(&local, (value, &project), &because).await
    {
        return code;
    }
    let store = match open_store(settings).await {
        Ok(store) => store,
        Err(error) => return failed(&error),
    };
    let told = [("by", by), ("reason", reason), ("value", value), ("project", project.0.as_str())];
    let told = told.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let opened = async {
        if !migrate(&store).await? {
            store.check().await?;
        }
        let keys = open_keys(&store, &settings.data_dir, true).await?;
        record(&store, LifecycleKind::Revealed, told).await?;
        Ok::<_, StartError>(opened(&keys.pseudonym_keys(&project), value))
    };
    let code = match opened.await {
        Ok(Some(plain)) => {
            say(&plain);
            ExitCode::SUCCESS
        }
        Ok(None) => {
            complain("no key of this project opens that value");
            ExitCode::FAILURE
        }
        Err(error) => failed(&error),
    };
    store.close().await;
    code
}

/// Asks the server that runs; `None` when none does.
async fn revealed_by(local: &Local, (value, project): (&str, &Project), reason: &str) -> Option<ExitCode> {
    let body = serde_json::json!({ "value": value, "reason": reason }).to_string();
    let path = format!("/api/v1/reveal?project={}", encoded(&project.0));
    let (status, body) = local.ask(&path, Some(body.into_bytes())).await?;
    let answer: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |name: &str| answer.get(name).and_then(serde_json::Value::as_str);
    if status >= 400 {
        complain(text("detail").unwrap_or("the server gave no reason"));
        return Some(ExitCode::FAILURE);
    }
    say(text("value").unwrap_or_default());
    Some(ExitCode::SUCCESS)
}

fn keys_that_are_there(settings: &Settings) -> Result<KeyFile, ExitCode> {
    let path = key_path(&settings.data_dir);
    if !path.exists() {
        complain(&format!("there is no key file {}; `recount redact key new` makes one", path.display()));
        return Err(ExitCode::FAILURE);
    }
    KeyFile::open(&path, KeyFilePolicy::MakeIfMissing).map_err(|error| failed(&error.into()))
}

fn unusable(message: &str) -> ExitCode {
    complain(message);
    ExitCode::from(2)
}
