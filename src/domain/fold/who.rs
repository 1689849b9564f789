//! Who a run was for and by: ids found anywhere in its traces, the ones nearest to the top first.
use std::collections::BTreeSet;

use crate::domain::fold::scene::Scene;
use crate::domain::kind::Kind;
use crate::domain::record::Record;
use crate::domain::step::Facts;

/// Identity of a run.
pub(super) struct Who {
    pub(super) session_id: Option<String>,
    pub(super) user_id: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) agent_version: Option<String>,
    pub(super) service: Option<String>,
    pub(super) environment: Option<String>,
    pub(super) name: String,
    pub(super) workers: Vec<String>,
}

impl Who {
    /// Finds it.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let nodes = &scene.from_top;
        let facts = || nodes.iter().map(|id| scene.nodes[*id].facts());
        let agents = || nodes.iter().filter(|id| scene.nodes[**id].kind == Kind::Agent).copied();
        let agent =
            agents().find_map(|id| named(scene.nodes[id].facts())).or_else(|| facts().find_map(named));
        // The outermost agent names the run, else the outermost span: the same in any order of arrival.
        let name = agents().chain(nodes.iter().copied()).map(|id| &scene.nodes[id].facts().name);
        let name = name.filter(|name| !name.is_empty()).map(String::as_str).next().unwrap_or_default();
        Self {
            session_id: facts()
                .find_map(|facts| facts.session_id.clone())
                .or(scene.around.session_id.clone()),
            user_id: facts().find_map(|facts| facts.user_id.clone()).or(scene.around.user_id.clone()),
            agent: agent.as_ref().map(|(agent, _)| agent.clone()),
            agent_version: agent.and_then(|(_, version)| version),
            service: facts().find_map(|facts| facts.service.clone()),
            environment: facts().find_map(|facts| facts.environment.clone()),
            name: name.to_owned(),
            workers: workers(scene),
        }
    }
}

/// Every value that any record of the run gives for one fact, the one that counts first.
pub(super) fn given<'a>(scene: &'a Scene<'_>, fact: fn(&Facts) -> Option<&str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let records = scene.from_top.iter().flat_map(|id| {
        let node = &scene.nodes[*id];
        std::iter::once(node.record.as_ref())
            .chain(node.versions.iter().copied())
            .chain(node.logs.iter().copied())
    });
    records.filter_map(|record: &Record| fact(&record.facts)).filter(|value| seen.insert(*value)).collect()
}

fn named(facts: &Facts) -> Option<(String, Option<String>)> {
    facts.agent.clone().map(|agent| (agent, facts.agent_version.clone()))
}

fn workers(scene: &Scene<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let workers = scene.received().filter_map(|id| scene.nodes[id].facts().worker.as_deref());
    workers.filter(|worker| seen.insert(*worker)).map(str::to_owned).collect()
}
