//! The key and the gate: what identifies the effect, what was decided before the call, and who may repeat it.
use crate::domain::kind::Kind;
use crate::domain::outcome::Gate as Decision;
use crate::domain::run::Run;
use crate::web::badge::GateChip;
use crate::web::format;
use crate::web::key::parts::parts;
use crate::web::link::Links;
use crate::web::run::head::Fact;
use crate::web::run::view::Look;
use crate::web::text::{Text, shortened};

/// The pane.
#[derive(Debug)]
pub(in crate::web) struct Gate {
    /// The key in its parts, each with what it stands for; one part without a name when its form is not ours.
    pub(in crate::web) key: Vec<(Text, &'static str)>,
    /// The page of the key.
    pub(in crate::web) key_href: Option<String>,
    /// What is said where there is no key.
    pub(in crate::web) no_key: &'static str,
    /// The decision.
    pub(in crate::web) chip: Option<GateChip>,
    /// What the decision means.
    pub(in crate::web) meaning: &'static str,
    /// Epoch, worker, window, policy.
    pub(in crate::web) facts: Vec<Fact>,
}

impl Gate {
    /// The pane of what is looked at.
    pub(in crate::web) fn of(run: &Run, look: &Look<'_>, (links, now_ns): (&Links, u64)) -> Self {
        let facts = &look.attempt.record.facts;
        let is_act = look.step.kind == Kind::Act;
        let key = facts.key.as_deref().or(look.step.key.as_deref());
        Self {
            key: key.map(|key| parts(key, &[&run.run_id])).unwrap_or_default(),
            key_href: key.filter(|_| is_act).map(|key| links.key(key)),
            no_key: match (key, is_act) {
                (Some(_), _) => "",
                (None, true) => "No idempotency key was sent, so nothing could recognise a repeat.",
                (None, false) => "Only acts need an idempotency key: repeating this changes nothing.",
            },
            chip: is_act.then(|| GateChip::of(facts.gate)),
            meaning: if is_act { meaning(facts.gate) } else { "" },
            facts: about(look, now_ns),
        }
    }
}

fn meaning(gate: Decision) -> &'static str {
    match gate {
        Decision::New => "no earlier record under this key: the call went out",
        Decision::Duplicate => "done before: the call was held and the first result given back",
        Decision::Unknown => "an earlier attempt's outcome was unknown: the call was held",
        Decision::None => "no gate reported a decision",
    }
}

fn about(look: &Look<'_>, now_ns: u64) -> Vec<Fact> {
    let facts = &look.attempt.record.facts;
    let mut about = Vec::new();
    for (label, value) in [("Tool", facts.tool.as_deref()), ("Target", facts.target.as_deref())] {
        about.extend(value.map(|value| Fact::new(label, shortened(value, 200))));
    }
    if let Some(epoch) = facts.epoch {
        about.push(Fact::new("Epoch", epoch.to_string()));
    }
    about.extend(facts.worker.as_deref().map(|worker| Fact::new("Worker", shortened(worker, 120))));
    if let Some(until) = facts.key_expires_ns {
        let mut fact = Fact::new("Provider keeps the key", format!("until {} UTC", format::moment(until)));
        fact.more = match until.checked_sub(now_ns) {
            Some(left) => format!("{} left", format::duration(left)),
            None => "over: sending again would count as new".to_owned(),
        };
        about.push(fact);
    }
    for (label, value) in [
        ("Policy", facts.policy_version.as_deref()),
        ("Approved by", facts.approver.as_deref()),
        ("Undoes", facts.compensates.as_deref()),
    ] {
        about.extend(value.map(|value| Fact::new(label, shortened(value, 200))));
    }
    about
}
