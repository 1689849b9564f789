//! The task: looks at the queue at intervals, tells what is new, remembers what it told.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::conventions::ToolRules;
use crate::domain::alert::AlertEvent;
use crate::domain::case::{Case, CaseState};
use crate::domain::ids::Project;
use crate::domain::scope::Scope;
use crate::notices::alerts::judge::{judge, orphans};
use crate::notices::alerts::measure::{Ground, count};
use crate::notices::alerts::message::{self, alert, rule_id, shaped};
use crate::notices::alerts::rule::Rule;
use crate::notices::deliver::Courier;
use crate::notices::due::{Kind, due, episode};
use crate::notices::endpoint::Endpoint;
use crate::notices::gauges::Gauges;
use crate::store::queries::{
    CASES_MAX, CaseFilter, CaseOrder, KeptNotice, NoticeClaim, alert_projects, alerts, case_counts,
    case_projects, cases, claim_notice, notice_claims, notices, record_alerts, record_notices,
    standing_alerts,
};
use crate::store::{Store, StoreError};

/// Cases looked at in one round; the most urgent ones.
const CASES_PER_ROUND: usize = 5_000;
/// Messages sent in one round to one webhook.
const MESSAGES_PER_ROUND: usize = 500;
/// After so many failures a message is given up: the waits between them add up to three days.
const ATTEMPTS_MAX: u32 = 16;
/// Beginnings and ends of alerts that a webhook still hears of: as long as a message is tried.
const TOLD_NS: u64 = 3 * 86_400_000_000_000;
const ALERTS_MAX: u16 = 500;
/// So long a message is told by the server that claimed it, and by no other.
const CLAIM_NS: u64 = 600_000_000_000;
const BACKOFF_MAX: Duration = Duration::from_secs(6 * 3600);

/// How the task goes about it.
#[derive(Clone)]
pub struct NoticesSettings {
    /// The webhooks.
    pub endpoints: Vec<Endpoint>,
    /// The rules of alerts.
    pub rules: Vec<Rule>,
    /// What is said of tools: how long providers keep keys.
    pub tools: ToolRules,
    /// Between two looks.
    pub every: Duration,
    /// The wait after a first failure; it doubles.
    pub backoff: Duration,
    /// How many days what was told is remembered.
    pub kept_days: u16,
    /// Several servers may tell the same webhooks: they agree through the store on who tells what.
    pub shared: bool,
    /// What time it is, in nanoseconds since 1970.
    pub now_ns: fn() -> u64,
}

/// The task's handle.
#[derive(Debug, Clone)]
pub struct Notices {
    stop: CancellationToken,
}

impl Notices {
    /// Starts the task.
    pub fn start(store: Store, settings: NoticesSettings, gauges: Gauges) -> Self {
        let stop = CancellationToken::new();
        let teller = Teller {
            store,
            server: server(),
            courier: Courier::new(),
            settings: Arc::new(settings),
            gauges,
            failing: BTreeMap::new(),
        };
        tokio::spawn(run(teller, stop.clone()));
        Self { stop }
    }

    /// Stops the task.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

async fn run(mut teller: Teller, stop: CancellationToken) {
    loop {
        let round = async {
            if let Err(error) = teller.round().await {
                tracing::warn!(%error, "the queue of unknowns could not be looked at; trying again");
            }
            tokio::time::sleep(teller.settings.every).await;
        };
        tokio::select! {
            () = round => {}
            () = stop.cancelled() => return,
        }
    }
}

/// A name that no other server has.
fn server() -> String {
    let mut dice = [0_u8; 16];
    if let Err(error) = getrandom::fill(&mut dice) {
        tracing::warn!(%error, "no random number for a name: of several servers each may tell webhooks");
    }
    data_encoding::HEXLOWER.encode(&dice)
}

/// What names a message: the webhook, the case, the how-manieth time it is unknown, and the kind.
type Name = (usize, String, u32, Kind);

/// What names a message to one webhook.
type Claimed = BTreeMap<(String, u32, String), NoticeClaim>;

/// A message that was not taken: how often, and when it is tried again.
#[derive(Debug, Clone, Copy)]
struct Failing {
    attempts: u32,
    again: Instant,
}

struct Teller {
    store: Store,
    server: String,
    courier: Courier,
    settings: Arc<NoticesSettings>,
    gauges: Gauges,
    failing: BTreeMap<Name, Failing>,
}

impl Teller {
    async fn round(&mut self) -> Result<(), StoreError> {
        let now_ns = (self.settings.now_ns)();
        let scopes: Vec<Scope> = case_projects(&self.store).await?.into_iter().map(Scope::whole).collect();
        let mut all = Vec::new();
        for scope in &scopes {
            all.push(case_counts(&self.store, scope, "", now_ns, now_ns).await?);
        }
        self.gauges.show(&all, now_ns);
        let settings = self.settings.clone();
        if settings.endpoints.is_empty() && settings.rules.is_empty() {
            return Ok(());
        }
        for scope in &scopes {
            let open = self.open(scope, now_ns).await?;
            for (place, endpoint) in settings.endpoints.iter().enumerate() {
                self.tell(scope, (place, endpoint), &open, now_ns).await?;
            }
        }
        let mut projects = alert_projects(&self.store).await?;
        if !projects.contains(&Project::default()) {
            projects.push(Project::default());
        }
        for scope in projects.into_iter().map(Scope::whole) {
            self.alert(&scope, now_ns).await?;
        }
        Ok(())
    }

