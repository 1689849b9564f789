//! `/about/conventions`: what senders may say, in attributes of ours and in every convention we read.
use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Response};

use crate::conventions::dialects;
use crate::web::page::{Page, Shell};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The page.
#[derive(Template)]
#[template(path = "pages/conventions.html")]
pub(in crate::web) struct ConventionsPage {
    shell: Shell,
    attributes: &'static [(&'static str, &'static str, &'static str)],
    dialects: Vec<Dialect>,
}

/// A convention that is read.
struct Dialect {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    reads: Vec<(&'static str, String)>,
}

/// Name, type and meaning of every attribute that has no convention but ours.
const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("recount.run.id", "string", "The run. It may span traces and workers."),
    ("recount.run.epoch", "int", "The fencing number of the worker that owns the run."),
    ("recount.run.seq", "int", "The runtime's own sequence number of the record."),
    (
        "recount.run.step_count",
        "int",
        "On the last span: how many steps the run had. Makes completeness provable.",
    ),
    (
        "recount.run.deadline",
        "string or int",
        "Until when the run may go on: RFC 3339 or nanoseconds since 1970. What begins later is a finding.",
    ),
    (
        "recount.reads_sampled",
        "int",
        "How many reads the sender left out since its last record. Acts are never left out.",
    ),
    ("recount.worker.id", "string", "Who ran it."),
    ("recount.step.id", "string", "The planned step. Every attempt of it carries the same id."),
    ("recount.step.kind", "string", "think, read, act, reconcile, wait, agent, transport or other."),
    ("recount.step.attempt", "int", "The attempt's number, from 1."),
    ("recount.step.verifies", "string", "On a read-back or reconciliation: the step it is about."),
    ("recount.action.target", "string", "What the act is on, such as order:4812."),
    ("recount.action.key", "string", "The idempotency key, or a digest of it."),
    (
        "recount.action.key_expires_at",
        "string or int",
        "Until when the provider keeps the key: RFC 3339 or nanoseconds since 1970.",
    ),
    ("recount.action.outcome", "string", "submitted, confirmed, failed or unknown."),
    ("recount.action.evidence", "string", "given, status, error, timeout, read_back or reconcile."),
    ("recount.action.value", "string", "The money or amount at stake, such as 40.00 EUR."),
    (
        "recount.action.downstream_id",
        "string",
        "The id that the downstream system gave the effect, such as re_9013.",
    ),
    ("recount.action.compensates", "string", "The key or step id of the act that this one undoes."),
    (
        "recount.gate.decision",
        "string",
        "new, duplicate or unknown: what the idempotency gate decided before the call.",
    ),
    ("recount.context.ref", "string", "The runtime's own name for the snapshot that the model saw."),
    ("recount.account.id", "string", "The account acted upon or for."),
    ("recount.entities", "string list", "Others acted upon or for, each type:id."),
    ("recount.user.id", "string", "The end user."),
    ("recount.approver", "string", "Who approved the act."),
    ("recount.policy.version", "string", "The version of the policy it ran under."),
];

/// Answers `/about/conventions`.
pub(in crate::web) async fn show(State(state): State<WebState>, viewer: Viewer) -> Response {
    let dialects = dialects()
        .iter()
        .map(|dialect| Dialect {
            name: dialect.name,
            title: dialect.title,
            about: dialect.about,
            reads: dialect.reads.iter().map(|read| (read.key, read.field.meaning())).collect(),
        })
        .collect();
    let shell = Shell::of(&state, &viewer, "");
    Page(ConventionsPage { shell, attributes: ATTRIBUTES, dialects }).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_page_the_document_and_the_reader_name_the_same_attributes() {
        let document = include_str!("../../../docs/attributes.md");
        let cells = |line: &'static str| line.split('|').map(str::trim).collect::<Vec<_>>();
        let rows = document.lines().filter(|line| line.starts_with("| `recount.")).map(cells);
        let told: BTreeMap<&str, &str> = rows.map(|row| (row[1].trim_matches('`'), row[2])).collect();
        let shown: BTreeMap<&str, &str> = ATTRIBUTES.iter().map(|(name, kind, _)| (*name, *kind)).collect();
        assert_eq!(told, shown);
        let ours = dialects().iter().find(|dialect| dialect.name == "recount").unwrap();
        let unread: Vec<_> =
            shown.keys().filter(|name| !ours.reads.iter().any(|read| read.key == **name)).collect();
        assert_eq!(unread, Vec::<&&str>::new(), "told, but not read");
        let untold: Vec<_> = ours
            .reads
            .iter()
            .map(|read| read.key)
            .filter(|key| key.starts_with("recount.") && !shown.contains_key(key))
            .collect();
        assert_eq!(untold, Vec::<&str>::new(), "read, but not told");
    }
}
