//! `workers-interleave`: a worker went on after another had taken over, or two did one step at once.
use std::collections::BTreeMap;

use crate::domain::finding::Code;
use crate::domain::fold::draft::Try;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

pub(super) const RULE: Rule = Rule {
    code: Code::WorkersInterleave,
    about: About {
        title: "Two workers at once",
        means: "A worker went on in the run after another had taken over, without a newer epoch of its \
                 own; or two workers were busy with one step at the same time.",
        matters: "Both decide from what they know, and one of them knows an old state. What one does, \
                   the other may undo.",
        remedy: "Give the run one owner at a time: a lease with a rising epoch, checked before every \
                  act.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    if let Some((first, back)) = back(scene).split_first() {
        let worker = scene.nodes[*first].facts().worker.as_deref().unwrap_or_default();
        let message = format!("{worker} went on after another worker had taken over");
        let nodes = [first].into_iter().chain(back).copied().collect();
        noted.push(Noted::spans(scene, Code::WorkersInterleave, message, nodes));
    }
    noted.extend(scene.acts().filter_map(|draft| both_at_once(scene, draft)));
    noted
}

/// Work of a worker that another one had taken over from. Only epochs tell: without them a pool of workers
/// that share the work of one scheduler looks the same.
fn back(scene: &Scene<'_>) -> Vec<usize> {
    let mut back: Vec<usize> = Vec::new();
    // By agent: sub-agents may run elsewhere at the same time.
    let mut last: BTreeMap<Option<&str>, (&str, Option<u64>)> = BTreeMap::new();
    let mut seen: BTreeMap<(Option<&str>, &str), Option<u64>> = BTreeMap::new();
    for id in scene.received() {
        let node = &scene.nodes[id];
        let facts = node.facts();
        let Some(worker) = facts.worker.as_deref().filter(|_| node.is_work() && scene.owners.is_step(id))
        else {
            continue;
        };
        let agent = facts.agent.as_deref();
        let other = last.get(&agent).filter(|(before, _)| *before != worker).copied();
        if let Some((_, epoch)) = other.filter(|_| seen.contains_key(&(agent, worker))) {
            let fenced = facts.epoch.is_some() || epoch.is_some();
            let newer = facts.epoch.is_some() && facts.epoch > epoch;
            if fenced && !newer {
                back.push(id);
            }
        }
        last.insert(agent, (worker, facts.epoch));
        seen.insert((agent, worker), facts.epoch);
    }
    back
}

/// Attempts of one step by two workers, of which the second began before the first had ended.
fn both_at_once(scene: &Scene<'_>, draft: usize) -> Option<Noted> {
    let mut tries: Vec<&Try> = scene.sent(draft).collect();
    tries.sort_by_key(|attempt| scene.node(attempt).start);
    let (before, after) = tries.iter().zip(tries.iter().skip(1)).find(|(before, after)| {
        let (first, second) = (scene.node(before), scene.node(after));
        let workers = first.facts().worker.as_deref().zip(second.facts().worker.as_deref());
        // One that never ended was killed as likely as not.
        workers.is_some_and(|(a, b)| a != b) && first.end.is_some_and(|end| second.start < end)
    })?;
    let workers = [before, after].map(|attempt| scene.node(attempt).facts().worker.as_deref());
    let [first, second] = workers.map(Option::unwrap_or_default);
    let message = format!("{first} and {second} were sending {} at the same time", scene.act_words(draft));
    Some(Noted::spans(scene, Code::WorkersInterleave, message, vec![before.node, after.node]))
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};
    use crate::domain::step::Facts;

    #[test]
    fn fires_on_two_owners_and_not_on_a_pool() {
        let worker = |name: &'static str| move |facts: &mut Facts| facts.worker = Some(name.to_owned());
        let taken = || a_run().act("a").worker("w-a", 1).act("b").worker("w-b", 2);
        let numbered = |seconds| {
            let first = a_run().act("a").step("s").attempt(1).with(worker("w-a")).lasts(10);
            first.at(seconds).act("a").step("s").attempt(2).with(worker("w-b"))
        };
        check(
            Code::WorkersInterleave,
            vec![
                ("back with its old epoch", taken().act("c").worker("w-a", 1)),
                ("both on one step at once", numbered(5)),
            ],
            vec![
                ("handed back with a new epoch", taken().act("c").worker("w-a", 3)),
                ("taken over once", taken().act("c").worker("w-b", 2)),
                ("a retry by another worker", numbered(20)),
                (
                    "a pool without epochs",
                    a_run()
                        .act("a")
                        .with(worker("w-a"))
                        .act("b")
                        .with(worker("w-b"))
                        .act("c")
                        .with(worker("w-a")),
                ),
            ],
        );
    }
}