    /// Judges a project by the rules of alerts, and tells what began and ended.
    async fn alert(&mut self, scope: &Scope, now_ns: u64) -> Result<(), StoreError> {
        let settings = self.settings.clone();
        let open = self.open(scope, now_ns).await?;
        self.judge(scope, &open, now_ns).await?;
        let mut events = alerts(&self.store, scope, now_ns.saturating_sub(TOLD_NS), ALERTS_MAX).await?;
        // Told in the order in which it happened.
        events.reverse();
        for (place, endpoint) in settings.endpoints.iter().enumerate() {
            self.tell_alerts(scope, (place, endpoint), &events, now_ns).await?;
        }
        Ok(())
    }

    /// Counts what the rules are about, and remembers what began and ended.
    async fn judge(&self, scope: &Scope, open: &[Case], now_ns: u64) -> Result<(), StoreError> {
        let Self { store, settings, .. } = self;
        let standing = standing_alerts(store, scope).await?;
        let mut events = orphans(&settings.rules, &standing, now_ns);
        for rule in &settings.rules {
            let ground = Ground { store, scope, open, tools: &settings.tools, now_ns };
            let last = standing.iter().find(|event| event.rule == rule.name);
            events.extend(judge(rule, &count(rule, ground).await?, last, now_ns));
        }
        record_alerts(store, scope, &events, settings.kept_days).await
    }

    /// Tells one webhook of the alerts that it has not heard of.
    async fn tell_alerts(
        &mut self,
        scope: &Scope,
        (place, endpoint): (usize, &Endpoint),
        events: &[AlertEvent],
        now_ns: u64,
    ) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let settings = self.settings.clone();
        let id = endpoint.id();
        let heard = notices(&self.store, scope, &id).await?;
        let heard: BTreeSet<(String, u32, String)> =
            heard.into_iter().map(|notice| (notice.case_id, notice.episode, notice.kind)).collect();
        let claimed = self.claimed(scope, &id, now_ns).await?;
        for event in events {
            let kind = if event.fired { Kind::Fired } else { Kind::Ended };
            let rule = settings.rules.iter().find(|rule| rule.name == event.rule);
            let meant = rule.is_none_or(|rule| rule.to.is_empty() || rule.to.contains(&endpoint.name()));
            let named = rule_id(&scope.project, &event.rule);
            let known = |kind: Kind| heard.contains(&(named.clone(), event.episode, kind.word().to_owned()));
            // Nobody needs to hear the end of what they never heard of.
            let begun = event.fired || known(Kind::Fired);
            if !meant || !begun || known(kind) || !endpoint.kinds.contains(&kind) {
                continue;
            }
            let name = (place, named, event.episode, kind);
            if self.failing.get(&name).is_some_and(|failing| failing.again > Instant::now()) {
                continue;
            }
            if !self.is_mine(scope, &id, &name, &claimed).await? {
                continue;
            }
            let message = alert(&scope.project, event, kind.word(), &time(event.at_ns));
            let message = shaped(&message, endpoint.shape);
            if let Some((delivered, attempts)) = self.send(endpoint, &name, message).await {
                let (_, case_id, episode, kind) = name;
                let kind = kind.word().to_owned();
                let kept = KeptNotice {
                    endpoint: id.clone(),
                    case_id,
                    episode,
                    kind,
                    at_ns: now_ns,
                    delivered,
                    attempts,
                };
                record_notices(&self.store, scope, &[kept], settings.kept_days).await?;
            }
        }
        Ok(())
    }

