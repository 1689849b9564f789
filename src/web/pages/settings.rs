//! `/settings`: people, keys and projects, as of now or of a day; and the forms that change them.
use askama::Template;
use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use crate::access::{Change, Directory, KeyEntry, PersonSource, Role};
use crate::store::{directory_as_of, last_uses};
use crate::web::changing;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, sentence};
use crate::web::viewer::{Permission, Viewer};

/// The page.
#[derive(Template)]
#[template(path = "pages/settings.html")]
pub(in crate::web) struct SettingsPage {
    shell: Shell,
    development: bool,
    may_change: bool,
    as_of: String,
    is_past: bool,
    wrong: String,
    made: Option<(String, String)>,
    people: Vec<PersonLine>,
    keys: Vec<KeyLine>,
    projects: Vec<ProjectLine>,
    roles: Vec<&'static str>,
}

struct PersonLine {
    name: Text,
    plain_name: String,
    grants: String,
    source: &'static str,
    is_local: bool,
    disabled: bool,
    changed: String,
}

struct KeyLine {
    id: String,
    name: Text,
    grant: Text,
    made: String,
    expires: String,
    used: String,
    state: &'static str,
    works: bool,
}

struct ProjectLine {
    name: String,
    closed: bool,
    changed: String,
}

/// What the forms send: which change, and the fields it needs.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(in crate::web) struct Typed {
    change: String,
    name: String,
    id: String,
    grants: String,
    password: String,
    role: String,
    project: String,
    entities: String,
    expires: String,
}

/// Answers `/settings`, with `as_of` as of the end of that day.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["as_of"])?;
    page(&state, &viewer, params.get("as_of"), Shown::default()).await
}

/// Answers `POST /settings/change`.
pub(in crate::web) async fn change(
    State(state): State<WebState>,
    viewer: Viewer,
    typed: Result<Form<Typed>, axum::extract::rejection::FormRejection>,
) -> Result<Response, WebError> {
    let Form(typed) = typed.map_err(|_odd| WebError::Invalid("the form can't be read".to_owned()))?;
    let section = typed.section();
    let change = typed.read()?;
    match changing::apply(&state, &viewer, change).await {
        Ok(changed) => {
            let made = changed.key.map(|key| (changed.sentence.clone(), key.expose().to_owned()));
            let answer = match made {
                Some(made) => page(&state, &viewer, None, Shown { made: Some(made), wrong: None }).await?,
                None => Redirect::to(&state.links().to(&format!("/settings#{section}"))).into_response(),
            };
            Ok(Seen::changed(changed.sentence).on(answer))
        }
        Err(WebError::Invalid(wrong)) => {
            let shown = page(&state, &viewer, None, Shown { wrong: Some(wrong), made: None }).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
        }
        Err(error) => Err(error),
    }
}

impl Typed {
    fn section(&self) -> &'static str {
        match self.change.as_str() {
            "make_key" | "revoke_key" => "keys",
            "open_project" | "close_project" => "projects",
            _ => "people",
        }
    }

    fn read(self) -> Result<Change, WebError> {
        let Self { change, name, id, grants, password, role, project, entities, expires } = self;
        let list = || grants.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let of = |grants, password, disabled| Change::ChangePerson {
            name: name.clone(),
            grants,
            password,
            disabled,
        };
        Ok(match change.as_str() {
            "add_person" => Change::AddPerson { grants: list(), name, password },
            "roles" => of(Some(list()), None, None),
            "password" => of(None, Some(password), None),
            "disable" => of(None, None, Some(true)),
            "enable" => of(None, None, Some(false)),
            "make_key" => {
                let entities: Vec<&str> =
                    entities.split([',', ' ']).map(str::trim).filter(|one| !one.is_empty()).collect();
                let limits =
                    if entities.is_empty() { String::new() } else { format!(":{}", entities.join(",")) };
                Change::MakeKey { name, grant: format!("{role}@{project}{limits}"), expires }
            }
            "revoke_key" => Change::RevokeKey { id },
            "open_project" => Change::OpenProject { name },
            "close_project" => Change::CloseProject { name },
            _ => return Err(WebError::Invalid("the form asks for a change that does not exist".to_owned())),
        })
    }
}

