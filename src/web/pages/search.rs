//! `/search`: words and phrases in everything that was kept of runs, and where they stand.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::future::{try_join, try_join_all};

use crate::domain::scope::Scope;
use crate::store::queries::text_facets;
use crate::web::badge::{self, Badge};
use crate::web::error::WebError;
use crate::web::format;
use crate::web::kept_for::Coverage;
use crate::web::link::{Links, encoded};
use crate::web::list::address::{Address, Range};
use crate::web::list::asked::Unread;
use crate::web::list::facets::{Counts, Group, OF_TEXTS, chosen, groups};
use crate::web::list::words::effects;
use crate::web::page::{Page, Shell};
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError};
use crate::web::search::asked::Asked;
use crate::web::search::fragment::Piece;
use crate::web::search::hits::{Hit, RunHits, found};
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::text::{Text, cut, plain, shortened};
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/search.html")]
pub(in crate::web) struct SearchPage {
    shell: Shell,
    q: String,
    ranges: Vec<(&'static str, &'static str, bool)>,
    places: Vec<(&'static str, &'static str, bool)>,
    /// What the form sends along beside the words, the place and the range.
    hidden: Vec<(&'static str, String)>,
    clear: String,
    body: Body,
}

/// What stands below the words.
pub(in crate::web) enum Body {
    /// Nothing is asked yet.
    Start,
    /// The question can't be read: the word, what is wrong with it, and the nearest that can be read.
    Unreadable(String, String, Option<(String, String)>),
    /// What was found.
    Found(Box<List>),
}

/// What was found and what is around it.
pub(in crate::web) struct List {
    groups: Vec<Group>,
    runs: Vec<Card>,
    /// Such as "Found in 3 runs, newest first".
    count: String,
    /// The same runs in the list of runs, where no word was looked for.
    listed: Option<String>,
    /// Where and when was looked, when not everywhere and always, and the search without that.
    within: Option<(String, String)>,
    coverage: String,
    newest: Option<String>,
    older: Option<String>,
}

/// A run with what was found in it.
pub(in crate::web) struct Card {
    href: String,
    title: Text,
    id: Text,
    badge: Badge,
    agent: Text,
    at: String,
    datetime: String,
    hits: Vec<Place>,
    /// Such as "12 more in this run", and the address that lists them.
    more: Option<(String, String)>,
}

/// Where a text stands.
pub(in crate::web) struct Place {
    href: String,
    kind: &'static str,
    /// Such as "Step 3".
    step: String,
    title: Text,
    /// Such as "attempt 1 of 2".
    attempt: String,
    label: Text,
    fragment: Vec<(Text, bool)>,
    again: String,
}

/// Where one may look, with the words of the choice.
const PLACES: [(&str, &str); 8] = [
    ("", "Everywhere"),
    ("messages", "Messages"),
    ("arguments", "Arguments"),
    ("results", "Results"),
    ("errors", "Errors"),
    ("names", "Names and ids"),
    ("attributes", "Attributes"),
    ("tools", "Tool definitions"),
];

/// Answers `/search`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    let now_ns = format::now_ns();
    let links = state.links();
    let address = Address {
        runs: links.to("/search"),
        kept: ["in", "t", "from", "to", "limit"]
            .into_iter()
            .filter_map(|name| Some((name, params.get(name)?.to_owned())))
            .collect(),
        open: None,
    };
    let (q, body) = match Asked::read(&params, &[]) {
        Ok(asked) => {
            let typed = params.get("q").filter(|q| Query::read_texts(q) == Ok(asked.list.query.clone()));
            let q = typed.map_or_else(|| asked.list.query.to_string(), str::to_owned);
            (q, answered(&state, &viewer.scope, (&asked, &address), now_ns).await?)
        }
        Err(Unread::Filter(error)) => {
            (shortened(params.get("q").unwrap_or_default(), 2_000), unreadable(error, &address))
        }
        Err(Unread::Parameter(error)) => return Err(error),
    };
    let rows = body.rows();
    let shell = Shell { find: plain(&q), ..Shell::of(&state, &viewer, "Search") };
    let page = Page(SearchPage::of(shell, &q, &address, body));
    Ok(Seen::rows(rows).on(page.into_response()))
}

fn unreadable(error: QueryError, address: &Address) -> Body {
    let near = error.near.map(|(say, whole)| (plain(&say), address.with_text(&whole)));
    Body::Unreadable(plain(cut(&error.typed, 200)), error.wrong, near)
}

async fn answered(
    state: &WebState,
    scope: &Scope,
    (asked, address): (&Asked, &Address),
    now_ns: u64,
) -> Result<Body, WebError> {
    let query = &asked.list.query;
    let links = state.links();
    if query.terms.is_empty() {
        return Ok(Body::Start);
    }
    let conditions = asked.conditions();
    let filter = |conditions: &Query| asked.filter(conditions, &state.desk, scope, now_ns);
    let whole = filter(&conditions);
    let fields = chosen(&OF_TEXTS, &conditions);
    let others: Vec<_> = fields.iter().map(|field| filter(&conditions.with_only(*field, None))).collect();
    let counts = try_join_all(
        std::iter::once(&whole).chain(&others).map(|filter| text_facets(&state.store, scope, filter, now_ns)),
    );
    let counts = async { counts.await.map_err(WebError::from) };
    let ((runs, next), mut counts) =
        try_join(found(&state.store, scope, (asked, &whole), now_ns), counts).await?;
    let without = fields.into_iter().zip(counts.split_off(1.min(counts.len()))).collect();
    let counts = Counts { all: counts.pop().unwrap_or_default(), without };
    let kept = state.settings.retention.of(&scope.project);
    Ok(Body::Found(Box::new(List {
        groups: groups(&OF_TEXTS, &counts, query, address),
        count: match asked.words.is_empty() {
            false => format!("Found in {}, newest first, times in UTC", counted(counts.all.runs)),
            true => format!("{}, newest first, times in UTC", counted(counts.all.runs)),
        },
        listed: asked.words.is_empty().then(|| links.runs_with(&query.to_string())),
        runs: runs.iter().map(|run| Card::of(run, state, (asked, address), now_ns)).collect(),
        within: within(asked, address),
        coverage: Coverage::of(&state.store, scope, kept, now_ns).await.sentence(),
        newest: asked.after.as_ref().map(|_| address.with(query)),
        older: next.map(|next| address.after(query, &asked.cursor(&next))),
    })))
}

