//! `stale-epoch`: an act was sent under an epoch lower than one that had already begun.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;

pub(super) const RULE: Rule = Rule {
    code: Code::StaleEpoch,
    about: About {
        title: "Stale worker",
        means: "A worker sent an act under an epoch lower than one already seen: it had lost the run to \
                 another worker and went on.",
        matters: "It may undo or repeat what the new owner decided. An idempotency key does not stop it \
                   when both do different things.",
        remedy: "Fence: give every lease a rising epoch, send it with each write, and let the receiving \
                  system refuse lower ones. Stop a worker that lost its lease before its next call.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    let mut highest: Option<u64> = None;
    for id in scene.received() {
        let node = &scene.nodes[id];
        let Some(epoch) = node.facts().epoch else { continue };
        let sent = node.kind == Kind::Act && scene.owners.is_step(id) && !node.facts().gate.held();
        if let Some(seen) = highest.filter(|seen| sent && epoch < *seen) {
            let draft = scene.draft_of[id];
            let worker = node.facts().worker.as_deref().unwrap_or("A worker");
            let refused = scene.told[id].outcome == Some(Outcome::Failed);
            let message = format!(
                "{worker} sent {} under epoch {epoch} after epoch {seen} had begun{}",
                scene.act_words(draft),
                if refused { "; it was refused" } else { "" }
            );
            noted.push(Noted::spans(scene, Code::StaleEpoch, message, vec![id]));
        }
        highest = highest.max(Some(epoch));
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check, message};
    use crate::domain::outcome::Gate;

    #[test]
    fn fires_on_writes_by_who_lost_the_run() {
        let taken = || a_run().act("deploy").worker("w-a", 1).at(10).act("rollback").worker("w-b", 2).at(20);
        check(
            Code::StaleEpoch,
            vec![
                ("the first goes on", taken().act("promote").worker("w-a", 1)),
                ("and is refused", taken().act("promote").worker("w-a", 1).status(409)),
            ],
            vec![
                ("the new owner goes on", taken().act("promote").worker("w-b", 2)),
                ("handed back with a new epoch", taken().act("promote").worker("w-a", 3)),
                ("its gate held it", taken().act("promote").worker("w-a", 1).gate(Gate::Unknown)),
                ("it only reads", taken().read("status").worker("w-a", 1)),
                ("no epochs at all", a_run().act("a").act("b")),
            ],
        );
        let refused = taken().act("promote").worker("w-a", 1).status(409).fold();
        assert_eq!(
            message(&refused, Code::StaleEpoch),
            "w-a sent promote under epoch 1 after epoch 2 had begun; it was refused"
        );
    }
}
