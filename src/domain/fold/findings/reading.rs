//! What was noticed while reading single records, gathered over the run.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::finding::Code;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{count, list};
use crate::domain::kind::{Kind, KindSource};

/// Codes that the fold finds by itself, with its own words.
const OWN: &[Code] = &[Code::ToolUnclassified, Code::Paused, Code::DroppedByClient, Code::EndBeforeStart];

/// Findings of conventions and redaction, one of each sentence.
pub(super) fn of_records(scene: &Scene<'_>) -> Vec<Noted> {
    let mut found: BTreeMap<(Code, &str), Vec<usize>> = BTreeMap::new();
    for id in scene.received() {
        let mut here = BTreeSet::new();
        for finding in scene.nodes[id].facts().findings.iter().filter(|finding| !OWN.contains(&finding.code))
        {
            if here.insert((finding.code, finding.message.as_str())) {
                found.entry((finding.code, &finding.message)).or_default().push(id);
            }
        }
    }
    let noted = |((code, message), nodes): ((Code, &str), Vec<usize>)| {
        Noted::spans(scene, code, message.to_owned(), nodes)
    };
    found.into_iter().map(noted).collect()
}

/// Tools that count as acting because nobody said otherwise.
pub(super) fn unclassified(scene: &Scene<'_>) -> Vec<Noted> {
    let unsaid = |draft: &usize| {
        let kinds = scene.drafts[*draft].tries.iter().map(|attempt| scene.node(attempt).facts());
        kinds.clone().any(|facts| facts.kind == Kind::Act)
            && kinds.clone().all(|facts| facts.kind_source == KindSource::Default)
    };
    let acts: Vec<usize> = scene.acts().filter(unsaid).collect();
    if acts.is_empty() {
        return Vec::new();
    }
    let tools: BTreeSet<&str> = acts.iter().map(|draft| scene.tool(*draft)).collect();
    let tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
    let counts = if tools.len() == 1 { "counts" } else { "count" };
    let message = format!("Nobody classified {}, so it {counts} as acting", list(&tools, 5))
        .replace("so it count as", "so they count as");
    vec![Noted::steps(Code::ToolUnclassified, message, acts)]
}

/// What SDKs dropped before sending.
pub(super) fn dropped(scene: &Scene<'_>) -> Vec<Noted> {
    let lossy = |id: &usize| {
        let dropped = scene.nodes[*id].facts().dropped;
        dropped.attributes > 0 || dropped.events > 0 || dropped.links > 0
    };
    let nodes: Vec<usize> = scene.received().filter(lossy).collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message =
        format!("The client dropped parts of {} before sending", count(nodes.len(), "span", "spans"));
    vec![Noted::spans(scene, Code::DroppedByClient, message, nodes)]
}

/// The runtime said `failed` where no answer came.
pub(super) fn failed_is_unknown(scene: &Scene<'_>) -> Vec<Noted> {
    let acts = scene.received().filter(|id| scene.told[*id].failed_is_unknown && scene.owners.is_step(*id));
    acts.map(|id| {
        let act = scene.act_words(scene.draft_of[id]);
        let message = format!("The runtime calls {act} failed, but no answer came: it is unknown");
        Noted::spans(scene, Code::FailedIsUnknown, message, vec![id])
    })
    .collect()
}

/// A call that waits for somebody and looks like an error.
pub(super) fn paused(scene: &Scene<'_>) -> Vec<Noted> {
    let paused = scene.received().filter(|id| scene.told[*id].paused && scene.owners.is_step(*id));
    let nodes: Vec<usize> = paused.collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let message =
        format!("{} for somebody; that is no failure", count(nodes.len(), "call waited", "calls waited"));
    vec![Noted::spans(scene, Code::Paused, message, nodes)]
}
