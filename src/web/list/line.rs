//! One run as a line of the list.
use crate::domain::cost::Cost;
use crate::domain::finding::{Code, Severity};
use crate::domain::outcome::Outcome;
use crate::domain::run::{RunState, Whole};
use crate::domain::summary::RunSummary;
use crate::web::badge::{Badge, Signal};
use crate::web::format;
use crate::web::link::Links;
use crate::web::text::{Text, plain, shortened};

/// The line.
#[derive(Debug)]
pub(in crate::web) struct Line {
    pub(in crate::web) href: String,
    pub(in crate::web) title: Text,
    pub(in crate::web) id: Text,
    /// The whole id, for choosing the run; `None` where it holds what can't be seen.
    pub(in crate::web) pick: Option<String>,
    pub(in crate::web) badge: Badge,
    pub(in crate::web) signals: Vec<Signal>,
    pub(in crate::web) account: Option<(Text, String)>,
    pub(in crate::web) agent: Text,
    pub(in crate::web) version: Text,
    pub(in crate::web) model: Text,
    pub(in crate::web) took: String,
    pub(in crate::web) tokens: String,
    pub(in crate::web) cost: String,
    pub(in crate::web) at: String,
    pub(in crate::web) day: String,
    /// The whole time, for machines.
    pub(in crate::web) datetime: String,
}

impl Line {
    /// The line of a run; `by_account` writes the address of an account's runs.
    pub(in crate::web) fn of(
        run: &RunSummary,
        cost: Option<Cost>,
        (links, by_account): (&Links, impl Fn(&str) -> String),
        now_ns: u64,
    ) -> Self {
        let title = if run.name.is_empty() { &run.run_id } else { &run.name };
        let account = run.entities.iter().find_map(|entity| entity.strip_prefix("account:"));
        let models: Vec<&str> = run.models.iter().map(String::as_str).take(2).collect();
        Self {
            href: links.run(&run.run_id),
            title: Text::new(shortened(title, 120)),
            id: Text::new(shortened(&run.run_id, 40)),
            pick: (plain(&run.run_id) == run.run_id).then(|| run.run_id.clone()),
            badge: effects(run),
            signals: signals(run),
            account: account.map(|id| (Text::new(shortened(id, 40)), by_account(id))),
            agent: Text::new(shortened(
                run.agent.as_deref().or(run.service.as_deref()).unwrap_or_default(),
                40,
            )),
            version: Text::new(shortened(run.agent_version.as_deref().unwrap_or_default(), 20)),
            model: Text::new(shortened(&models.join(", "), 60)),
            took: took(run, now_ns),
            tokens: match (run.tokens_in, run.tokens_out) {
                (None, None) => "–".to_owned(),
                (read, written) => {
                    format::count(read.unwrap_or_default().saturating_add(written.unwrap_or_default()))
                }
            },
            cost: cost.map_or_else(|| "–".to_owned(), |cost| format::dollars(cost.usd)),
            at: format::clock(run.started_ns),
            day: format::day(run.started_ns, now_ns),
            datetime: format::rfc3339(run.started_ns),
        }
    }
}

/// The effects of a run in a word: the worst open outcome, and how many of how many.
fn effects(run: &RunSummary) -> Badge {
    let all = run.acts_confirmed + run.acts_failed + run.acts_unknown + run.acts_submitted;
    if run.finding_codes.contains(&Code::DoubleEffect) {
        return Badge::finding("made twice");
    }
    match Outcome::from_word(run.outcome) {
        Some(Outcome::Unknown) => {
            Badge::saying(Outcome::Unknown, format!("{} of {all} unknown", run.acts_unknown))
        }
        Some(Outcome::Failed) => {
            Badge::saying(Outcome::Failed, format!("{} of {all} failed", run.acts_failed))
        }
        Some(Outcome::Submitted) => {
            Badge::saying(Outcome::Submitted, format!("{} of {all} so far", run.acts_confirmed))
        }
        Some(Outcome::Confirmed) => {
            Badge::saying(Outcome::Confirmed, format!("{} of {all}", run.acts_confirmed))
        }
        None if run.act_count > 0 => Badge::none("nothing sent"),
        None => Badge::none("no effects"),
    }
}

fn signals(run: &RunSummary) -> Vec<Signal> {
    let mut signals = Vec::new();
    if run.acts_resolved > 0 {
        let were = format::counted(run.acts_resolved, "was unknown", "were unknown");
        signals.push(Signal::plain("human", format!("{were}, resolved")));
    }
    if run.retry_count > 0 {
        signals.push(Signal::plain("retry", format::counted(run.retry_count, "retry", "retries")));
    }
    if run.reconcile_count > 0 {
        signals.push(Signal::plain("reconcile", format::counted(run.reconcile_count, "look-up", "look-ups")));
    }
    let found = run.finding_codes.iter().filter(|code| code.severity() > Severity::Info).count();
    if found > 0 {
        signals.push(Signal::warn("flag", format::counted(format::length(found), "finding", "findings")));
    }
    if run.complete == Whole::No {
        signals.push(Signal::warn("gap", "record has gaps"));
    }
    signals.truncate(3);
    signals
}

fn took(run: &RunSummary, now_ns: u64) -> String {
    let until = |end: u64| format::duration(end.saturating_sub(run.started_ns));
    match (run.state, run.ended_ns) {
        (RunState::Running, _) => format!("{}…", until(now_ns)),
        (RunState::Ended | RunState::Lost, Some(end)) => until(end),
        (RunState::Ended | RunState::Lost, None) => "–".to_owned(),
    }
}
