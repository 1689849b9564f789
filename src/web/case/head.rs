//! The head of a case: what the act is, what it was and is, and the facts around it.
use crate::domain::case::{Case, CaseState};
use crate::domain::outcome::Outcome;
use crate::domain::policy::ToolPolicy;
use crate::web::badge::Badge;
use crate::web::case::line::{age, what};
use crate::web::case::policy;
use crate::web::case::story::settled;
use crate::web::format;
use crate::web::link::Links;
use crate::web::query::Field;
use crate::web::run::head::{Fact, runs_by};
use crate::web::text::{Text, shortened};

/// The head.
#[derive(Debug)]
pub(in crate::web) struct Head {
    pub(in crate::web) title: Text,
    /// The same for the title bar.
    pub(in crate::web) plain: String,
    /// `then` and `now`, or the one state there is.
    pub(in crate::web) states: Vec<(&'static str, Badge)>,
    /// Who or what made it known.
    pub(in crate::web) by: Text,
    pub(in crate::web) facts: Vec<Fact>,
    /// The key, and its page.
    pub(in crate::web) key: Option<(Text, String)>,
    /// The first characters of its id.
    pub(in crate::web) short_id: String,
    /// The whole id.
    pub(in crate::web) case_id: String,
    /// The attempt in its run.
    pub(in crate::web) run: String,
    /// The same as JSON.
    pub(in crate::web) json: String,
}

impl Head {
    /// The head of a case.
    pub(in crate::web) fn of(case: &Case, tool: &ToolPolicy, (links, now_ns): (&Links, u64)) -> Self {
        let title = what(case);
        let found = settled(case);
        let now = Badge::outcome(case.outcome);
        let was_unknown = case.path.iter().any(|moved| moved.state == Outcome::Unknown);
        Self {
            plain: crate::web::text::plain(&title),
            title: Text::new(title),
            states: match (&found, was_unknown) {
                (Some(_), true) => vec![("then", Badge::outcome(Outcome::Unknown)), ("now", now)],
                _ => vec![("", now)],
            },
            by: Text::new(found.map(|(_, _, by)| by).unwrap_or_default()),
            facts: facts(case, tool, (links, now_ns)),
            key: case.key.as_deref().map(|key| (Text::new(shortened(key, 80)), links.key(key))),
            short_id: case.case_id.chars().take(8).collect(),
            case_id: case.case_id.clone(),
            run: links.attempt(&case.run_id, &case.span_id),
            json: links.to(&format!("/api/v1/cases/{}", crate::web::link::encoded(&case.case_id))),
        }
    }
}

fn facts(case: &Case, tool: &ToolPolicy, (links, now_ns): (&Links, u64)) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(age) = age(case, now_ns) {
        let label = if case.state.is_open() { "Unknown for" } else { "Was unknown for" };
        facts.push(Fact::new(label, age));
    }
    if let Some(value) = &case.value {
        facts.push(Fact::new("At stake", format::stake(value, 40)));
    }
    if let Some(account) = case.entities.iter().find(|entity| entity.kind == "account") {
        let mut fact = Fact::new("Account", shortened(&account.id, 60));
        fact.href = Some(links.entity(account));
        facts.push(fact);
    }
    if let Some(agent) = &case.agent {
        let mut fact = Fact::new("Agent", shortened(agent, 60));
        fact.href = Some(runs_by(links, Field::Agent, agent));
        facts.push(fact);
    }
    let mut run = Fact::new("Run", shortened(&case.run_id, 40));
    run.href = Some(links.attempt(&case.run_id, &case.span_id));
    run.more = match case.run_ids.len() {
        0 | 1 => String::new(),
        n => format!("and {} more", n - 1),
    };
    facts.push(run);
    facts.push(Fact::new("Policy", policy::words(tool, case.value.as_deref()).short));
    if case.state != CaseState::Waiting {
        let mut owner =
            Fact::new("Owner", case.owner.as_deref().map_or("nobody".to_owned(), |o| shortened(o, 60)));
        let since = case
            .owner_since_ns
            .map(|at| format!("since {} {}", format::day(at, now_ns), format::minute(at)).replace("  ", " "));
        owner.more = since.unwrap_or_default();
        facts.push(owner);
    }
    if case.state != CaseState::Resolved {
        facts.push(Fact::new("Its records", "kept while it is open"));
    }
    facts
}
