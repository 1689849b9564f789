//! Every operation of the API, in the order of the table of routes.
use crate::access::Change;
use crate::evidence::Trust;
use crate::web::api::{
    access, activity, case_acts, cases, compare, entity, erasures, findings, holds, keys, overview,
    readiness, rejects, reveal, run, runs, search, spans, step,
};
use crate::web::openapi::operation::Takes::{Limit, Needed, OneOf, Text, Time, Twice};
use crate::web::openapi::operation::{GET, Operation, POST, Param, of};

const CURSOR: Param = Param("cursor", Text, "Go on from here: `next` of the answer before");
const FROM: Param = Param("from", Time, "From this time on");
const TO: Param = Param("to", Time, "Until this time");
const AGENT: Param = Param("agent", Text, "Of this agent");
const TOOL: Param = Param("tool", Text, "Of this tool");
const ENTITY: Param = Param("entity", Text, "On or for this entity, `type:id`");
const ACCOUNT: Param = Param("account", Text, "On or for this account");
const AGO: Param = Param("t", OneOf(&["1h", "24h", "7d", "30d"]), "So far back from now");
const TEXT: Param = Param("text", Text, "Only what says this in its sentence, target or key");
const OLDER: Param = Param("older_than", Text, "Before so long (`90s`, `15m`, `24h`, `7d`) or before a time");
const FORMAT: Param = Param(
    "format",
    OneOf(&["json", "csv", "jsonl", "parquet"]),
    "As CSV, JSON lines or Parquet: whole, whatever the limit",
);
/// What `format` gives besides JSON.
const FILES: &[&str] = &["text/csv", "application/jsonl", "application/vnd.apache.parquet"];
const LIMIT: Param = Param("limit", Limit(500), "How many at once");

const OUTCOME: Param = Param(
    "outcome",
    OneOf(&["confirmed", "failed", "unknown", "submitted", "none"]),
    "The worst open outcome of the run's acts",
);

const RUNS: &[Param] = &[
    Param("q", Text, "Words and conditions: `outcome:unknown retries:>1 lamp`"),
    AGO,
    FROM,
    TO,
    LIMIT,
    CURSOR,
    AGENT,
    Param("model", Text, "With this model"),
    ENTITY,
    OUTCOME,
    Param("retries", Text, "So many retries: `3`, `>1`, `<=2`"),
    Param("finding", Text, "With a finding of this code"),
    Param("session", Text, "Of this session"),
    FORMAT,
];

const SEARCH: &[Param] = &[
    Param(
        "q",
        Needed,
        "Words, \"phrases\", ids or their beginnings, and conditions: `timeout agent:bank -lamp`",
    ),
    Param(
        "in",
        Text,
        "Where: messages, tools, arguments, results, errors, names, attributes; several with commas",
    ),
    AGO,
    FROM,
    TO,
    Param("limit", Limit(50), "How many runs at once"),
    CURSOR,
    AGENT,
    Param("model", Text, "With this model"),
    ENTITY,
    OUTCOME,
    Param("retries", Text, "So many retries: `3`, `>1`, `<=2`"),
    Param("finding", Text, "With a finding of this code"),
    Param("session", Text, "Of this session"),
];

const CASES: &[Param] = &[
    Param("state", OneOf(&["open", "pending", "resolved", "waiting", "all"]), "Open ones when left out"),
    TOOL,
    Param("owner", Text, "Of this person; `none` for nobody's"),
    ACCOUNT,
    ENTITY,
    Param("key", Text, "Under this idempotency key"),
    Param("run", Text, "Of this run"),
    OLDER,
    Param("sort", OneOf(&["urgency", "age", "value", "changed"]), "The order; urgency when left out"),
    LIMIT,
    CURSOR,
    FORMAT,
];

const ACTIONS: &[Param] = &[
    Param("outcome", OneOf(&["submitted", "confirmed", "failed", "unknown"]), "In this state"),
    TOOL,
    ENTITY,
    ACCOUNT,
    Param("key", Text, "Under this key"),
    OLDER,
    LIMIT,
    CURSOR,
    FORMAT,
];

const DONE: &[Param] = &[FROM, TO, TEXT, Param("limit", Limit(100), "How many runs at once"), CURSOR, FORMAT];

const COMPARE: &[Param] = &[
    Param("run", Twice, "A run, and the other; one run alone where two of its attempts are compared"),
    Param("a", Text, "The span of an attempt of the first run; without `a` and `b` whole runs are compared"),
    Param("b", Text, "The span of an attempt of the second run"),
];

const POPULATION: &[Param] = &[
    Param("q", Text, "A part of the id"),
    FROM,
    TO,
    Param("with", OneOf(&["acts", "unknown", "failed"]), "Only those with such"),
    Param("seed", Text, "A sample that anybody can draw again"),
    LIMIT,
];

const ACTIVITY: &[Param] = &[
    Param("who", Text, "Of this person or key"),
    Param("kind", Text, "Of this kind"),
    Param("entity", Text, "About this entity, `type:id`"),
    Param("run", Text, "About this run"),
    FROM,
    TO,
    LIMIT,
    CURSOR,
    FORMAT,
];