/// What the page says above its lists.
#[derive(Default)]
struct Shown {
    wrong: Option<String>,
    made: Option<(String, String)>,
}

async fn page(
    state: &WebState,
    viewer: &Viewer,
    as_of: Option<&str>,
    Shown { wrong, made }: Shown,
) -> Result<Response, WebError> {
    let end = as_of.map(end_of_day).transpose()?;
    let directory = directory_as_of(&state.store, end.unwrap_or(u64::MAX)).await?;
    let mut uses = last_uses(&state.store).await?;
    for (id, at) in state.access.uses() {
        uses.entry(id).and_modify(|known| *known = at.max(*known)).or_insert(at);
    }
    let now_ns = end.unwrap_or_else(format::now_ns);
    let used = |key: &KeyEntry| match uses.get(&key.id) {
        Some(at) if *at <= now_ns => format!("{} UTC", format::moment(*at)),
        Some(_) | None => "never".to_owned(),
    };
    let keys: Vec<KeyLine> = directory.keys.iter().map(|key| key_line(key, used(key), now_ns)).collect();
    let people = people(&directory);
    let rows = people.len() + keys.len();
    let is_past = end.is_some();
    let page = SettingsPage {
        shell: Shell::of(state, viewer, "Settings"),
        development: viewer.development,
        may_change: viewer.may(Permission::ManageAccess) && !is_past,
        as_of: as_of.unwrap_or_default().to_owned(),
        is_past,
        wrong: wrong.map(|wrong| format!("{}.", sentence(&wrong))).unwrap_or_default(),
        made,
        people,
        keys,
        projects: projects(&directory),
        roles: Role::ALL.iter().map(|role| role.word()).collect(),
    };
    Ok(Seen::rows(rows).on(Page(page).into_response()))
}

fn people(directory: &Directory) -> Vec<PersonLine> {
    let line = |person: &crate::access::Person| PersonLine {
        name: Text::new(person.name.clone()),
        plain_name: person.name.clone(),
        grants: person.grants.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        source: match person.source {
            PersonSource::Local => "password",
            PersonSource::Oidc => "organisation",
            PersonSource::Proxy => "proxy",
        },
        is_local: person.source == PersonSource::Local,
        disabled: person.disabled,
        changed: changed(person.at_ns, &person.by),
    };
    directory.people.iter().map(line).collect()
}

fn key_line(key: &KeyEntry, used: String, now_ns: u64) -> KeyLine {
    let is_over = key.expires_ns.is_some_and(|at| at <= now_ns);
    KeyLine {
        id: key.id.clone(),
        name: Text::new(key.name.clone()),
        grant: Text::new(key.grant().to_string()),
        made: format!("{} UTC", format::moment(key.made_ns)),
        expires: key
            .expires_ns
            .map_or_else(|| "never".to_owned(), |at| format!("{} UTC", format::moment(at))),
        used,
        state: match (key.revoked, is_over) {
            (true, _) => "revoked",
            (false, true) => "expired",
            (false, false) => "works",
        },
        works: !key.revoked && !is_over,
    }
}

fn projects(directory: &Directory) -> Vec<ProjectLine> {
    let line = |project: crate::domain::ids::Project| {
        let entry = directory.projects.iter().find(|entry| entry.project == project);
        ProjectLine {
            closed: entry.is_some_and(|entry| entry.closed),
            changed: entry.map(|entry| changed(entry.at_ns, &entry.by)).unwrap_or_default(),
            name: project.0,
        }
    };
    directory.project_names().into_iter().map(line).collect()
}

fn changed(at_ns: u64, by: &str) -> String {
    format!("{} UTC by {}", format::moment(at_ns), crate::web::text::plain(by))
}

/// The last moment of a day, or a moment.
fn end_of_day(text: &str) -> Result<u64, WebError> {
    let whole = if text.len() == 10 { format!("{text}T23:59:59.999999999Z") } else { text.to_owned() };
    let at = whole.parse::<jiff::Timestamp>().ok().and_then(|at| u64::try_from(at.as_nanosecond()).ok());
    at.ok_or_else(|| WebError::Invalid("`as_of` takes a day, such as 2026-11-29".to_owned()))
}
