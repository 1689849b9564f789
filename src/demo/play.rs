//! Plays the demo: starts the service, lets the agents act, and tells the truth afterwards.
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::demo::chance::Chance;
use crate::demo::designed;
use crate::demo::designed::intents::Intents;
use crate::demo::error::DemoError;
use crate::demo::naive;
use crate::demo::scenario::Scenario;
use crate::demo::service::{Line, Service};
use crate::demo::stage::{Part, Stage};
use crate::demo::telemetry::Telemetry;
use crate::demo::ticket::Ticket;
use crate::demo::truth::Truth;

/// The `recount.toml` of the demo: what Recount is told of the agents' tools.
pub const SETTINGS_TOML: &str = include_str!("recount.toml");

/// How many runs go on at once.
const AT_ONCE: usize = 6;
/// Over how long the runs are spread, back from now.
const SPREAD: Duration = Duration::from_secs(6 * 3600);
/// The last run has ended by now.
const LATEST: Duration = Duration::from_secs(6 * 60);
/// A run that is revisited a day later starts a day earlier.
const DAY_BEFORE: Duration = Duration::from_secs(26 * 3600);

/// What is played.
#[derive(Debug, Clone)]
pub struct DemoSettings {
    /// The server's OTLP/gRPC port, such as `http://127.0.0.1:4317`.
    pub otlp_endpoint: String,
    /// How often the whole cast plays.
    pub rounds: u32,
    /// The same seed plays the same orders, accounts and words.
    pub seed: u64,
    /// The designed loop's intent store; made when missing.
    pub intents: PathBuf,
    /// The time up to which the runs are spread.
    pub now: SystemTime,
}

/// The payments and mail service, which goes on until this is dropped: reconciler jobs may ask it.
#[derive(Debug)]
pub struct Payments(Arc<Stage>);

impl Payments {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.0.service.address()
    }
}

/// Plays all runs and returns once the server has taken everything. In the order of the runs: the truth; and
/// the service that they acted upon.
pub async fn play(settings: DemoSettings) -> Result<(Vec<Truth>, Payments), DemoError> {
    let service = Service::start().await?;
    let stage = Arc::new(Stage {
        line: Line::new(&service),
        service,
        telemetry: Telemetry::new(settings.otlp_endpoint.clone()),
        intents: Intents::open(&settings.intents)?,
    });
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut playing = JoinSet::new();
    let count = usize::try_from(settings.rounds).unwrap_or(usize::MAX).saturating_mul(Scenario::ALL.len());
    for number in 0..count {
        let part = part((number, count), &settings);
        let (stage, turns) = (Arc::clone(&stage), Arc::clone(&turns));
        playing.spawn(async move {
            // The semaphore is never closed; if it were, the run would just not wait its turn.
            let turn = turns.acquire().await;
            let truth = play_one(&stage, part).await;
            drop(turn);
            truth.map(|truth| (number, truth))
        });
    }
    let mut truths = Vec::new();
    while let Some(truth) = playing.join_next().await {
        truths.push(truth??);
    }
    truths.sort_by_key(|(number, _)| *number);
    Ok((truths.into_iter().map(|(_, truth)| truth).collect(), Payments(stage)))
}

async fn play_one(stage: &Stage, part: Part) -> Result<Truth, DemoError> {
    let (scenario, ticket) = (part.scenario, part.ticket.clone());
    stage.service.open(&ticket);
    for (operation, faults) in scenario.faults() {
        stage.service.plan(ticket.order, operation, &faults);
    }
    let (run_id, traces) = if scenario.is_naive() {
        let trace = naive::run(stage, part).await?;
        (trace.clone(), vec![trace])
    } else {
        designed::run(stage, part).await?
    };
    Ok(Truth {
        scenario,
        run_id,
        traces,
        order: format!("order:{}", ticket.order),
        account: format!("account:{}", ticket.account),
        effects: stage.service.effects(ticket.order),
    })
}

fn part((number, count): (usize, usize), settings: &DemoSettings) -> Part {
    let scenario = Scenario::of_run(number);
    let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
    let number = u64::try_from(number).unwrap_or_default();
    let mut chance = Chance::new(settings.seed.wrapping_add(number.wrapping_mul(0x5851_F42D_4C95_7F2D)));
    let ticket = Ticket::new(number, &mut chance);
    let back = SPREAD.as_secs() * number / count + chance.between(0, 60);
    let extra = if scenario == Scenario::KeyExpired { DAY_BEFORE } else { Duration::ZERO };
    let started = settings.now - LATEST - Duration::from_secs(back) - extra;
    Part { scenario, ticket, started, chance }
}
