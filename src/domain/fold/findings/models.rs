//! Between model and tools: what was proposed, what was executed, and what the model was shown.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::finding::Code;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::proposals::is_bare;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{count, list};
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::RunState;

/// Calls that frameworks use for themselves: they end the run or hand over, no tool runs.
const NEVER_EXECUTED: &[&str] =
    &["final_result", "final_answer", "transfer_to_", "handoff_to_", "structured_output"];

/// The model or its parameters were other ones on a later attempt.
pub(super) fn changed(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.drafts.ids().filter(|draft| scene.drafts[*draft].tries.len() > 1) {
        let thinks: Vec<usize> = scene.drafts[draft]
            .tries
            .iter()
            .filter_map(|attempt| match scene.drafts[draft].kind {
                Kind::Think => Some(attempt.node),
                Kind::Read | Kind::Act | Kind::Reconcile => {
                    scene.joined.by_node[attempt.node].map(|(think, _)| think)
                }
                Kind::Wait | Kind::Agent | Kind::Transport | Kind::Other => None,
            })
            .collect();
        let facts = || thinks.iter().map(|think| scene.nodes[*think].facts());
        let asked = |think: usize| {
            let facts = scene.nodes[think].facts();
            facts.model_requested.as_ref().or(facts.model.as_ref()).cloned()
        };
        let models: BTreeSet<String> = thinks.iter().filter_map(|think| asked(*think)).collect();
        if models.len() > 1 {
            let names: Vec<String> = models.into_iter().collect();
            let message = format!("Attempts of {} used {}", scene.act_words(draft), list(&names, 3));
            noted.push(Noted::steps(Code::ModelChanged, message, vec![draft]));
        }
        let told = || facts().map(|facts| &facts.parameters).filter(|parameters| !parameters.is_empty());
        if told().any(|parameters| Some(parameters) != told().next()) {
            let message = format!("Attempts of {} used different parameters", scene.act_words(draft));
            noted.push(Noted::steps(Code::ParametersChanged, message, vec![draft]));
        }
    }
    noted
}

/// The model proposed a call, went on, and the call never ran. Only where calls are recorded at all.
pub(super) fn proposed_not_executed(scene: &Scene<'_>) -> Vec<Noted> {
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
    for think in scene.received().filter(|id| is_think(scene, *id)) {
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
            let message = format!("{} {} proposed and never executed", list(&tools, 3), was(tools.len()));
            Noted::spans(scene, Code::ProposedNotExecuted, message, vec![think])
        })
        .collect()
}

/// An act ran that no model call proposed, in a run whose model calls all tell what they proposed.
pub(super) fn executed_not_proposed(scene: &Scene<'_>) -> Vec<Noted> {
    let thinks = || scene.received().filter(|id| is_think(scene, *id));
    let tells = |id: usize| {
        let node = &scene.nodes[id];
        !node.record.output.is_empty() || !node.record.proposed.is_empty() || node.erred()
    };
    let proposes = thinks().any(|id| !scene.nodes[id].record.proposed.is_empty());
    if !proposes || !thinks().all(tells) {
        return Vec::new();
    }
    let alone = |draft: &usize| {
        let tries = &scene.drafts[*draft].tries;
        tries.iter().all(|attempt| scene.joined.by_node[attempt.node].is_none())
            && scene.sent(*draft).next().is_some()
    };
    let acts: Vec<usize> = scene.acts().filter(alone).collect();
    let noted = |draft: usize| {
        let message = format!("{} was executed, and no model call proposed it", scene.act_words(draft));
        Noted::steps(Code::ExecutedNotProposed, message, vec![draft])
    };
    acts.into_iter().map(noted).collect()
}

