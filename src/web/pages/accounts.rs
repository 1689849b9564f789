//! `/accounts`: find one by a part of its id, or draw a sample of all that can be drawn again.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::domain::entity::Entity;
use crate::store::queries::{EntityLine, entities};
use crate::web::api::entity::population_filter;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::state::WebState;
use crate::web::text::{Text, plain, shortened};
use crate::web::viewer::Viewer;

/// Accounts in a list.
const LINES: u16 = 50;
/// Accounts in a sample when nobody says how many.
const SAMPLE: u16 = 25;

/// The page.
#[derive(Template)]
#[template(path = "pages/accounts.html")]
pub(in crate::web) struct AccountsPage {
    shell: Shell,
    here: String,
    q: String,
    kind: String,
    seed: String,
    size: String,
    with: Vec<(&'static str, &'static str, bool)>,
    from: String,
    to: String,
    lines: Vec<Line>,
    count: String,
    hash: String,
    is_sample: bool,
}

struct Line {
    id: Text,
    href: String,
    runs: String,
    acts: String,
    unknown: String,
    failed: String,
    last: String,
}

/// Answers `/accounts`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["q", "type", "seed", "size", "with", "from", "to"])?;
    let kind = params.get("type").unwrap_or("account").to_ascii_lowercase();
    let filter = population_filter(&state, &viewer, (&kind, &params))?;
    let is_sample = !filter.seed.is_empty();
    let size = params.number("size", (1, 500))?.unwrap_or(SAMPLE);
    let now_ns = format::now_ns();
    let rows_max = if is_sample { size } else { LINES };
    let found = entities(&state.store, &viewer.scope, &filter, rows_max, now_ns).await?;
    let shell = Shell::of(&state, &viewer, "Accounts");
    let value = |name: &str| plain(params.get(name).unwrap_or_default());
    let choices = [
        ("", "all"),
        ("acts", "with acts"),
        ("unknown", "with unknown acts"),
        ("failed", "with failed acts"),
    ];
    Ok(Page(AccountsPage {
        here: shell.links.to("/accounts"),
        q: value("q"),
        seed: value("seed"),
        size: size.to_string(),
        with: choices.map(|(word, name)| (word, name, word == filter.with)).to_vec(),
        from: value("from"),
        to: value("to"),
        count: count(&found, &kind, is_sample),
        hash: found.first().map(|line| line.population_hash.to_ascii_lowercase()).unwrap_or_default(),
        lines: found.iter().map(|line| of(line, &shell, now_ns)).collect(),
        kind: plain(&kind),
        is_sample,
        shell,
    })
    .into_response())
}

fn count(found: &[EntityLine], kind: &str, is_sample: bool) -> String {
    let all = found.first().map(|line| line.population).unwrap_or_default();
    let (kind, shown) = (plain(&shortened(kind, 40)), format::number(found.len()));
    let named = match all {
        0 => return format!("No {kind} fits."),
        1 => format!("1 {kind} fits"),
        all => format!("{} of type {kind} fit", format::count(all)),
    };
    match is_sample {
        true => format!("{named}; these {shown} were drawn."),
        false if all > u64::from(LINES) => format!("{named}; these are the {shown} latest."),
        false => format!("{named}."),
    }
}

fn of(line: &EntityLine, shell: &Shell, now_ns: u64) -> Line {
    let entity = Entity::parse(&line.entity).unwrap_or_else(|| Entity::account(line.entity.clone()));
    Line {
        href: shell.links.entity(&entity),
        id: Text::new(shortened(&entity.id, 120)),
        runs: format::count(line.runs),
        acts: format::count(line.acts),
        unknown: format::count(line.unknown_acts),
        failed: format::count(line.failed_acts),
        last: match line.last {
            0 => "no steps".to_owned(),
            last => format!("{} {}", format::minute(last), format::day(last, now_ns)).trim().to_owned(),
        },
    }
}
