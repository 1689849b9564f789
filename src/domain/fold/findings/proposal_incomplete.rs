//! `proposal-incomplete`: the arguments of a proposed call were cut off.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::list;

pub(super) const RULE: Rule = Rule {
    code: Code::ProposalIncomplete,
    about: About {
        title: "Proposal cut off",
        means: "The proposed arguments were cut off in the stream, for example by a token limit.",
        matters: "A runtime that completes or ignores the rest executes what nobody proposed.",
        remedy: "Refuse calls whose arguments are not complete JSON, and ask again before anything is \
                  sent.",
    },
    find: Find::Run(find),
};

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let cut = |id: &usize| scene.nodes[*id].record.proposed.iter().any(|proposal| !proposal.call.complete);
    let thinks: Vec<usize> = scene.thinks().filter(cut).collect();
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

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{a_run, check};

    #[test]
    fn fires_on_arguments_that_break_off() {
        let proposed = |complete: bool| {
            let mut story = a_run().think().proposes("delete", "c1", "{\"target\":\"acct-42\",\"dry_ru");
            story.records[0].proposed[0].call.complete = complete;
            story
        };
        check(Code::ProposalIncomplete, vec![("cut", proposed(false))], vec![("whole", proposed(true))]);
    }
}