fn counted(runs: u64) -> String {
    format::counted(runs, "run", "runs")
}

/// Where and when was looked, when not everywhere and always.
fn within(asked: &Asked, address: &Address) -> Option<(String, String)> {
    let (from, to) = (asked.list.from_ns.map(format::moment), asked.list.to_ns.map(format::moment));
    let time = match (from, to) {
        (Some(from), Some(to)) => format!("Runs started from {from} to {to} UTC."),
        (Some(from), None) => format!("Runs started at {from} UTC or later."),
        (None, Some(to)) => format!("Runs started before {to} UTC."),
        (None, None) => return None,
    };
    Some((time, address.any_time(&asked.list.query)))
}

impl Card {
    fn of(run: &RunHits, state: &WebState, (asked, address): (&Asked, &Address), now_ns: u64) -> Self {
        let links = state.links();
        let summary = &run.summary;
        let title = if summary.name.is_empty() { &summary.run_id } else { &summary.name };
        let (clock, day) = (format::clock(summary.started_ns), format::day(summary.started_ns, now_ns));
        let in_run = || {
            let only = asked.list.query.with_only(Field::Run, Some(&run.summary.run_id));
            let more = format::counted(format::length(run.more), "more in this run", "more in this run");
            (more, address.with(&only))
        };
        Self {
            href: links.run(&summary.run_id),
            title: Text::new(shortened(title, 120)),
            id: Text::new(shortened(&summary.run_id, 60)),
            badge: effects(summary),
            agent: Text::new(shortened(summary.agent.as_deref().unwrap_or_default(), 40)),
            at: format!("{clock} {day}").trim_end().to_owned(),
            datetime: format::rfc3339(summary.started_ns),
            hits: run.hits.iter().map(|hit| Place::of(hit, &run.summary.run_id, &links)).collect(),
            more: (run.more > 0).then(in_run),
        }
    }
}

impl Place {
    fn of(hit: &Hit, run_id: &str, links: &Links) -> Self {
        let pieces = |piece: &Piece| (Text::new(piece.text.clone()), piece.found);
        let again = match hit.again {
            0 => String::new(),
            again => format!("seen again {}", format::counted(format::length(again), "time", "times")),
        };
        let label = Text::new(shortened(&hit.label, 60));
        let fragment = hit.fragment.iter().map(pieces).collect();
        match &hit.at {
            None => Self {
                href: links.run(run_id),
                kind: "agent",
                step: "The run itself".to_owned(),
                title: Text::default(),
                attempt: String::new(),
                label,
                fragment,
                again,
            },
            Some(at) => Self {
                href: format!("{}&tab={}", links.attempt(run_id, &at.span_id), encoded(at.tab.word())),
                kind: badge::kind(at.kind),
                step: format!("Step {}", at.number),
                title: Text::new(shortened(&at.title, 80)),
                attempt: match at.attempts {
                    0 | 1 => format!("attempt {}", at.attempt),
                    all => format!("attempt {} of {all}", at.attempt),
                },
                label,
                fragment,
                again,
            },
        }
    }
}

impl Body {
    fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable(..))
    }

    fn has_facets(&self) -> bool {
        matches!(self, Self::Found(list) if !list.groups.is_empty())
    }

    fn rows(&self) -> usize {
        match self {
            Self::Found(list) => list.runs.iter().map(|run| run.hits.len().max(1)).sum(),
            Self::Start | Self::Unreadable(..) => 0,
        }
    }
}

impl SearchPage {
    /// The page.
    pub(in crate::web) fn of(shell: Shell, q: &str, address: &Address, body: Body) -> Self {
        let kept = |name: &str| {
            let found = address.kept.iter().find(|(kept, _)| *kept == name);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let is_offered = |word: &str| PLACES.iter().any(|(place, _)| *place == word);
        let place = Some(kept("in")).filter(|word| is_offered(word));
        let hidden = address.kept.iter().filter(|(name, _)| match *name {
            "t" => false,
            "in" => place.is_none(),
            _ => true,
        });
        Self {
            q: plain(q),
            ranges: Range::ALL.map(|one| (one.word(), one.name(), one.word() == kept("t"))).to_vec(),
            places: PLACES.map(|(word, name)| (word, name, place == Some(word))).to_vec(),
            hidden: hidden.cloned().collect(),
            clear: shell.links.to("/search"),
            shell,
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::TextPlace;

    #[test]
    fn every_place_is_offered() {
        for place in TextPlace::ALL {
            assert!(PLACES.iter().any(|(word, _)| *word == place.word()), "{place:?}");
        }
    }
}
