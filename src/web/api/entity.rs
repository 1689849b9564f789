//! `GET /entities/{type}/{id}`: all that agents did on it or for it; `GET /entities/{type}`: which there are.
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::action::Action;
use crate::domain::summary::RunSummary;
use crate::store::queries::{ActionFilter, PopulationFilter, actions, entities};
use crate::store::rows::RunCursor;
use crate::web::api::answer::Answer;
use crate::web::api::summary::Summary;
use crate::web::entity::coverage::Coverage;
use crate::web::entity::gather::{Question, around};
use crate::web::entity::names::Names;
use crate::web::entity::stream::{Row, rows};
use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::format::{self, rfc3339};
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Runs in an answer when nobody says how many.
const RUNS: u16 = 25;
/// The most runs of one answer.
pub const RUNS_MAX: u16 = 100;
/// Entities in a list or sample when nobody says how many.
const SAMPLE: u16 = 25;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EntityAnswer")]
pub(in crate::web) struct Done<'a> {
    entity: Named<'a>,
    coverage: Coverage,
    runs: Vec<Summary>,
    steps: Vec<Row<'a>>,
    actions: Vec<ActionTold>,
    /// Runs that changed their id while they were read.
    moved: &'a [String],
    next: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EntityName")]
struct Named<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: &'a str,
    aliases: &'a [String],
    pseudonyms: &'a [String],
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EntityAction")]
struct ActionTold {
    key: String,
    key_given: bool,
    tool: String,
    target: Option<String>,
    outcome: &'static str,
    evidence: &'static str,
    attempt_count: u32,
    held_count: u32,
    argument_drift: bool,
    value: Option<String>,
    downstream_id: Option<String>,
    started_at: String,
    run_ids: Vec<String>,
}

impl From<Action> for ActionTold {
    fn from(action: Action) -> Self {
        Self {
            key: action.key,
            key_given: action.key_given,
            tool: action.tool,
            target: action.target,
            outcome: action.outcome.word(),
            evidence: action.evidence.word(),
            attempt_count: action.attempt_count,
            held_count: action.held_count,
            argument_drift: action.argument_drift,
            value: action.value,
            downstream_id: action.downstream_id,
            started_at: rfc3339(action.started_ns),
            run_ids: action.run_ids,
        }
    }
}

/// Answers `GET /api/v1/entities/{type}/{id}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((kind, id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["from", "to", "text", "limit", "cursor", "format"])?;
    let format = Format::read(params.get("format"))?;
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    Names::wanted(&params)?;
    let limit = params.number("limit", (1, RUNS_MAX))?.unwrap_or(RUNS);
    let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
    let filter = names.filter(&params)?;
    let now_ns = format::now_ns();
    let question = Question { scope: &viewer.scope, names: &names, filter: &filter, now_ns };
    if let Some(format) = format {
        return Ok(Seen::about(&[entity]).on(rows(state.clone(), question, format).await?));
    }
    let wrong = || WebError::Invalid("`cursor` is not one that an earlier answer gave as `next`".to_owned());
    let after = params.get("cursor").map(|text| RunCursor::parse(text).ok_or_else(wrong)).transpose()?;
    let page = question.page(&state.store, &state.entities, (after.as_ref(), limit)).await?;
    let tally = question.tally(&state.store).await?;
    let coverage = Coverage::of(&tally, &filter, &around(&state, question).await?);
    let keys: Vec<String> = page.told.iter().filter_map(|told| told.key.clone()).collect();
    let found = match keys.is_empty() {
        true => Vec::new(),
        false => {
            let filter = ActionFilter { keys, ..ActionFilter::default() };
            actions(&state.store, &viewer.scope, &filter, (None, 500), now_ns).await?.actions
        }
    };
    let prices = &state.settings.prices;
    let seen = Seen { rows: Some(format::length(page.told.len())), ..Seen::about(&[entity]) };
    let done = Answer(Done {
        entity: Named {
            kind: &names.asked.kind,
            id: &names.asked.id,
            aliases: &names.aliases,
            pseudonyms: &names.pseudonyms,
        },
        coverage,
        runs: page.runs.iter().map(|run| Summary::of(RunSummary::of(run), prices)).collect(),
        steps: page.told.iter().map(Row::from).collect(),
        actions: found.into_iter().map(ActionTold::from).collect(),
        moved: &page.moved,
        next: page.next.map(|cursor| cursor.to_string()),
    });
    Ok(seen.on(done.into_response()))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Population {
    /// How many there are in all.
    count: u64,
    /// SHA-256 of all names, sorted, one a line.
    sha256: String,
    seed: Option<String>,
    entities: Vec<Member>,
}

#[derive(Serialize, JsonSchema)]
struct Member {
    entity: String,
    runs: u64,
    acts: u64,
    unknown: u64,
    failed: u64,
    last_at: String,
}

/// Answers `GET /api/v1/entities/{type}`: the latest, or with `seed` a sample that anybody can draw again.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    Path(kind): Path<String>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["q", "from", "to", "with", "seed", "limit"])?;
    let filter = population_filter(&state, &viewer, (&kind, &params))?;
    let limit = params.number("limit", (1, 500))?.unwrap_or(SAMPLE);
    let found = entities(&state.store, &viewer.scope, &filter, limit, format::now_ns()).await?;
    let first = found.first();
    Ok(Answer(Population {
        count: first.map(|line| line.population).unwrap_or_default(),
        sha256: first.map(|line| line.population_hash.to_ascii_lowercase()).unwrap_or_default(),
        seed: Some(filter.seed).filter(|seed| !seed.is_empty()),
        entities: found
            .into_iter()
            .map(|line| Member {
                last_at: rfc3339(line.last),
                entity: line.entity,
                runs: line.runs,
                acts: line.acts,
                unknown: line.unknown_acts,
                failed: line.failed_acts,
            })
            .collect(),
    })
    .into_response())
}

/// Which entities are asked for.
pub(in crate::web) fn population_filter(
    state: &WebState,
    viewer: &Viewer,
    (kind, params): (&str, &Params),
) -> Result<PopulationFilter, WebError> {
    let part = params.get("q").unwrap_or_default();
    let endings = match part {
        "" => Vec::new(),
        part => state.desk.endings(&viewer.scope.project, part),
    };
    let with = params.get("with").unwrap_or_default();
    if !["", "acts", "unknown", "failed"].contains(&with) {
        return Err(WebError::Invalid("`with` is `acts`, `unknown` or `failed`".to_owned()));
    }
    Ok(PopulationFilter {
        kind: kind.to_owned(),
        part: part.to_owned(),
        endings,
        from_ns: params.moment("from")?,
        to_ns: params.moment("to")?,
        with: with.to_owned(),
        seed: params.get("seed").unwrap_or_default().to_owned(),
    })
}
