//! What is left of a step when redaction itself failed: identity, times and outcome, no content.
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::domain::entity::Entity;
use crate::domain::finding::{Code, Finding};
use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::domain::step::{Facts, Http, Step};
use crate::redaction::budget::Budget;
use crate::redaction::echo::Echoes;
use crate::redaction::finder::Finder;
use crate::redaction::fold::Folded;
use crate::redaction::mark::Mark;
use crate::redaction::pseudonym::pseudonym;
use crate::redaction::rules::Rules;
use crate::redaction::selector::{Leaf, Spot};
use crate::redaction::settings::Limits;
use crate::redaction::source::At;

/// Keeps what cannot hold content and what proves clean on its own; drops everything else.
pub(crate) fn step(step: Step, rules: &Rules, limits: &Limits, key: &SecretKey) -> (Step, Vec<Redaction>) {
    let bytes: usize = step.bodies.iter().map(|body| body.body.len()).sum();
    let keeper = Keeper { rules, limits, key };
    let mut facts = keeper.facts(step.facts);
    let message = "redaction failed on this record, so its content was withheld";
    facts.findings = vec![Finding::new(Code::ContentWithheld, message)];
    let mark = Mark::withheld("redaction-failed");
    let redaction = Redaction {
        path: "record".to_owned(),
        rule: mark.rule.clone(),
        method: mark.method.to_owned(),
        count: 1,
        bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
    };
    facts.status_message = if facts.status_message.is_empty() { String::new() } else { mark.text.clone() };
    (Step { facts, ..Step::default() }, vec![redaction])
}

struct Keeper<'a> {
    rules: &'a Rules,
    limits: &'a Limits,
    key: &'a SecretKey,
}

impl Keeper<'_> {
    fn facts(&self, facts: Facts) -> Facts {
        let target = facts.target.map(|target| self.name_or_pseudonym(target));
        let http = facts.http.map(|http| Http { method: None, retry_after: None, ..http });
        Facts {
            run_id: facts.run_id.map(|id| self.name_or_pseudonym(id)),
            step_id: facts.step_id.map(|id| self.name_or_pseudonym(id)),
            session_id: facts.session_id.map(|id| self.name_or_pseudonym(id)),
            user_id: facts.user_id.map(|id| self.name_or_pseudonym(id)),
            worker: facts.worker.map(|id| self.name_or_pseudonym(id)),
            tool_call_id: facts.tool_call_id.map(|id| self.name_or_pseudonym(id)),
            key: facts.key.map(|key| self.name_or_pseudonym(key)),
            verifies: facts.verifies.map(|id| self.name_or_pseudonym(id)),
            compensates: facts.compensates.map(|id| self.name_or_pseudonym(id)),
            link_keys: facts.link_keys.into_iter().map(|key| self.name_or_pseudonym(key)).collect(),
            errors_shown: facts.errors_shown.into_iter().map(|id| self.name_or_pseudonym(id)).collect(),
            entities: facts.entities.into_iter().map(|entity| self.entity(entity)).collect(),
            agent: facts.agent.filter(|name| self.is_clean(name)),
            service: facts.service.filter(|name| self.is_clean(name)),
            environment: facts.environment.filter(|name| self.is_clean(name)),
            model: facts.model.filter(|name| self.is_clean(name)),
            provider: facts.provider.filter(|name| self.is_clean(name)),
            tool: facts.tool.filter(|name| self.is_clean(name)),
            name: if self.is_clean(&facts.name) { facts.name } else { "[withheld]".to_owned() },
            // Nothing of the sender's is text in these.
            trace_id: facts.trace_id,
            span_id: facts.span_id,
            parent_span_id: facts.parent_span_id,
            carrier: facts.carrier,
            epoch: facts.epoch,
            seq: facts.seq,
            run_step_count: facts.run_step_count,
            kind: facts.kind,
            kind_source: facts.kind_source,
            started_ns: facts.started_ns,
            ended_ns: facts.ended_ns,
            attempt: facts.attempt,
            tries: facts.tries,
            tokens: facts.tokens,
            cost_usd: facts.cost_usd,
            key_expires_ns: facts.key_expires_ns,
            gate: facts.gate,
            outcome: facts.outcome,
            evidence: facts.evidence,
            read_back_required: facts.read_back_required,
            status: facts.status,
            status_message: facts.status_message,
            dropped: facts.dropped,
            target,
            http,
            ..Facts::default()
        }
    }

    fn entity(&self, entity: Entity) -> Entity {
        let kind = if self.is_clean(&entity.kind) { entity.kind } else { "withheld".to_owned() };
        Entity { kind, id: self.name_or_pseudonym(entity.id) }
    }

    fn name_or_pseudonym(&self, text: String) -> String {
        if self.is_clean(&text) { text } else { pseudonym(self.key, "withheld", &text) }
    }

    /// Whether no rule hits this text; a text that a rule fails on is not clean.
    fn is_clean(&self, text: &str) -> bool {
        let looked_at = catch_unwind(AssertUnwindSafe(|| {
            let echoes = Echoes::default();
            let finder = Finder { rules: Some(self.rules), echoes: &echoes, key: self.key };
            let spot = Spot::default();
            let at = At { spot: &spot, inner: &[], leaf: Leaf::Text };
            let folded = Folded::of(text);
            let suspicion = finder.suspect(text, &folded);
            let mut budget = Budget::of_field(self.limits, text.len())?;
            finder.find(text, &folded, (suspicion, at), &mut budget)
        }));
        matches!(looked_at, Ok(Ok(hits)) if hits.is_empty())
    }
}
