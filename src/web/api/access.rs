//! `GET /access`: who may what, as of a time; `POST /access/changes`: one change of it.
use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::{Change, Directory};
use crate::store::{directory_as_of, last_uses};
use crate::web::api::answer::Answer;
use crate::web::changing;
use crate::web::error::WebError;
use crate::web::format::{now_ns, rfc3339};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessReport")]
pub(in crate::web) struct Report {
    as_of: String,
    development: bool,
    projects: Vec<Project>,
    people: Vec<Person>,
    keys: Vec<Key>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessProject")]
struct Project {
    name: String,
    state: &'static str,
    changed_at: Option<String>,
    changed_by: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessPerson")]
struct Person {
    name: String,
    source: &'static str,
    grants: Vec<String>,
    disabled: bool,
    changed_at: String,
    changed_by: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessKey")]
struct Key {
    id: String,
    name: String,
    grant: String,
    made_at: String,
    expires_at: Option<String>,
    revoked: bool,
    last_used_at: Option<String>,
    changed_at: String,
    changed_by: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessChanged")]
pub(in crate::web) struct Done {
    done: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// Answers `GET /api/v1/access`.
pub(in crate::web) async fn report(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["as_of"])?;
    let as_of_ns = params.moment("as_of")?;
    let directory = directory_as_of(&state.store, as_of_ns.unwrap_or(u64::MAX)).await?;
    let mut uses = last_uses(&state.store).await?;
    for (id, at) in state.access.uses() {
        uses.entry(id).and_modify(|known| *known = at.max(*known)).or_insert(at);
    }
    let report = of(&directory, &uses, viewer.development, as_of_ns.unwrap_or_else(now_ns));
    let rows = report.people.len() + report.keys.len();
    Ok(Seen::rows(rows).on(Answer(report).into_response()))
}

fn of(directory: &Directory, uses: &BTreeMap<String, u64>, development: bool, as_of_ns: u64) -> Report {
    let entry = |name: &crate::domain::ids::Project| {
        directory.projects.iter().find(|entry| entry.project == *name).cloned()
    };
    let projects = directory.project_names().into_iter().map(|project| {
        let entry = entry(&project).unwrap_or_default();
        Project {
            name: project.0,
            state: if entry.closed { "closed" } else { "open" },
            changed_at: Some(entry.at_ns).filter(|at| *at > 0).map(rfc3339),
            changed_by: entry.by,
        }
    });
    let people = directory.people.iter().map(|person| Person {
        name: person.name.clone(),
        source: person.source.word(),
        grants: person.grants.iter().map(ToString::to_string).collect(),
        disabled: person.disabled,
        changed_at: rfc3339(person.at_ns),
        changed_by: person.by.clone(),
    });
    let keys = directory.keys.iter().map(|key| Key {
        id: key.id.clone(),
        name: key.name.clone(),
        grant: key.grant().to_string(),
        made_at: rfc3339(key.made_ns),
        expires_at: key.expires_ns.map(rfc3339),
        revoked: key.revoked,
        last_used_at: uses.get(&key.id).copied().map(rfc3339),
        changed_at: rfc3339(key.at_ns),
        changed_by: key.by.clone(),
    });
    Report {
        as_of: rfc3339(as_of_ns),
        development,
        projects: projects.collect(),
        people: people.collect(),
        keys: keys.collect(),
    }
}

/// Answers `POST /api/v1/access/changes`.
pub(in crate::web) async fn change(
    State(state): State<WebState>,
    viewer: Viewer,
    body: Bytes,
) -> Result<Response, WebError> {
    let change: Change = serde_json::from_slice(&body).map_err(|error| {
        // What serde says of a value may repeat it, and one of them is a password.
        let kind = if error.is_syntax() || error.is_eof() { "it is no JSON" } else { "it has other fields" };
        WebError::Invalid(format!(
            "the change can't be read: {kind} (line {}); see docs/access.md",
            error.line()
        ))
    })?;
    let changed = changing::apply(&state, &viewer, change).await?;
    let key = changed.key.map(|key| key.expose().to_owned());
    let done = Answer(Done { done: changed.sentence.clone(), key });
    Ok(Seen::changed(changed.sentence).on((StatusCode::CREATED, done).into_response()))
}
