//! `recount demo`: serves, lets the agents act, and prints the ledger's truth beside what Recount says.
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::config::Settings;
use crate::demo::play::{DemoSettings, Payments, play};
use crate::demo::told::{run_of, told};
use crate::demo::truth::Truth;
use crate::domain::counting::counted;
use crate::domain::ids::Project;
use crate::domain::scope::Scope;
use crate::server::{Server, complain, failed, say, told_to_stop};
use crate::store::Store;

/// How long the runs may take to be shown after the agents are done.
const SHOWN_WITHIN: Duration = Duration::from_secs(60);
/// Runs told one by one; further ones are counted.
const TOLD_MAX: usize = 12;

/// Serves, plays so many rounds, and serves on until told to stop; with `once`, stops after the agents.
pub async fn demo_command(settings: &Settings, rounds: u32, once: bool) -> ExitCode {
    let server = match Server::start(settings).await {
        Ok(server) => server,
        Err(error) => return failed(&error),
    };
    let (code, played) = match act(settings, &server, rounds).await {
        Ok(played) => (if played.agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE }, Some(played)),
        Err(reason) => {
            complain(&reason);
            (ExitCode::FAILURE, None)
        }
    };
    if !once {
        if let Some(played) = &played {
            say(&format!("payments=http://{}\n", played.payments.address()));
            for line in played.places(server.addresses.ui) {
                say(&line);
            }
        }
        say(&format!("\nopen http://{}/runs", server.addresses.ui));
        say(&server.addresses.ready_line());
        told_to_stop().await;
    }
    server.stop().await;
    code
}

/// What was played.
struct Played {
    /// Whether everything that Recount says agrees with the ledger.
    agrees: bool,
    payments: Payments,
    truths: Vec<Truth>,
}

impl Played {
    /// The name of each story, with the address of its run.
    fn places(&self, ui: SocketAddr) -> Vec<String> {
        let told = self.truths.iter().take(TOLD_MAX);
        told.map(|truth| format!("{:<18}  http://{ui}/runs/{}", truth.scenario.word(), truth.run_id))
            .collect()
    }
}

/// Lets the agents act.
async fn act(settings: &Settings, server: &Server, rounds: u32) -> Result<Played, String> {
    say("The agents act upon a payments and mail service that loses answers ...");
    let now = SystemTime::now();
    let (truths, payments) = play(DemoSettings {
        otlp_endpoint: format!("http://{}", server.addresses.otlp_grpc),
        rounds,
        seed: now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        intents: settings.data_dir.join("demo-intents.sqlite"),
        now,
    })
    .await
    .map_err(|error| error.to_string())?;
    if !server.rooms().drained(SHOWN_WITHIN).await {
        return Err("the store has not taken all runs yet; they come from the log when it does".to_owned());
    }
    Ok(Played { agrees: compare(server.rooms().store(), &truths).await?, payments, truths })
}

async fn compare(store: &Store, truths: &[Truth]) -> Result<bool, String> {
    let scope = Scope::whole(Project::default());
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now_ns = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
    let mut agree = true;
    for (number, truth) in truths.iter().enumerate() {
        let run = run_of(store, &scope, truth, now_ns).await.map_err(|error| error.to_string())?;
        let agrees = ["refund", "email", "order_update"]
            .into_iter()
            .all(|kind| told(&run, kind).agrees_with(truth.count(kind)));
        agree &= agrees;
        if number < TOLD_MAX || !agrees {
            let refunds = told(&run, "refund");
            say(&format!(
                "demo scenario={} run={} refunds={} confirmed={} open={} agrees={agrees}",
                truth.scenario.word(),
                truth.run_id,
                truth.count("refund"),
                refunds.confirmed,
                refunds.open,
            ));
            say(&format!("     ledger: {truth}\n     Recount: {}", run.verdict.line));
        }
    }
    if truths.len() > TOLD_MAX {
        say(&format!("... and {}", counted(truths.len() - TOLD_MAX, "more run", "more runs")));
    }
    Ok(agree)
}