const FINDINGS: &[Param] = &[
    Param("code", Text, "Of this code; `/findings/codes` lists them"),
    Param("severity", OneOf(&["danger", "warn", "info"]), "Of this severity"),
    AGENT,
    TOOL,
    Param("run", Text, "Of this run: alone it is the whole list of one run, folded now"),
    Param("week", Text, "The week that begins on this day, `2026-11-30`"),
    AGO,
    FROM,
    TO,
    CURSOR,
    LIMIT,
    FORMAT,
];

const OVERVIEW: &[Param] = &[
    Param("q", Text, "Words and conditions: `agent:bank tool:issue_refund model:gpt-5`"),
    Param("t", OneOf(&["1h", "24h", "7d", "30d", "all"]), "So far back from now; 7d when no time is named"),
    FROM,
    TO,
    AGENT,
    TOOL,
    Param("model", Text, "With this model"),
    ENTITY,
    Param(
        "outcome",
        OneOf(&["confirmed", "failed", "unknown", "submitted", "none"]),
        "The worst open outcome of the run's acts",
    ),
    Param("retries", Text, "So many retries: `3`, `>1`, `<=2`"),
    Param("finding", Text, "With a finding of this code"),
    Param("session", Text, "Of this session"),
];

const READINESS: &[Param] = &[
    Param("days", OneOf(&["7", "30", "90"]), "So far back; 30 when left out"),
    FROM,
    TO,
    AGENT,
    TOOL,
    Param("format", OneOf(&["json", "csv"]), "As CSV"),
];

