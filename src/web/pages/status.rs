//! `/status`: how the server is doing: what waits, what was refused, whether the store answers.
use std::time::Duration;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::store::queries::{TableSize, rejects, table_sizes};
use crate::store::rows::Reject;
use crate::web::format;
use crate::web::page::{Page, Shell};
use crate::web::run::head::Fact;
use crate::web::state::{IngestStatus, LogStatus, ServerStatus, WebState};
use crate::web::text::{Text, shortened};
use crate::web::viewer::Viewer;

/// Refusals on the page.
const REJECTS: u16 = 50;
/// How long the page waits for a store that hangs before it is shown without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The page.
#[derive(Template)]
#[template(path = "pages/status.html")]
pub(in crate::web) struct StatusPage {
    shell: Shell,
    tone: &'static str,
    head: &'static str,
    reasons: Vec<String>,
    store: Vec<Fact>,
    log: Vec<Fact>,
    ingest: Vec<Fact>,
    tables: Vec<(String, String, String, String)>,
    rejects: Vec<Refusal>,
    unread: bool,
}

struct Refusal {
    at: String,
    source: Text,
    class: Text,
    reason: Text,
    service: Text,
    bytes: String,
}

/// Answers `/status`. It must answer while the store does not.
pub(in crate::web) async fn show(State(state): State<WebState>, viewer: Viewer) -> Response {
    let (tables, refused, unread) = asked(&state, &viewer).await;
    // Looked at last, so that it is no older than what stands beside it.
    let status = (state.status)();
    let now_ns = format::now_ns();
    let well = status.not_ready.is_empty() && !unread;
    let (tone, head) =
        if well { ("confirmed", "Everything answers") } else { ("finding", "Not everything answers") };
    let kept = state.desk.rules.since().1.map(|refused| {
        let at = format::minute(refused.at_ns);
        let said = "A change of redaction rules was refused at";
        format!("{said} {at} UTC, so those before stay in force: {}", refused.why)
    });
    Page(StatusPage {
        shell: Shell::of(&state, &viewer, "Status"),
        tone: if kept.is_some() { "finding" } else { tone },
        head,
        reasons: reasons(&status).into_iter().chain(kept).collect(),
        store: store(&status, now_ns),
        log: log(&status.log, now_ns),
        ingest: ingest(&status),
        tables: tables
            .into_iter()
            .map(|size| {
                (
                    size.table,
                    format::count(size.rows),
                    format::bytes(size.bytes_on_disk),
                    format::count(size.parts),
                )
            })
            .collect(),
        rejects: refused.iter().map(|reject| refusal(reject, now_ns)).collect(),
        unread,
    })
    .into_response()
}

/// What the store says of itself, and whether it did not answer in time.
async fn asked(state: &WebState, viewer: &Viewer) -> (Vec<TableSize>, Vec<Reject>, bool) {
    let sizes = table_sizes(&state.store);
    let refused = rejects(&state.store, &viewer.scope, None, REJECTS);
    let both = async { tokio::try_join!(sizes, refused) };
    match tokio::time::timeout(PATIENCE, both).await {
        Ok(Ok((sizes, refused))) => (sizes, refused, false),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the status page could not ask the store");
            (Vec::new(), Vec::new(), true)
        }
        Err(_) => {
            tracing::warn!("the store did not answer the status page within {PATIENCE:?}");
            (Vec::new(), Vec::new(), true)
        }
    }
}

/// What is wrong, one sentence each.
fn reasons(status: &ServerStatus) -> Vec<String> {
    let mut reasons = status.not_ready.clone();
    if status.ingest.unaccounted > 0 {
        let records = format::counted(status.ingest.unaccounted, "record is", "records are");
        reasons.push(format!("{records} unaccounted for: this is a fault of Recount, please report it"));
    }
    reasons
}

fn store(status: &ServerStatus, now_ns: u64) -> Vec<Fact> {
    let answers = match status.store_unreachable_since_ns {
        None => "yes".to_owned(),
        Some(since) => format!(
            "no: unreachable since {} UTC, {}",
            format::minute(since),
            format::duration(now_ns.saturating_sub(since))
        ),
    };
    let mut facts = vec![Fact::new("Answers", answers), Fact::new("Where", status.store_place.clone())];
    if !status.store_version.is_empty() {
        facts.push(Fact::new("ClickHouse", status.store_version.clone()));
    }
    let lag = match status.projection.waiting {
        0 => "none: lists show everything kept".to_owned(),
        waiting => format!(
            "{} to fold, the oldest for {}",
            format::counted(waiting, "trace", "traces"),
            format::duration(status.projection.lag_ms.saturating_mul(1_000_000))
        ),
    };
    facts.push(Fact::new("Lists are behind by", lag));
    if !status.signing.is_empty() {
        facts.push(Fact::new("Evidence is signed", status.signing.clone()));
    }
    facts
}

fn log(log: &LogStatus, now_ns: u64) -> Vec<Fact> {
    let waiting = match log.bytes_max {
        0 => format::bytes(log.bytes),
        max => format!("{} of {}", format::bytes(log.bytes), format::bytes(max)),
    };
    let age = log.oldest_ns.map(|at| format::duration(now_ns.saturating_sub(at)));
    let mut facts = vec![
        Fact::new("Waiting", waiting),
        Fact::new("Oldest", age.unwrap_or_else(|| "nothing waits".to_owned())),
        Fact::new("Segments", format::count(log.segments)),
        Fact::new("Drained", format!("{:.0} rows a second", log.drained_rows_per_second)),
    ];
    if log.set_aside > 0 {
        facts.push(Fact::new(
            "Set aside",
            format::counted(log.set_aside, "damaged segment", "damaged segments"),
        ));
    }
    facts
}

fn ingest(status: &ServerStatus) -> Vec<Fact> {
    let IngestStatus { received, refused, kept, stored, waiting, set_aside, recovered, .. } = &status.ingest;
    let balance = format!(
        "{} stored, {} waiting, {} set aside",
        format::count(*stored),
        format::count(*waiting),
        format::count(*set_aside)
    );
    vec![
        Fact::new("Running since", format!("{} UTC", format::moment(status.started_ns))),
        Fact::new("Version", status.version.clone()),
        Fact::new("Received", format::count(*received)),
        Fact::new("Refused", if *refused == 0 { "none".to_owned() } else { format::count(*refused) }),
        Fact::new("Kept", format::count(*kept)),
        Fact::new("Found in the log", format::count(*recovered)),
        Fact::new("Of all these", balance),
        Fact::new("Balance", even(&status.ingest)),
    ]
}

/// Whether received = refused + kept, and kept + found = stored + waiting + set aside.
fn even(ingest: &IngestStatus) -> String {
    match (ingest.unaccounted, ingest.under_way) {
        (0, 0) => "even: every record is accounted for".to_owned(),
        (0, some) => {
            format!("even, with {} being kept right now", format::counted(some, "record", "records"))
        }
        (some, _) => format!("{} unaccounted for", format::counted(some, "record", "records")),
    }
}

fn refusal(reject: &Reject, now_ns: u64) -> Refusal {
    Refusal {
        at: format!("{} {}", format::clock(reject.at_ns), format::day(reject.at_ns, now_ns))
            .trim()
            .to_owned(),
        source: Text::new(reject.source.clone()),
        class: Text::new(reject.class.clone()),
        reason: Text::new(shortened(&reject.reason, 300)),
        service: Text::new(shortened(reject.service.as_deref().unwrap_or_default(), 80)),
        bytes: if reject.bytes == 0 { String::new() } else { format::bytes(reject.bytes) },
    }
}