/// What ran is not what was proposed.
pub(super) fn arguments_differ(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for id in scene.received().filter(|id| scene.nodes[*id].is_tool() && scene.owners.is_step(*id)) {
        let Some(proposal) = scene.joined.proposal(&scene.nodes, id) else { continue };
        let record = &scene.nodes[id].record;
        let differ = match (proposal.arguments_canonical, record.arguments_canonical) {
            (Some(proposed), Some(executed)) => proposed != executed && !is_bare(record),
            _ => !proposal.call.complete && record.arguments.is_some(),
        };
        if differ {
            let message =
                format!("{} ran with other arguments than proposed", scene.act_words(scene.draft_of[id]));
            let think = scene.joined.by_node[id].map(|(think, _)| think);
            noted.push(Noted::spans(
                scene,
                Code::ArgumentsDiffer,
                message,
                [id].into_iter().chain(think).collect(),
            ));
        }
    }
    noted
}

/// The arguments of a proposed call were cut off.
pub(super) fn proposal_incomplete(scene: &Scene<'_>) -> Vec<Noted> {
    let cut = |id: &usize| scene.nodes[*id].record.proposed.iter().any(|proposal| !proposal.call.complete);
    let thinks: Vec<usize> = scene.received().filter(|id| is_think(scene, *id)).filter(cut).collect();
    thinks
        .into_iter()
        .map(|id| {
            let proposed = scene.nodes[id].record.proposed.iter().filter(|proposal| !proposal.call.complete);
            let tools: Vec<String> = proposed.map(|proposal| proposal.call.tool.clone()).collect();
            let message = format!("The proposed arguments of {} were cut off", list(&tools, 3));
            Noted::spans(scene, Code::ProposalIncomplete, message, vec![id])
        })
        .collect()
}

/// An act's outcome was unknown, and the model was handed the error as it came, to make of it what it will.
pub(super) fn raw_error_shown(scene: &Scene<'_>) -> Vec<Noted> {
    let last_think = scene.received().filter(|id| is_think(scene, *id)).map(|id| scene.nodes[id].start).max();
    let mut noted = Vec::new();
    for draft in scene.acts() {
        let raw = |node: &usize| {
            let record = &scene.nodes[*node].record;
            let Some(shown) = record.result.as_ref().map(|result| result.preview.trim()) else {
                return false;
            };
            let error = record.facts.error.as_ref().map(|error| error.message.trim()).unwrap_or_default();
            let told = !error.is_empty() && shown.contains(first_words(error));
            let worded = shown.to_ascii_lowercase().starts_with("error") || told;
            let after = last_think.is_some_and(|think| think >= scene.nodes[*node].start);
            worded && after && !shown.starts_with('{')
        };
        let unknown = scene.sent(draft).filter(|attempt| attempt.outcome == Some(Outcome::Unknown));
        let shown: Vec<usize> = unknown.map(|attempt| attempt.node).filter(raw).collect();
        if !shown.is_empty() {
            let message = format!("The model was shown the raw error of {}", scene.act_words(draft));
            noted.push(Noted::spans(scene, Code::RawErrorShown, message, shown));
        }
    }
    noted
}

/// Model calls that came without what the model saw.
pub(super) fn snapshot_missing(scene: &Scene<'_>) -> Vec<Noted> {
    let bare = |id: &usize| {
        let node = &scene.nodes[*id];
        node.record.context.is_empty() && node.facts().context_ref.is_none()
    };
    let thinks: Vec<usize> = scene.received().filter(|id| is_think(scene, *id)).filter(bare).collect();
    if thinks.is_empty() {
        return Vec::new();
    }
    let message =
        format!("{} came without what the model saw", count(thinks.len(), "model call", "model calls"));
    vec![Noted::spans(scene, Code::SnapshotMissing, message, thinks)]
}

fn is_think(scene: &Scene<'_>, id: usize) -> bool {
    scene.nodes[id].kind == Kind::Think && scene.owners.is_step(id)
}

fn was(number: usize) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

/// Enough of an error's text to recognise it, cut at a character.
fn first_words(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}
