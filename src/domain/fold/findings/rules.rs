//! The list of rules: everything that is noticed about a run comes from one of these.
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::finding::Code;
use crate::domain::fold::effects::Effect;
use crate::domain::fold::findings::arguments_changed_under_key;
use crate::domain::fold::findings::arguments_differ;
use crate::domain::fold::findings::asked_again;
use crate::domain::fold::findings::attempt_missing;
use crate::domain::fold::findings::attempt_restarted;
use crate::domain::fold::findings::beyond_budget;
use crate::domain::fold::findings::clock_skew;
use crate::domain::fold::findings::conflicting_identity;
use crate::domain::fold::findings::conflicting_versions;
use crate::domain::fold::findings::content_withheld;
use crate::domain::fold::findings::double_effect;
use crate::domain::fold::findings::dropped_by_client;
use crate::domain::fold::findings::end_before_start;
use crate::domain::fold::findings::executed_not_proposed;
use crate::domain::fold::findings::failed_is_unknown;
use crate::domain::fold::findings::intent_not_durable;
use crate::domain::fold::findings::key_changed;
use crate::domain::fold::findings::key_expired;
use crate::domain::fold::findings::key_from_model;
use crate::domain::fold::findings::key_per_attempt;
use crate::domain::fold::findings::key_reused;
use crate::domain::fold::findings::model_changed;
use crate::domain::fold::findings::never_ended;
use crate::domain::fold::findings::no_key;
use crate::domain::fold::findings::not_read_back;
use crate::domain::fold::findings::parameters_changed;
use crate::domain::fold::findings::parent_loop;
use crate::domain::fold::findings::parent_missing;
use crate::domain::fold::findings::partial_completion;
use crate::domain::fold::findings::paused;
use crate::domain::fold::findings::proposal_incomplete;
use crate::domain::fold::findings::proposed_not_executed;
use crate::domain::fold::findings::raw_error_shown;
use crate::domain::fold::findings::read_back_contradicts;
use crate::domain::fold::findings::read_wrote;
use crate::domain::fold::findings::reads_sampled;
use crate::domain::fold::findings::repeated_key;
use crate::domain::fold::findings::retried_too_soon;
use crate::domain::fold::findings::retried_while_unknown;
use crate::domain::fold::findings::root_missing;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::findings::sent_though_held;
use crate::domain::fold::findings::snapshot_missing;
use crate::domain::fold::findings::stale_epoch;
use crate::domain::fold::findings::steps_missing;
use crate::domain::fold::findings::throttled_out;
use crate::domain::fold::findings::tool_unclassified;
use crate::domain::fold::findings::unknown_open;
use crate::domain::fold::findings::unreadable;
use crate::domain::fold::findings::value_cut;
use crate::domain::fold::findings::workers_interleave;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;

/// Every rule, in the order of the codes.
const RULES: &[Rule] = &[
    retried_while_unknown::RULE,
    key_changed::RULE,
    key_per_attempt::RULE,
    key_reused::RULE,
    key_from_model::RULE,
    no_key::RULE,
    arguments_changed_under_key::RULE,
    double_effect::RULE,
    unknown_open::RULE,
    key_expired::RULE,
    not_read_back::RULE,
    read_back_contradicts::RULE,
    stale_epoch::RULE,
    workers_interleave::RULE,
    sent_though_held::RULE,
    attempt_restarted::RULE,
    attempt_missing::RULE,
    throttled_out::RULE,
    retried_too_soon::RULE,
    beyond_budget::RULE,
    partial_completion::RULE,
    model_changed::RULE,
    parameters_changed::RULE,
    proposed_not_executed::RULE,
    executed_not_proposed::RULE,
    arguments_differ::RULE,
    proposal_incomplete::RULE,
    asked_again::RULE,
    intent_not_durable::RULE,
    raw_error_shown::RULE,
    failed_is_unknown::RULE,
    tool_unclassified::RULE,
    read_wrote::RULE,
    snapshot_missing::RULE,
    parent_missing::RULE,
    parent_loop::RULE,
    root_missing::RULE,
    never_ended::RULE,
    steps_missing::RULE,
    reads_sampled::RULE,
    conflicting_versions::RULE,
    conflicting_identity::RULE,
    end_before_start::RULE,
    clock_skew::RULE,
    repeated_key::RULE,
    value_cut::RULE,
    dropped_by_client::RULE,
    content_withheld::RULE,
    unreadable::RULE,
    paused::RULE,
];

/// Everything that is noticed about a run.
pub(in crate::domain::fold) fn all(scene: &Scene<'_>, effects: &[Effect]) -> Vec<Noted> {
    let mut told = of_records(scene);
    let mut noted = Vec::new();
    for rule in RULES {
        match rule.find {
            Find::Run(find) => noted.extend(find(scene)),
            Find::Effects(find) => noted.extend(find(scene, effects)),
            Find::Records => noted.extend(told.remove(&rule.code).unwrap_or_default()),
        }
    }
    noted
}

/// What is said about a finding: what it means, why it matters and what to do.
pub fn about(code: Code) -> About {
    let rule = RULES.iter().find(|rule| rule.code == code);
    // A test keeps the list whole.
    rule.map_or(About { title: code.word(), means: "", matters: "", remedy: "" }, |rule| rule.about)
}

/// What was noticed while reading single records, one of each sentence.
fn of_records(scene: &Scene<'_>) -> BTreeMap<Code, Vec<Noted>> {
    let mut found: BTreeMap<(Code, &str), Vec<usize>> = BTreeMap::new();
    for id in scene.received() {
        let mut here = BTreeSet::new();
        for finding in &scene.nodes[id].facts().findings {
            if here.insert((finding.code, finding.message.as_str())) {
                found.entry((finding.code, &finding.message)).or_default().push(id);
            }
        }
    }
    let mut told: BTreeMap<Code, Vec<Noted>> = BTreeMap::new();
    for ((code, message), nodes) in found {
        told.entry(code).or_default().push(Noted::spans(scene, code, message.to_owned(), nodes));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_rule_that_explains_itself() {
        let codes: Vec<Code> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes, Code::ALL);
        for code in Code::ALL {
            let About { title, means, matters, remedy } = about(*code);
            assert!(!title.is_empty() && title.len() < 40, "{code}");
            for text in [means, matters, remedy] {
                assert!(text.ends_with('.') && text.len() > 15, "{code}: {text}");
            }
        }
    }
}
