//! One answer of many: a question asked of all tools at once.
use crate::domain::readiness::answer::{Answer, Reply};
use crate::domain::readiness::questions::Question;
use crate::domain::readiness::sheet::{Decided, ToolSheet};

/// One answer over many tools: yes only where every tool it is about says yes.
pub fn overall(question: &Question, sheets: &[ToolSheet], decided: &Decided) -> Reply {
    let replies: Vec<(&ToolSheet, Reply)> =
        sheets.iter().map(|sheet| (sheet, (question.ask)(sheet, decided))).collect();
    let about: Vec<&(&ToolSheet, Reply)> =
        replies.iter().filter(|(_, reply)| reply.answer != Answer::DoesNotApply).collect();
    let number = |answer| about.iter().filter(|(_, reply)| reply.answer == answer).count();
    let all = about.len();
    let answer = if all == 0 {
        return Reply::new(Answer::DoesNotApply, "No tool here that it is about.", "");
    } else if number(Answer::Yes) == all {
        Answer::Yes
    } else if number(Answer::NotVisible) == all {
        Answer::NotVisible
    } else if number(Answer::No) == all {
        Answer::No
    } else {
        Answer::Partly
    };
    let weight = |reply: &Reply| match reply.answer {
        Answer::No => 0,
        Answer::Partly => 1,
        Answer::NotVisible => 2,
        Answer::Yes | Answer::DoesNotApply => 3,
    };
    let worst = about.iter().min_by_key(|(_, reply)| weight(reply));
    let head = match all {
        1 => String::new(),
        _ => format!("{} of {all} tools: yes. ", number(Answer::Yes)),
    };
    let why = worst.map(|(sheet, reply)| match all {
        1 => reply.why.clone(),
        _ if reply.answer == Answer::Yes => String::new(),
        _ => format!("{}: {}", sheet.tool, reply.why),
    });
    let change = worst.map(|(_, reply)| reply.change).unwrap_or_default();
    let mut whole = Reply::new(answer, format!("{head}{}", why.unwrap_or_default()).trim(), change);
    whole.proofs = worst.map(|(_, reply)| reply.proofs.clone()).unwrap_or_default();
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::readiness::marks::Mark;
    use crate::domain::readiness::questions::QUESTIONS;
    use crate::domain::readiness::sheet::Tally;

    fn sheet(tool: &str, marks: &[(Mark, u64)]) -> ToolSheet {
        let tallies = marks.iter().map(|(mark, count)| (*mark, Tally { count: *count, ..Tally::default() }));
        ToolSheet { tool: tool.to_owned(), tallies: tallies.collect(), ..ToolSheet::default() }
    }

    #[test]
    fn it_is_yes_only_where_every_tool_is() {
        use Mark::*;
        let good = sheet("refund", &[(Act, 3), (Keyed, 3), (KeyBound, 3)]);
        let bad = sheet("mail", &[(Act, 2), (Keyless, 2)]);
        let read = sheet("lookup", &[(Read, 2)]);
        let of = |sheets: &[ToolSheet]| overall(&QUESTIONS[1], sheets, &Decided::default());
        assert_eq!(of(&[good.clone(), read.clone()]).answer, Answer::Yes);
        let mixed = of(&[good, bad.clone(), read.clone()]);
        assert_eq!(mixed.answer, Answer::Partly);
        assert_eq!(mixed.why, "1 of 2 tools: yes. mail: None of 2 acts carried a key.");
        assert_eq!(of(&[bad]).answer, Answer::No);
        assert_eq!(of(&[read]).answer, Answer::DoesNotApply);
        assert_eq!(of(&[]).answer, Answer::DoesNotApply);
    }
}
