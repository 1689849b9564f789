//! A step as rows can give it back: an optional text that is empty is absent, a broken index is no index.
use std::borrow::Cow;

use crate::domain::step::{Facts, Step};

/// The step itself, which nearly always is tidy, or a tidied copy. Leaves are made of the same, so that
/// they can be checked against the rows.
pub(in crate::store) fn tidy(step: &Step) -> Cow<'_, Step> {
    let known = |body: &usize| *body < step.bodies.len();
    let whole = step.context.iter().chain(&step.output).chain(&step.arguments).chain(&step.result).all(known)
        && step.proposed.iter().all(|call| call.arguments.iter().all(known));
    let mut texts = step.proposed.iter().map(|call| &call.call_id).chain(optional_texts(&step.facts));
    if whole && texts.all(|text| text.as_deref() != Some("")) && !has_zeros(&step.facts) {
        return Cow::Borrowed(step);
    }
    let mut tidied = step.clone();
    let known = |body: &usize| *body < step.bodies.len();
    tidied.context.retain(known);
    tidied.output.retain(known);
    tidied.arguments = tidied.arguments.filter(known);
    tidied.result = tidied.result.filter(known);
    for call in &mut tidied.proposed {
        call.arguments = call.arguments.filter(known);
        call.call_id = call.call_id.take().filter(|text| !text.is_empty());
    }
    for text in optional_texts_mut(&mut tidied.facts) {
        *text = text.take().filter(|text| !text.is_empty());
    }
    clear_zeros(&mut tidied.facts);
    Cow::Owned(tidied)
}

/// Times and ids that are zero are absent, and so is a status code that no server answers.
fn has_zeros(facts: &Facts) -> bool {
    let zero_code = facts.http.as_ref().is_some_and(|http| http.status_code == Some(0));
    facts.ended_ns == Some(0)
        || facts.key_expires_ns == Some(0)
        || facts.parent_span_id.is_some_and(|id| id.is_zero())
        || zero_code
}

fn clear_zeros(facts: &mut Facts) {
    facts.ended_ns = facts.ended_ns.filter(|at| *at != 0);
    facts.key_expires_ns = facts.key_expires_ns.filter(|at| *at != 0);
    facts.parent_span_id = facts.parent_span_id.filter(|id| !id.is_zero());
    if let Some(http) = &mut facts.http {
        http.status_code = http.status_code.filter(|code| *code != 0);
    }
}

macro_rules! optional_texts {
    ($($field:ident)+) => {
        fn optional_texts(facts: &Facts) -> impl Iterator<Item = &Option<String>> {
            let http = facts.http.iter().flat_map(|http| [&http.method, &http.retry_after]);
            [$(&facts.$field),+].into_iter().chain(http)
        }

        fn optional_texts_mut(facts: &mut Facts) -> impl Iterator<Item = &mut Option<String>> {
            let http = facts.http.iter_mut().flat_map(|http| [&mut http.method, &mut http.retry_after]);
            [$(&mut facts.$field),+].into_iter().chain(http)
        }
    };
}
optional_texts! {
    run_id step_id session_id user_id agent agent_version worker service environment model model_requested
    provider tool tool_call_id target key value downstream_id verifies compensates approver
    policy_version context_ref
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_untidy_steps_are_copied() {
        let mut step = Step::default();
        step.facts.run_id = Some("r".to_owned());
        assert!(matches!(tidy(&step), Cow::Borrowed(_)));
        step.facts.run_id = Some(String::new());
        step.facts.ended_ns = Some(0);
        step.arguments = Some(3);
        let tidied = tidy(&step).into_owned();
        assert_eq!((tidied.facts.run_id, tidied.facts.ended_ns, tidied.arguments), (None, None, None));
    }
}