    async fn open(&self, scope: &Scope, now_ns: u64) -> Result<Vec<Case>, StoreError> {
        let (filter, order) = (CaseFilter::default(), CaseOrder::Urgency);
        let mut open = Vec::new();
        let mut after = None;
        while open.len() < CASES_PER_ROUND {
            let page =
                cases(&self.store, scope, (&filter, order), (after.as_ref(), CASES_MAX), now_ns).await?;
            open.extend(page.cases);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(open)
    }

    /// Tells one webhook what it has not heard.
    async fn tell(
        &mut self,
        scope: &Scope,
        (place, endpoint): (usize, &Endpoint),
        open: &[Case],
        now_ns: u64,
    ) -> Result<(), StoreError> {
        let id = endpoint.id();
        let mut heard: BTreeMap<(String, u32), BTreeSet<Kind>> = BTreeMap::new();
        for notice in notices(&self.store, scope, &id).await? {
            let about_alerts = notice.case_id.starts_with("alert-");
            if let Some(kind) = Kind::from_word(&notice.kind).filter(|_| !about_alerts) {
                heard.entry((notice.case_id, notice.episode)).or_default().insert(kind);
            }
        }
        let settled = self.settled(scope, &heard, open, now_ns).await?;
        let claimed = self.claimed(scope, &id, now_ns).await?;
        let mut sent = 0;
        for case in open.iter().chain(&settled) {
            let episode = episode(case);
            let told = heard.get(&(case.case_id.clone(), episode)).cloned().unwrap_or_default();
            let policy = self.settings.tools.policy(&case.tool);
            let key_ends = case.key.as_ref().and(policy.key_ends_ns(case.key_expires_ns, case.started_ns));
            for kind in due(case, &told, key_ends, endpoint.limits, now_ns) {
                let name = (place, case.case_id.clone(), episode, kind);
                let waits = self.failing.get(&name).is_some_and(|failing| failing.again > Instant::now());
                if waits || sent >= MESSAGES_PER_ROUND {
                    continue;
                }
                let wanted = endpoint.kinds.contains(&kind);
                if wanted && !self.is_mine(scope, &id, &name, &claimed).await? {
                    continue;
                }
                sent += 1;
                let delivered = match wanted {
                    true => {
                        let body = body(&scope.project, case, (kind, key_ends), now_ns);
                        self.send(endpoint, &name, shaped(&body, endpoint.shape)).await
                    }
                    // Not wanted, and remembered as told: the end of it is told to those who want that only.
                    false => Some((true, 0)),
                };
                if let Some((delivered, attempts)) = delivered {
                    let kept = KeptNotice {
                        endpoint: id.clone(),
                        case_id: case.case_id.clone(),
                        episode,
                        kind: kind.word().to_owned(),
                        at_ns: now_ns,
                        delivered,
                        attempts,
                    };
                    record_notices(&self.store, scope, &[kept], self.settings.kept_days).await?;
                }
            }
        }
        Ok(())
    }

    /// Cases that this webhook heard open and not close, and that are not open any more.
    async fn settled(
        &self,
        scope: &Scope,
        heard: &BTreeMap<(String, u32), BTreeSet<Kind>>,
        open: &[Case],
        now_ns: u64,
    ) -> Result<Vec<Case>, StoreError> {
        let open: BTreeSet<&str> = open.iter().map(|case| case.case_id.as_str()).collect();
        let unfinished = heard.iter().filter(|(_, kinds)| !kinds.contains(&Kind::Resolved));
        let ids = unfinished.map(|((case_id, _), _)| case_id).filter(|id| !open.contains(id.as_str()));
        let ids: BTreeSet<&String> = ids.collect();
        let ids: Vec<String> = ids.into_iter().cloned().collect();
        let mut settled = Vec::new();
        for ids in ids.chunks(usize::from(CASES_MAX)) {
            let filter = CaseFilter {
                states: vec![CaseState::Resolved],
                case_ids: ids.to_vec(),
                ..CaseFilter::default()
            };
            let page = (None, CASES_MAX);
            let found = cases(&self.store, scope, (&filter, CaseOrder::Age), page, now_ns).await?;
            settled.extend(found.cases);
        }
        Ok(settled)
    }

    /// Who tells a webhook what; nothing where there is one server only.
    async fn claimed(&self, scope: &Scope, endpoint: &str, now_ns: u64) -> Result<Claimed, StoreError> {
        if !self.settings.shared {
            return Ok(Claimed::new());
        }
        let claims = notice_claims(&self.store, scope, endpoint, now_ns).await?;
        let name = |claim: &NoticeClaim| (claim.case_id.clone(), claim.episode, claim.kind.clone());
        Ok(claims.into_iter().map(|claim| (name(&claim), claim)).collect())
    }

    /// Whether this server tells it: nobody else does, or who claimed it has not told it for long.
    async fn is_mine(
        &self,
        scope: &Scope,
        endpoint: &str,
        (_, case_id, episode, kind): &Name,
        claimed: &Claimed,
    ) -> Result<bool, StoreError> {
        if !self.settings.shared {
            return Ok(true);
        }
        let now_ns = (self.settings.now_ns)();
        let last = claimed.get(&(case_id.clone(), *episode, kind.word().to_owned()));
        let fresh = last.filter(|last| now_ns.saturating_sub(last.at_ns) < CLAIM_NS);
        if let Some(last) = fresh {
            return Ok(last.server == self.server);
        }
        let claim = NoticeClaim {
            case_id: case_id.clone(),
            episode: *episode,
            kind: kind.word().to_owned(),
            turn: last.map_or(0, |last| last.turn.saturating_add(1)),
            server: self.server.clone(),
            at_ns: now_ns,
        };
        claim_notice(&self.store, scope, endpoint, &claim).await
    }

    /// Whether it was delivered (or given up), after how many attempts; `None` when it is tried again.
    async fn send(&mut self, endpoint: &Endpoint, name: &Name, body: Bytes) -> Option<(bool, u32)> {
        let (_, case_id, episode, kind) = name;
        let id = format!(
            "msg_{case_id}_{episode}_{}",
            kind.word().trim_start_matches("unknown.").trim_start_matches("alert.")
        );
        let at_s = (self.settings.now_ns)() / 1_000_000_000;
        let before = self.failing.get(name).map_or(0, |failing| failing.attempts);
        let attempts = before + 1;
        let error = match self.courier.deliver(endpoint, &id, at_s, body).await {
            Ok(()) => {
                self.failing.remove(name);
                self.gauges.delivered.inc();
                return Some((true, attempts));
            }
            Err(error) => error,
        };
        self.gauges.failed.inc();
        if attempts >= ATTEMPTS_MAX {
            self.failing.remove(name);
            self.gauges.given_up.inc();
            let webhook = endpoint.name();
            tracing::error!(%webhook, %error, attempts, "a message to a webhook is given up");
            return Some((false, attempts));
        }
        tracing::warn!(webhook = %endpoint.name(), %error, attempts, "a webhook did not take a message");
        let wait = self.settings.backoff.saturating_mul(1 << before.min(20)).min(BACKOFF_MAX);
        self.failing.insert(name.clone(), Failing { attempts, again: Instant::now() + wait });
        None
    }
}

/// Sends every webhook a message that only shows that messages arrive: its name, and why it was not taken.
pub async fn try_endpoints(endpoints: &[Endpoint], now_ns: u64) -> Vec<(String, Option<String>)> {
    let courier = Courier::new();
    let mut tried = Vec::new();
    for endpoint in endpoints {
        let id = format!("msg_test_{}_{now_ns}", endpoint.id());
        let message = shaped(&message::test(&time(now_ns)), endpoint.shape);
        let sent = courier.deliver(endpoint, &id, now_ns / 1_000_000_000, message).await;
        tried.push((endpoint.name(), sent.err().map(|error| error.to_string())));
    }
    tried
}

fn time(ns: u64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns)).map(|at| at.to_string()).unwrap_or_default()
}

/// The message: what happened, and what a person or a job needs to act.
fn body(project: &Project, case: &Case, (kind, key_ends_ns): (Kind, Option<u64>), now_ns: u64) -> Value {
    let entities: Vec<String> = case.entities.iter().map(ToString::to_string).collect();
    json!({
        "type": kind.word(),
        "timestamp": time(now_ns),
        "data": {
            "project": project.0,
            "case_id": case.case_id,
            "key": case.key,
            "tool": case.tool,
            "target": case.target,
            "entities": entities,
            "run_id": case.run_id,
            "step_id": case.step_id,
            "outcome": case.outcome.word(),
            "evidence": case.evidence.word(),
            "opened_at": case.opened_ns.map(time),
            "settled_at": case.settled_ns.map(time),
            "key_expires_at": key_ends_ns.map(time),
            "value": case.value,
            "owner": case.owner,
            "attempts": case.attempt_count,
            "path": format!("/cases/{}", case.case_id),
        }
    })
}
