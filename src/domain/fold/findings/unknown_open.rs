//! `unknown-open`: nobody has found out what became of an act.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::count;
use crate::domain::outcome::Outcome;

pub(super) const RULE: Rule = Rule {
    code: Code::UnknownOpen,
    about: About {
        title: "Unknown, not settled",
        means: "The outcome of this act is unknown, and nobody has found it out or closed its case.",
        matters: "Until somebody asks the receiving system, nobody can say whether it happened, and no \
                   repeat is safe.",
        remedy: "Look it up by its key or target, and report the look-up as a reconcile step with \
                  recount.step.verifies; or resolve the case with evidence.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.acts().filter(|draft| !scene.drafts[*draft].resolved) {
        let unknown = scene.sent(draft).filter(|attempt| attempt.effective() == Some(Outcome::Unknown));
        let nodes: Vec<usize> = unknown.map(|attempt| attempt.node).collect();
        let Some(first) = nodes.first() else { continue };
        let node = &scene.nodes[*first];
        let since = node.end.unwrap_or(node.start);
        let looks = match scene.drafts[draft].looked_up {
            0 => "nobody has looked it up".to_owned(),
            looks => format!("{} did not settle it", count(looks, "look-up", "look-ups")),
        };
        let message = format!("{} is unknown; {looks}", scene.act_words(draft));
        noted.push(Noted::spans(scene, Code::UnknownOpen, message, nodes).since(since));
    }
    noted
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{SECOND, START, a_run, check};
    use crate::domain::outcome::Outcome::{Confirmed, Failed};

    #[test]
    fn fires_until_somebody_finds_out() {
        let lost = || a_run().act("refund").step("s").on("order:1").key("k").times_out();
        check(
            Code::UnknownOpen,
            vec![
                ("no answer", lost()),
                ("a look-up that found nothing out", lost().reconcile("find", None).verifies("s")),
                ("a look-up that was refused", lost().reconcile("find", None).verifies("s").status(401)),
                ("sent, and its deadline has passed", a_run().act("refund").never_ends().now(3_600)),
            ],
            vec![
                ("looked up, there", lost().reconcile("find", Some(Confirmed)).verifies("s")),
                ("looked up, not there", lost().reconcile("find", Some(Failed)).verifies("s")),
                ("resolved", lost().resolved(60, "s", Failed)),
                ("confirmed under the same key", lost().act("refund").step("s").key("k").on("order:1")),
                ("sent, still within its deadline", a_run().act("refund").never_ends().now(60)),
                ("a read", a_run().read("get").times_out()),
            ],
        );
        let run = lost().fold();
        let found = run.findings.iter().find(|finding| finding.code == Code::UnknownOpen).unwrap();
        assert_eq!(found.since_ns, Some(START + 30 * SECOND));
    }
}
