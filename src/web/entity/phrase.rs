//! What a step did, in a sentence that somebody understands who knows neither the agent nor its tools.
use serde_json::Value as Json;

use crate::conventions::ToolRules;
use crate::domain::kind::Kind;
use crate::domain::outcome::Outcome;
use crate::domain::run::{Attempt, RunStep};
use crate::web::format;
use crate::web::text::sentence;

/// Longer values are cut in sentences.
const VALUE_CHARS_MAX: usize = 120;

/// The sentence of a step, ending in a full stop.
pub(in crate::web) fn phrase(step: &RunStep, rules: &ToolRules) -> String {
    let done = written(step, rules);
    let named = done.clone().unwrap_or_else(|| bare(step));
    match (step.kind, step.outcome) {
        (Kind::Act, Some(Outcome::Confirmed)) => format!("{}.", sentence(&named)),
        (Kind::Act, Some(Outcome::Unknown)) if took_effect(step) && done.is_some() => {
            format!("{}, and may have done so again.", sentence(&named))
        }
        (Kind::Act, Some(Outcome::Unknown)) if took_effect(step) => {
            format!("{} took effect, and may have again.", sentence(&named))
        }
        (Kind::Act, Some(Outcome::Unknown)) if done.is_some() => format!("May have {}.", lower(&named)),
        (Kind::Act, Some(Outcome::Unknown)) => format!("May have done {named}."),
        (Kind::Act, Some(Outcome::Submitted)) => format!("Sent, not seen done: “{named}”."),
        (Kind::Act, Some(Outcome::Failed)) => format!("Did not take effect: “{named}”."),
        (Kind::Act, None) => format!("Not sent, held by the gate: “{named}”."),
        (Kind::Reconcile, _) => format!("Looked up what became of an act: {}.", bare(step)),
        (Kind::Wait, _) => format!("Waited: {}.", step.name),
        (Kind::Read | Kind::Think | Kind::Agent | Kind::Transport | Kind::Other, _) => {
            format!("{}.", sentence(&named))
        }
    }
}

/// Whether an attempt is confirmed although the step as a whole can't be told: it may have happened twice.
fn took_effect(step: &RunStep) -> bool {
    step.attempts().any(|attempt| {
        let now = attempt.now.map(|(outcome, _)| outcome).or(attempt.outcome);
        now == Some(Outcome::Confirmed)
    })
}

/// The tool and what it was on: `issue_refund on order 4812`.
pub(in crate::web) fn bare(step: &RunStep) -> String {
    let tool = step.tool.as_deref().unwrap_or(&step.name);
    match &step.target {
        Some(target) => format!("{tool} on {}", target_words(target)),
        None => tool.to_owned(),
    }
}

/// `order:4812` as `order 4812`.
fn target_words(target: &str) -> String {
    crate::web::text::shortened(&target.replacen(':', " ", 1), VALUE_CHARS_MAX)
}

/// The operator's phrase for the tool with every gap filled; `None` where it has none, or a gap stays open.
fn written(step: &RunStep, rules: &ToolRules) -> Option<String> {
    let template = rules.for_tool(step.tool.as_deref()?)?.phrase.as_deref()?;
    let attempts: Vec<&Attempt> = step.attempts().collect();
    let arguments = attempts.iter().rev().find_map(|attempt| arguments(attempt));
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, gap)) = rest.split_once('{') {
        let (name, after) = gap.split_once('}')?;
        out.push_str(before);
        out.push_str(&value(step, &attempts, arguments.as_ref(), name)?);
        rest = after;
    }
    out.push_str(rest);
    Some(format::with_amounts(out.trim().trim_end_matches('.')))
}

fn value(step: &RunStep, attempts: &[&Attempt], arguments: Option<&Json>, name: &str) -> Option<String> {
    let facts = || attempts.iter().rev().map(|attempt| &attempt.record.facts);
    let known = match name {
        "target" => step.target.as_deref().map(target_words),
        "tool" => step.tool.clone(),
        "value" => facts().find_map(|facts| facts.value.clone()),
        "downstream_id" => facts().find_map(|facts| facts.downstream_id.clone()),
        _ => None,
    };
    let path = name.trim_start_matches("$.");
    let told = || {
        let found = path.split('.').try_fold(arguments?, |value, field| value.get(field))?;
        match found {
            Json::String(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            Json::Bool(truth) => Some(truth.to_string()),
            Json::Null | Json::Array(_) | Json::Object(_) => None,
        }
    };
    known.or_else(told).map(|text| crate::web::text::shortened(&text, VALUE_CHARS_MAX))
}

/// The arguments, where all of them stand in the record itself.
fn arguments(attempt: &Attempt) -> Option<Json> {
    let content = attempt.arguments.as_ref()?;
    (usize::try_from(content.bytes).ok()? <= content.preview.len())
        .then(|| serde_json::from_str(&content.preview).ok())
        .flatten()
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::ToolRule;
    use crate::domain::content::{ContentKind, ContentRef};
    use crate::domain::ids::{Digest, SpanId, TraceId};
    use crate::domain::record::Record;
    use crate::domain::run::Run;

    fn step(arguments: &str, outcome: Outcome) -> RunStep {
        let mut record = Record::default();
        let facts = &mut record.facts;
        (facts.trace_id, facts.span_id, facts.kind) = (TraceId([1; 16]), SpanId([1; 8]), Kind::Act);
        facts.tool = Some("issue_refund".to_owned());
        facts.target = Some("order:4812".to_owned());
        facts.outcome = Some(outcome);
        (facts.started_ns, facts.ended_ns) = (1, Some(2));
        record.arguments = Some(ContentRef {
            digest: Digest([1; 16]),
            kind: ContentKind::Arguments,
            role: String::new(),
            bytes: arguments.len() as u64,
            preview: arguments.to_owned(),
        });
        Run::of(&[record], &[], 10).steps.remove(0)
    }

    fn rules(phrase: Option<&str>) -> ToolRules {
        let (tool, phrase) = ("issue_refund".to_owned(), phrase.map(str::to_owned));
        ToolRules::new(vec![ToolRule { tool, phrase, ..ToolRule::default() }]).unwrap()
    }

    #[test]
    fn a_sentence_never_says_more_than_is_known() {
        let said = rules(Some("Refunded {amount} {$.currency} for {target}"));
        let arguments = r#"{"amount":40.5,"currency":"EUR"}"#;
        for (outcome, sentence) in [
            (Outcome::Confirmed, "Refunded 40.50 EUR for order 4812."),
            (Outcome::Unknown, "May have refunded 40.50 EUR for order 4812."),
            (Outcome::Submitted, "Sent, not seen done: “Refunded 40.50 EUR for order 4812”."),
        ] {
            assert_eq!(phrase(&step(arguments, outcome), &said), sentence);
        }
        let mut twice = step(arguments, Outcome::Unknown);
        if let Some(crate::domain::run::Slot::Attempt(attempt)) = twice.attempts.first_mut() {
            attempt.outcome = Some(Outcome::Confirmed);
        }
        let again = "Refunded 40.50 EUR for order 4812, and may have done so again.";
        assert_eq!(phrase(&twice, &said), again);
        // A gap that can't be filled, or no phrase: tool and target.
        assert_eq!(phrase(&step("{}", Outcome::Confirmed), &said), "Issue_refund on order 4812.");
        assert_eq!(
            phrase(&step(arguments, Outcome::Unknown), &rules(None)),
            "May have done issue_refund on order 4812."
        );
    }
}