/// Every operation.
pub(in crate::web) const OPERATIONS: &[Operation] = &[
    Operation {
        path: "/api/v1/openapi.json",
        summary: "This document",
        answer: Some(of::<serde_json::Map<String, serde_json::Value>>),
        ..GET
    },
    Operation {
        path: "/api/v1/runs",
        summary: "Runs, newest first",
        params: RUNS,
        answer: Some(of::<runs::List>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/runs/{run_id}",
        summary: "One run with its steps, attempts and findings; 303 when it has another id now",
        answer: Some(of::<run::Covered>),
        also: &[303],
        ..GET
    },
    Operation {
        path: "/api/v1/runs/{run_id}/steps/{step_id}",
        summary: "One step with its attempts and their contents",
        answer: Some(of::<step::Step>),
        also: &[303],
        ..GET
    },
    Operation {
        path: "/api/v1/compare",
        summary: "Two runs, or two attempts, held against each other",
        params: COMPARE,
        answer: Some(of::<compare::Comparison>),
        ..GET
    },
    Operation {
        path: "/api/v1/stream/runs",
        summary: "Server-sent events: which runs changed, while it is open",
        media: &["text/event-stream"],
        also: &[503],
        ..GET
    },
    Operation {
        path: "/api/v1/stream/runs/{run_id}",
        summary: "Server-sent events: how a run stands, each time it changes, while it is open",
        media: &["text/event-stream"],
        also: &[503],
        ..GET
    },
    Operation {
        path: "/api/v1/traces/{trace_id}",
        summary: "The run of a trace (303), or the list of its runs",
        answer: Some(of::<spans::RunsOfTrace>),
        also: &[303],
        ..GET
    },
    Operation {
        path: "/api/v1/spans/{trace_id}/{span_id}",
        summary: "One attempt with everything kept; with `format=otlp` the redacted span as OTLP/JSON",
        params: &[Param("format", OneOf(&["json", "otlp"]), "As OTLP/JSON")],
        answer: Some(spans::schema),
        ..GET
    },
    Operation {
        path: "/api/v1/contents/{trace_id}/{digest}",
        summary: "A body as kept; 410 when it was erased",
        answer: Some(of::<serde_json::Value>),
        media: &["text/plain"],
        also: &[410],
        ..GET
    },
    Operation {
        path: "/api/v1/entities/{type}",
        summary: "Which entities of a type there are: the latest, or a sample",
        params: POPULATION,
        answer: Some(of::<entity::Population>),
        ..GET
    },
    Operation {
        path: "/api/v1/entities/{type}/{id}",
        summary: "Everything agents did on an entity, and how complete that is",
        params: DONE,
        answer: Some(of::<entity::Done<'static>>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/actions",
        summary: "Acts, one a key and tool, newest first",
        params: ACTIONS,
        answer: Some(of::<keys::List>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/keys/{key}",
        summary: "What was done under an idempotency key, and whether the act can be sent again",
        params: &[TOOL],
        answer: Some(of::<keys::Key>),
        ..GET
    },
    Operation {
        path: "/api/v1/cases",
        summary: "The queue of unknowns, in order of urgency",
        params: CASES,
        answer: Some(of::<cases::List>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/cases/resolution",
        summary: "One resolution for many cases, each of which may refuse it",
        body: Some(of::<case_acts::Resolutions>),
        answer: Some(of::<case_acts::Each>),
        status: 200,
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}",
        summary: "One case with everything appended to it",
        answer: Some(of::<cases::Whole>),
        ..GET
    },
    Operation {
        path: "/api/v1/cases/{case_id}/claim",
        summary: "Take a case",
        body: Some(of::<case_acts::Plain>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}/hand-over",
        summary: "Give a case to somebody, or back to the queue",
        body: Some(of::<case_acts::HandOver>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}/comment",
        summary: "Say something about a case",
        body: Some(of::<case_acts::Plain>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}/resolution",
        summary: "Say what became of an act; of two who close it the second hears the first one's answer",
        body: Some(of::<case_acts::Resolution>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}/agree",
        summary: "Agree, as a second person",
        body: Some(of::<case_acts::Plain>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/cases/{case_id}/reopen",
        summary: "Open a case again",
        body: Some(of::<case_acts::Plain>),
        answer: Some(of::<cases::Whole>),
        ..POST
    },
    Operation {
        path: "/api/v1/reveal",
        summary: "The value behind one that redaction encrypted, for a reason that is recorded",
        body: Some(of::<reveal::Wanted>),
        answer: Some(of::<reveal::Revealed>),
        status: 200,
        also: &[413],
        ..POST
    },
    Operation {
        path: "/api/v1/activity",
        summary: "Who looked at what, and who changed what, newest first",
        params: ACTIVITY,
        answer: Some(of::<activity::List>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/lifecycle",
        summary: "What happened to the system, newest first",
        params: &[Param("kind", Text, "Of this kind"), LIMIT],
        answer: Some(of::<activity::Events>),
        ..GET
    },
    Operation {
        path: "/api/v1/access",
        summary: "Who may what, as of a time",
        params: &[Param("as_of", Time, "Now when left out")],
        answer: Some(of::<access::Report>),
        ..GET
    },
    Operation {
        path: "/api/v1/access/changes",
        summary: "One change of who may what",
        body: Some(of::<Change>),
        answer: Some(of::<access::Done>),
        also: &[409, 413, 415, 422],
        ..POST
    },
    Operation {
        path: "/api/v1/holds",
        summary: "Legal holds of the project, the latest placed first; lifted ones too",
        answer: Some(of::<holds::List>),
        ..GET
    },
    Operation {
        path: "/api/v1/holds/place",
        summary: "Place a legal hold: what it is on is neither expired nor erased",
        body: Some(of::<holds::Placing>),
        answer: Some(of::<holds::Hold>),
        ..POST
    },
    Operation {
        path: "/api/v1/holds/lift",
        summary: "Lift a legal hold",
        body: Some(of::<holds::Lifting>),
        answer: Some(of::<holds::Hold>),
        ..POST
    },
    Operation {
        path: "/api/v1/entities/{type}/{id}/erasure",
        summary: "What would go if the contents of an entity were erased now, and what is in the way",
        answer: Some(of::<erasures::Plan>),
        ..GET
    },
    Operation {
        path: "/api/v1/entities/{type}/{id}/erase",
        summary: "Erase the contents of what agents did on an entity, for good",
        body: Some(of::<erasures::Asking>),
        answer: Some(of::<erasures::Erasure>),
        status: 202,
        ..POST
    },
    Operation {
        path: "/api/v1/erasures",
        summary: "Erasures of the project, the latest asked for first",
        answer: Some(of::<erasures::List>),
        ..GET
    },
    Operation {
        path: "/api/v1/erasures/{erasure_id}",
        summary: "An erasure, and once it is done its signed receipt",
        answer: Some(of::<erasures::Whole>),
        ..GET
    },
    Operation {
        path: "/api/v1/entities/{type}/{id}/evidence",
        summary: "The answer about an entity as a signed bundle that anybody can verify offline",
        params: &[FROM, TO, TEXT],
        media: &["application/zip"],
        ..GET
    },
    Operation {
        path: "/api/v1/evidence/trust",
        summary: "The public key and the newest checkpoints: what verifying a bundle takes",
        answer: Some(of::<Trust>),
        ..GET
    },
    Operation {
        path: "/api/v1/search",
        summary: "Where words and phrases stand, in everything that was kept of runs, newest run first",
        params: SEARCH,
        answer: Some(of::<search::List>),
        ..GET
    },
    Operation {
        path: "/api/v1/rejects",
        summary: "What was refused and why, newest first",
        params: &[LIMIT, CURSOR, FORMAT],
        answer: Some(of::<rejects::List>),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/findings",
        summary: "What was noticed, in all runs or in one",
        params: FINDINGS,
        answer: Some(findings::schema),
        media: FILES,
        ..GET
    },
    Operation {
        path: "/api/v1/findings/codes",
        summary: "What every code of a finding means",
        answer: Some(of::<findings::Codes>),
        ..GET
    },
    Operation {
        path: "/api/v1/readiness",
        summary: "The six answers for each tool of each agent",
        params: READINESS,
        answer: Some(of::<readiness::Readiness>),
        media: &["text/csv"],
        ..GET
    },
    Operation {
        path: "/api/v1/overview",
        summary: "Acts, retries, 429s, models, tokens, cost and lengths, over time and by name",
        params: OVERVIEW,
        answer: Some(of::<overview::Overview>),
        ..GET
    },
];
