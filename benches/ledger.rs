//! Actions and cases at a million: one key as a gate asks for it, the queue, the list of actions.
//!
//! `cargo bench --bench ledger [actions]`. The lines are written straight into their tables: what is measured is
//! the way from the table to the answer over HTTP. One action in twenty was unknown once, one in a hundred is.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and may stop at the first surprise"
)]
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Uri;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use recount::config::{Command, Settings, parse, parse_file, resolve};
use recount::domain::action::{Action, ActionUse};
use recount::domain::case::{Case, CaseState};
use recount::domain::entity::Entity;
use recount::domain::fold::case_id;
use recount::domain::ids::{Project, SpanId, TraceId};
use recount::domain::outcome::{Evidence, Gate, Outcome};
use recount::domain::path::{Move, Origin};
use recount::server::Server;
use recount::store::{ActionLine, CaseLine, Store, write_actions, write_cases};

const TOOL: &str = "issue_refund";
const BATCH: u64 = 50_000;
const ASKED: usize = 100;
const SECOND_NS: u64 = 1_000_000_000;

fn main() {
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    tokio::runtime::Runtime::new().unwrap().block_on(measure(count));
}

async fn measure(count: u64) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&settings(folder.path())).await.unwrap();
    let now_ns = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
    let begun = Instant::now();
    for from in (0..count).step_by(usize::try_from(BATCH).unwrap()) {
        fill(server.rooms().store(), from..count.min(from + BATCH), now_ns).await;
    }
    let written = begun.elapsed();
    settled(server.rooms().store()).await;
    println!("{count} actions written in {written:.0?}\n\n| what | p50 | p95 | max |\n|---|---|---|---|");
    let ui = server.addresses.ui.to_string();
    let step = count / ASKED as u64;
    let keys =
        |from: u64| (0..ASKED as u64).map(move |n| format!("/api/v1/keys/run_{}:refund", from + n * step));
    table("one key, confirmed", &ui, keys(1)).await;
    table("one key, unknown, with its case", &ui, keys(0)).await;
    table("one key that is not there", &ui, (0..20).map(|n| format!("/api/v1/keys/none_{n}"))).await;
    let again = |path: &str| std::iter::repeat_n(path.to_owned(), 20);
    table("the queue, most urgent first", &ui, again("/api/v1/cases")).await;
    table("the queue of an account", &ui, again("/api/v1/cases?account=700")).await;
    table("settled cases, latest first", &ui, again("/api/v1/cases?state=resolved&sort=changed")).await;
    table("actions, unknown", &ui, again("/api/v1/actions?outcome=unknown")).await;
    table("actions of an account", &ui, again("/api/v1/actions?account=700")).await;
    for path in ["/unknowns", "/keys/run_1:refund"] {
        table(&format!("page {path}"), &ui, again(path)).await;
    }
    server.stop().await;
}

