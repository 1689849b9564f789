//! `proposed-not-executed`: the model proposed a call, went on, and the call never ran.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;
use crate::domain::kind::Kind;
use crate::domain::run::RunState;

pub(super) const RULE: Rule = Rule {
    code: Code::ProposedNotExecuted,
    about: About {
        title: "Proposed, not executed",
        means: "The model proposed a call that was never executed, in a run whose calls are recorded.",
        matters: "The model may go on as if it had been done. Or it ran where nothing is recorded.",
        remedy: "Answer every proposed call, also one that policy refuses, and instrument every tool.",
    },
    find: Find::Run(find),
};

/// Calls that frameworks use for themselves: they end the run or hand over, no tool runs.
const NEVER_EXECUTED: &[&str] =
    &["final_result", "final_answer", "transfer_to_", "handoff_to_", "structured_output"];

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    if scene.joined.executed.is_empty() || scene.state() == RunState::Running {
        return Vec::new();
    }
    // An agent offered as a tool runs as an agent.
    let agents: BTreeSet<&str> = scene
        .received()
        .filter(|id| scene.nodes[*id].kind == Kind::Agent)
        .flat_map(|id| [scene.nodes[id].facts().tool.as_deref(), scene.nodes[id].facts().agent.as_deref()])
        .flatten()
        .collect();
    let mut missing: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for think in scene.thinks() {
        for (place, proposal) in scene.nodes[think].record.proposed.iter().enumerate() {
            let tool = proposal.call.tool.as_str();
            let own = NEVER_EXECUTED.iter().any(|prefix| tool.starts_with(prefix));
            let agent = agents.contains(tool);
            if !own && !agent && !scene.joined.executed.contains(&(think, place)) {
                missing.entry(think).or_default().push(tool.to_owned());
            }
        }
    }
    missing
        .into_iter()
        .map(|(think, tools)| {
            let was = if tools.len() == 1 { "was" } else { "were" };
            let message = format!("{} {was} proposed and never executed", list(&tools, 3));
            Noted::spans(scene, Code::ProposedNotExecuted, message, vec![think])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_where_other_calls_are_recorded() {
        let proposed = || a_run().think().proposes("refund", "c1", "a");
        check(
            Code::ProposedNotExecuted,
            vec![("one of two ran", proposed().proposes("mail", "c2", "b").act("refund").call("c1"))],
            vec![
                ("it ran", proposed().act("refund").call("c1")),
                ("no tool is recorded at all", proposed()),
                (
                    "a framework's own call",
                    proposed().proposes("final_result", "c2", "b").act("refund").call("c1"),
                ),
                (
                    "it still runs",
                    proposed().proposes("mail", "c2", "b").act("refund").call("c1").never_ends().now(60),
                ),
            ],
        );
    }
}
