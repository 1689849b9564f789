//! What the acts of a run did to the world: acts with one intent grouped, effects counted once each.
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::fold::draft::Try;
use crate::domain::fold::scene::Scene;
use crate::domain::ids::Digest;
use crate::domain::kind::KindSource;
use crate::domain::outcome::Outcome;

/// Acts that mean one effect: the same tool on the same target, saying the same.
#[derive(Debug)]
pub(super) struct Effect {
    /// The steps, in order of start.
    pub(super) drafts: Vec<usize>,
    /// How often it took effect.
    pub(super) done: usize,
    /// How often it may have as well.
    pub(super) maybe: usize,
}

/// What makes two acts the same intent, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Saying<'a> {
    Unknown,
    Value(&'a str),
    Arguments(Digest),
}

/// On what an act is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    Target(&'a str),
    /// No target; whatever its arguments name.
    Arguments(Digest),
}

/// Groups the acts that were sent, in order of their first attempt.
pub(super) fn effects(scene: &Scene<'_>) -> Vec<Effect> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut buckets: HashMap<(&str, Place<'_>), BTreeMap<Saying<'_>, Vec<usize>>> = HashMap::new();
    for draft in scene.acts().filter(|draft| scene.sent(*draft).next().is_some()) {
        let (place, saying) = intent(scene, draft);
        match place {
            Some(place) => {
                buckets.entry((scene.tool(draft), place)).or_default().entry(saying).or_default().push(draft);
            }
            None => groups.push(vec![draft]),
        }
    }
    for mut sayings in buckets.into_values() {
        // An act whose arguments nobody told is the same as the others, when these agree among themselves.
        let silent = sayings.remove(&Saying::Unknown).unwrap_or_default();
        match sayings.len() {
            1 => groups.extend(sayings.into_values().map(|drafts| [drafts, silent.clone()].concat())),
            _ => groups.extend(sayings.into_values().chain([silent])),
        }
    }
    let first = |draft: usize| scene.drafts[draft].first().map(|id| scene.nodes[id].order());
    let mut effects: Vec<Effect> = groups
        .into_iter()
        .filter(|drafts| !drafts.is_empty())
        .map(|mut drafts| {
            drafts.sort_by_key(|draft| first(*draft));
            let (done, maybe) = count(scene, &drafts);
            Effect { drafts, done, maybe }
        })
        .collect();
    effects.sort_by_key(|effect| effect.drafts.first().map(|draft| first(*draft)));
    effects
}

/// On what an act is and what it says. Without a target only tools that somebody classified are compared:
/// `next_page` may run ten times with the same arguments.
fn intent<'a>(scene: &'a Scene<'_>, draft: usize) -> (Option<Place<'a>>, Saying<'a>) {
    let tries = &scene.drafts[draft].tries;
    let value = tries.iter().find_map(|attempt| scene.node(attempt).facts().value.as_deref());
    let arguments = tries.iter().rev().find_map(|attempt| scene.joined.arguments(&scene.nodes, attempt.node));
    let saying = match (value, arguments) {
        (Some(value), _) => Saying::Value(value),
        (None, Some(arguments)) => Saying::Arguments(arguments),
        (None, None) => Saying::Unknown,
    };
    let classified = |attempt: &Try| match scene.node(attempt).facts().kind_source {
        KindSource::Given | KindSource::Rule => true,
        KindSource::Convention | KindSource::Inferred | KindSource::Default => false,
    };
    let place = match scene.target(draft) {
        Some(target) => Some(Place::Target(target)),
        None if tries.iter().any(classified) => arguments.map(Place::Arguments),
        None => None,
    };
    (place, saying)
}

/// How often the acts took effect, and how often they may have as well. One key or one downstream id is one
/// effect.
fn count(scene: &Scene<'_>, drafts: &[usize]) -> (usize, usize) {
    let mut keys = BTreeSet::new();
    let mut downstream = BTreeSet::new();
    let mut done = 0;
    let tries = || drafts.iter().flat_map(|draft| scene.sent(*draft));
    for attempt in tries().filter(|attempt| attempt.effective() == Some(Outcome::Confirmed)) {
        let facts = scene.node(attempt).facts();
        let same_key = facts.key.as_ref().is_some_and(|key| !keys.insert(key));
        let same_effect = facts.downstream_id.as_ref().is_some_and(|id| !downstream.insert(id));
        done += usize::from(!same_key && !same_effect);
    }
    // What was answered and not seen done counts as well: it most likely happened.
    let open = tries().filter(|attempt| attempt.effective().is_some_and(Outcome::blocks_retry));
    let maybe = open
        .filter(|attempt| scene.node(attempt).facts().key.as_ref().is_none_or(|key| keys.insert(key)))
        .count();
    (done, maybe)
}