/// Waits until the engine has merged what was written: a million lines do not arrive in ten seconds elsewhere.
async fn settled(store: &Store) {
    let client = store.engine().unwrap().client();
    let mut quiet = 0;
    while quiet < 5 {
        let merges: u64 = client.query("SELECT count() FROM system.merges").fetch_one().await.unwrap();
        quiet = if merges == 0 { quiet + 1 } else { 0 };
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn table(what: &str, ui: &str, paths: impl Iterator<Item = String>) {
    let client: Client<HttpConnector, Empty<Bytes>> =
        Client::builder(TokioExecutor::new()).build(HttpConnector::new());
    let mut times = Vec::new();
    for path in paths {
        let begun = Instant::now();
        let uri: Uri = format!("http://{ui}{path}").parse().unwrap();
        let answer = client.get(uri).await.unwrap();
        let _body = answer.into_body().collect().await.unwrap();
        times.push(begun.elapsed());
    }
    times.sort();
    let at = |part: usize| times.get(times.len() * part / 100).or(times.last()).copied().unwrap_or_default();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    println!("| {what} | {:.1} ms | {:.1} ms | {:.1} ms |", ms(at(50)), ms(at(95)), ms(at(100)));
}

fn settings(folder: &std::path::Path) -> Settings {
    let dir = folder.to_str().unwrap();
    let arguments = ["recount", "serve", "--data-dir", dir, "--listen", "127.0.0.1:0"];
    let ports = ["--otlp-grpc", "127.0.0.1:0", "--otlp-http", "127.0.0.1:0"];
    let (cli, matches) = parse(arguments.into_iter().chain(ports)).unwrap();
    let Command::Serve(serve) = cli.command else { return settings(folder) };
    resolve(serve, matches.subcommand().unwrap().1, parse_file(None).unwrap()).unwrap()
}

async fn fill(store: &Store, numbers: std::ops::Range<u64>, now_ns: u64) {
    let actions: Vec<Action> = numbers.clone().map(|number| action(number, now_ns)).collect();
    let was_unknown = |action: &&Action| action.path.iter().any(|moved| moved.state == Outcome::Unknown);
    let cases: Vec<CaseLine> = actions
        .iter()
        .filter(was_unknown)
        .map(|action| CaseLine {
            project: Project::default(),
            case: case(action),
            heard_ns: now_ns,
            precedence: 1,
            is_deleted: false,
        })
        .collect();
    let actions: Vec<ActionLine> = actions
        .into_iter()
        .map(|action| ActionLine {
            project: Project::default(),
            action,
            owner: String::new(),
            heard_ns: now_ns,
            precedence: 1,
            is_deleted: false,
        })
        .collect();
    write_actions(store, &actions, 30, &format!("bench actions {}", numbers.start)).await.unwrap();
    write_cases(store, &cases, 30, &format!("bench cases {}", numbers.start)).await.unwrap();
}

fn action(number: u64, now_ns: u64) -> Action {
    let started_ns = now_ns - (1 + number % 500_000) * SECOND_NS;
    let mut trace = [7; 16];
    trace.iter_mut().zip(number.to_be_bytes()).for_each(|(byte, digit)| *byte = digit);
    let (trace_id, span_id) = (TraceId(trace), SpanId((number + 1).to_be_bytes()));
    let run_id = format!("run_{number}");
    let moved = |state, at_ns, evidence| Move {
        state,
        at_ns,
        by: format!("worker-{}", number % 20),
        evidence,
        origin: Origin::Span { run_id: run_id.clone(), trace_id, span_id },
    };
    let mut path = vec![moved(Outcome::Submitted, started_ns, Evidence::Given)];
    if number.is_multiple_of(20) {
        path.push(moved(Outcome::Unknown, started_ns + 30 * SECOND_NS, Evidence::Timeout));
    }
    if !number.is_multiple_of(100) {
        path.push(moved(Outcome::Confirmed, started_ns + 33 * SECOND_NS, Evidence::Reconcile));
    }
    let last = path.last().unwrap().clone();
    Action {
        key: format!("run_{number}:refund"),
        key_given: true,
        tool: TOOL.to_owned(),
        target: Some(format!("order:{number}")),
        outcome: last.state,
        evidence: last.evidence,
        unknown_at_ns: None,
        started_ns,
        changed_ns: last.at_ns,
        key_expires_ns: Some(started_ns + 24 * 3600 * SECOND_NS),
        attempt_count: 1,
        held_count: 0,
        argument_drift: false,
        path,
        uses: vec![ActionUse {
            run_id: run_id.clone(),
            step_id: "step-2".to_owned(),
            number: 1,
            trace_id,
            span_id,
            started_ns,
            ended_ns: Some(started_ns + 30 * SECOND_NS),
            worker: Some(format!("worker-{}", number % 20)),
            epoch: Some(1),
            gate: Gate::New,
            outcome: Some(Outcome::Unknown),
            reason: "No answer after 30 s".to_owned(),
        }],
        compensates: None,
        gate: Gate::New,
        value: Some(format!("{}.50 EUR", number % 300)),
        downstream_id: None,
        run_ids: vec![run_id],
        step_id: "step-2".to_owned(),
        spans: vec![(trace_id, span_id)],
        agent: Some("refund-agent".to_owned()),
        entities: vec![Entity::account((number % 10_000).to_string())],
        version: 3,
    }
}

fn case(action: &Action) -> Case {
    let used = action.uses.first().unwrap();
    let open = action.outcome == Outcome::Unknown;
    Case {
        case_id: case_id::of_key(&Project::default(), TOOL, &action.key),
        key: Some(action.key.clone()),
        tool: action.tool.clone(),
        target: action.target.clone(),
        entities: action.entities.clone(),
        run_id: used.run_id.clone(),
        step_id: used.step_id.clone(),
        trace_id: used.trace_id,
        span_id: used.span_id,
        run_ids: action.run_ids.clone(),
        traces: vec![used.trace_id],
        agent: action.agent.clone(),
        outcome: action.outcome,
        evidence: action.evidence,
        unknown_at_ns: None,
        state: if open { CaseState::Open } else { CaseState::Resolved },
        opened_ns: Some(action.started_ns + 30 * SECOND_NS),
        settled_ns: (!open).then_some(action.changed_ns),
        started_ns: action.started_ns,
        changed_ns: action.changed_ns,
        owner: None,
        owner_since_ns: None,
        key_expires_ns: action.key_expires_ns,
        value: action.value.clone(),
        attempt_count: 1,
        look_count: 1,
        look_failed_count: u32::from(open),
        last_look_ns: Some(action.changed_ns),
        path: action.path.clone(),
        event_count: 0,
        known_as: Vec::new(),
        last_event_id: None,
        version: action.version,
    }
}
