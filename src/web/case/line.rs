//! A case as one line of the queue.
use crate::domain::case::{Case, CaseState};
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::policy::{Money, ToolPolicy};
use crate::web::badge::Badge;
use crate::web::case::policy::{self, PolicyWords};
use crate::web::case::window::Window;
use crate::web::format;
use crate::web::link::Links;
use crate::web::text::{Text, sentence, shortened};

/// The line.
#[derive(Debug)]
pub(in crate::web) struct Line {
    pub(in crate::web) href: String,
    pub(in crate::web) what: Text,
    /// The account and the agent, where known.
    pub(in crate::web) account: Option<Text>,
    pub(in crate::web) agent: Option<Text>,
    /// The amount and its currency.
    pub(in crate::web) stake: Option<(String, String)>,
    /// How long it is or was unknown.
    pub(in crate::web) age: String,
    pub(in crate::web) evidence: String,
    /// Such as "10 m ago".
    pub(in crate::web) looked: String,
    pub(in crate::web) owner: Option<Text>,
    pub(in crate::web) standing: Standing,
    /// What its author saw last, for forms.
    pub(in crate::web) saw: String,
    /// The glyph beside its name.
    pub(in crate::web) glyph: &'static str,
}

/// What the last columns say.
#[derive(Debug)]
pub(in crate::web) enum Standing {
    /// It waits for somebody.
    Open {
        /// What is left of the key's window.
        window: Window,
        /// What its policy asks for.
        policy: PolicyWords,
        /// It waits for a second person only.
        pending: bool,
    },
    /// It is known.
    Settled {
        /// What it became.
        badge: Badge,
        /// By whom and how.
        by: Text,
        /// When.
        at: String,
        /// For machines.
        datetime: String,
    },
}

impl Line {
    /// The line of a case.
    pub(in crate::web) fn of(case: &Case, policy: &ToolPolicy, links: &Links, now_ns: u64) -> Self {
        let account = case.entities.iter().find(|entity| entity.kind == "account");
        Self {
            href: links.case(&case.case_id),
            what: Text::new(what(case)),
            account: account.map(|entity| Text::new(shortened(&entity.id, 40))),
            agent: case.agent.as_deref().map(|agent| Text::new(shortened(agent, 40))),
            stake: case.value.as_deref().map(stake),
            age: age(case, now_ns).unwrap_or_else(|| "–".to_owned()),
            evidence: evidence(case),
            looked: case.last_look_ns.map(|at| ago(at, now_ns)).unwrap_or_default(),
            owner: case.owner.as_deref().map(|owner| Text::new(shortened(owner, 40))),
            standing: standing(case, policy, now_ns),
            saw: saw(case),
            glyph: match case.outcome {
                Outcome::Unknown => "s-unknown",
                Outcome::Submitted => "s-submitted",
                Outcome::Confirmed => "s-confirmed",
                Outcome::Failed => "s-failed",
            },
        }
    }
}

/// What the act is: "issue_refund 40.00 EUR on order:4812".
pub(in crate::web) fn what(case: &Case) -> String {
    let mut line = shortened(&case.tool, 60);
    if let Some(value) = &case.value {
        line = format!("{line} {}", format::stake(value, 40));
    }
    match &case.target {
        Some(target) => format!("{line} on {}", shortened(target, 60)),
        None => line,
    }
}

/// The last event that a form's author has seen: the version that the form is about.
pub(in crate::web) fn saw(case: &Case) -> String {
    case.last_event_id.clone().unwrap_or_default()
}

/// How long it has been unknown, or was.
pub(in crate::web) fn age(case: &Case, now_ns: u64) -> Option<String> {
    let opened = case.opened_ns?;
    Some(format::duration(case.settled_ns.unwrap_or(now_ns).saturating_sub(opened)))
}

/// How long ago, in one unit that matters.
pub(in crate::web) fn ago(at_ns: u64, now_ns: u64) -> String {
    format!("{} ago", format::duration(now_ns.saturating_sub(at_ns)))
}

fn stake(value: &str) -> (String, String) {
    match Money::parse(value) {
        Some(money) => (format::amount(money.amount), money.currency),
        None => (shortened(value, 24), String::new()),
    }
}

/// Why it is unknown, and what was tried to find out.
pub(in crate::web) fn evidence(case: &Case) -> String {
    let first = case.path.iter().rfind(|moved| moved.state == Outcome::Unknown);
    let why = match first.map_or(case.evidence, |moved| moved.evidence) {
        Evidence::Timeout => "no answer",
        Evidence::Error => "an error that is no refusal",
        Evidence::Given => "the runtime can't tell",
        Evidence::Status => "an answer that does not say",
        Evidence::ReadBack => "a read-back that disagrees",
        Evidence::Reconcile => "a look-up that disagrees",
        Evidence::Resolution => "opened again",
    };
    let mut parts = vec![why.to_owned()];
    if case.attempt_count > 1 {
        parts.push(format::counted(case.attempt_count, "attempt", "attempts"));
    }
    let looks = format::counted(case.look_count, "look-up", "look-ups");
    parts.push(match (case.look_count, case.look_failed_count) {
        (0, _) => "no look-up yet".to_owned(),
        (1, 1) => "1 look-up, not answered".to_owned(),
        (2, 2) => "2 look-ups, neither answered".to_owned(),
        (all, failed) if all == failed => format!("{looks}, none answered"),
        (_, 0) => looks,
        (_, failed) => format!("{looks}, {} not answered", format::count(failed)),
    });
    sentence(&parts.join(", "))
}

fn standing(case: &Case, tool: &ToolPolicy, now_ns: u64) -> Standing {
    let last = case.path.last();
    match (case.state, last, case.settled_ns) {
        (CaseState::Resolved, Some(last), Some(at_ns)) => Standing::Settled {
            badge: Badge::outcome(last.state),
            by: Text::new(settled_by(last.evidence, &last.by)),
            at: format!("{} {}", format::day(at_ns, now_ns), format::minute(at_ns)).trim().to_owned(),
            datetime: format::rfc3339(at_ns),
        },
        _ => {
            let ends_ns = tool.key_ends_ns(case.key_expires_ns, case.started_ns);
            Standing::Open {
                window: Window::of(case.key.is_some(), case.started_ns, ends_ns, now_ns),
                policy: policy::words(tool, case.value.as_deref()),
                pending: case.state == CaseState::Pending,
            }
        }
    }
}

/// Who or what made it known.
pub(in crate::web) fn settled_by(evidence: Evidence, by: &str) -> String {
    let by = shortened(by, 40);
    match evidence {
        Evidence::Resolution => format!("resolved by {by}"),
        Evidence::Reconcile => format!("looked up by {by}"),
        Evidence::ReadBack => format!("read back by {by}"),
        Evidence::Status => format!("answered OK to {by}"),
        Evidence::Error => format!("refused to {by}"),
        Evidence::Given => format!("reported by {by}"),
        Evidence::Timeout => format!("waited for by {by}"),
    }
}
