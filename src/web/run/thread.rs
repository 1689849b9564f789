//! The attempts of a step on one thread: what each did, and what was known before and after it.
use crate::domain::kind::Kind;
use crate::domain::outcome::{Gate, Outcome};
use crate::domain::run::{Attempt, RunStep, Slot};
use crate::web::badge::{self, Badge, GateChip, Signal};
use crate::web::run::bars::{self, Bar, attempts};
use crate::web::run::drawing::Drawing;
use crate::web::run::view::{outcome_now, unsettled, went_wrong};
use crate::web::text::{Text, sentence, shortened};

/// Attempts of one step listed before some are folded.
pub(in crate::web) const ATTEMPTS_MAX: usize = 5;

/// An attempt, a look-up, or the gap where an attempt is missing.
#[derive(Debug)]
pub(in crate::web) struct RecordRow {
    pub(in crate::web) gap: bool,
    /// The step's kind, on the look-up of another step.
    pub(in crate::web) kind: Option<&'static str>,
    /// The step's number, on the look-up of another step.
    pub(in crate::web) number: String,
    pub(in crate::web) name: String,
    pub(in crate::web) text: Text,
    /// Its worker and epoch, where several were seen.
    pub(in crate::web) signals: Vec<Signal>,
    pub(in crate::web) glyph: &'static str,
    pub(in crate::web) href: String,
    pub(in crate::web) selected: bool,
    pub(in crate::web) next_unknown: bool,
    pub(in crate::web) state: &'static str,
    pub(in crate::web) before: &'static str,
    pub(in crate::web) after: &'static str,
    pub(in crate::web) gate: Option<GateChip>,
    pub(in crate::web) badge: Option<Badge>,
    pub(in crate::web) bars: Vec<Bar>,
    pub(in crate::web) took: String,
}

impl Drawing<'_> {
    /// The attempts and look-ups of a step in order of time, and how many attempts are folded away.
    pub(in crate::web) fn records(&self, step: &RunStep, lookups: &[&RunStep]) -> (Vec<RecordRow>, usize) {
        let mut rows = Vec::new();
        let mut pending = lookups.iter().copied().peekable();
        let mut known = "none";
        let mut folded = 0;
        let last = step.attempts.len().saturating_sub(1);
        for (at, slot) in step.attempts.iter().enumerate() {
            let Slot::Attempt(attempt) = slot else {
                let Slot::Missing(missing) = slot else { continue };
                rows.push(missing_row(*missing, step, known));
                continue;
            };
            let started = attempt.record.facts.started_ns;
            while let Some(lookup) = pending.next_if(|lookup| start_of(lookup) < started) {
                rows.push(self.lookup_row(lookup, step, &mut known));
            }
            let before = known;
            known = known_after(known, attempt);
            let all = step.attempts.len() <= ATTEMPTS_MAX || self.view.unfold == Some(step.number);
            if all
                || at == 0
                || at == last
                || unsettled(attempt) && rows.len() < 40
                || self.is_selected(attempt)
            {
                rows.push(self.attempt_row(step, attempt, before, known));
            } else {
                folded += 1;
            }
        }
        for lookup in pending {
            rows.push(self.lookup_row(lookup, step, &mut known));
        }
        (rows, folded)
    }

    fn attempt_row(
        &self,
        step: &RunStep,
        attempt: &Attempt,
        before: &'static str,
        after: &'static str,
    ) -> RecordRow {
        let gate = attempt.record.facts.gate;
        let is_act = step.kind == Kind::Act;
        let (state, glyph) = attempt_look(attempt);
        RecordRow {
            gap: false,
            kind: None,
            number: String::new(),
            name: format!("Attempt {}", attempt.number),
            text: Text::new(attempt_text(attempt)),
            signals: self.leases.signals(attempt),
            glyph,
            href: self.view.to(attempt),
            selected: self.is_selected(attempt),
            next_unknown: unsettled(attempt),
            state,
            before,
            after,
            gate: is_act.then(|| GateChip::of(gate)),
            badge: attempt_badge(attempt),
            bars: bars::of_attempt(&self.scale, step, attempt),
            took: self.took(attempt),
        }
    }

    fn lookup_row(&self, lookup: &RunStep, of: &RunStep, known: &mut &'static str) -> RecordRow {
        let attempt = attempts(lookup).next_back();
        let before = *known;
        // A look-up settles what was unknown, when the act it asks about is settled now.
        if let Some(settled) = of.outcome.filter(|outcome| !outcome.blocks_retry()) {
            *known = settled.word();
        }
        let selected = attempts(lookup).any(|attempt| self.is_selected(attempt));
        RecordRow {
            gap: false,
            kind: Some(badge::kind(lookup.kind)),
            number: lookup.number.to_string(),
            name: if lookup.kind == Kind::Reconcile { "Look-up" } else { "Read back" }.to_owned(),
            text: Text::new(lookup_text(lookup, attempt)),
            signals: attempt.map(|attempt| self.leases.signals(attempt)).unwrap_or_default(),
            glyph: "i-reconcile",
            href: attempt.map(|attempt| self.view.to(attempt)).unwrap_or_default(),
            selected,
            next_unknown: false,
            state: if before == *known { "none" } else { known },
            before,
            after: known,
            gate: None,
            badge: attempt.filter(|attempt| went_wrong(attempt)).map(|_| Badge::error()),
            bars: bars::of_step(&self.scale, lookup),
            took: self.step_took(lookup),
        }
    }
}

fn start_of(step: &RunStep) -> u64 {
    attempts(step).map(|attempt| attempt.record.facts.started_ns).min().unwrap_or_default()
}

fn missing_row(missing: u32, step: &RunStep, known: &'static str) -> RecordRow {
    let before = attempts(step).map(|attempt| attempt.number).filter(|n| *n < missing).max();
    let after = attempts(step).map(|attempt| attempt.number).filter(|n| *n > missing).min();
    let text = match (before, after) {
        (Some(before), Some(after)) => format!("Numbers go from {before} to {after}"),
        (None, Some(after)) => format!("Numbers begin at {after}"),
        (_, None) => "We can't say what it did".to_owned(),
    };
    RecordRow {
        gap: true,
        kind: None,
        number: String::new(),
        name: format!("Attempt {missing} never arrived"),
        text: Text::new(text),
        signals: Vec::new(),
        glyph: "i-gap",
        href: String::new(),
        selected: false,
        next_unknown: false,
        state: "none",
        before: known,
        after: known,
        gate: None,
        badge: None,
        bars: Vec::new(),
        took: String::new(),
    }
}

/// What is known about the effect after an attempt, given what was known before it.
fn known_after(before: &'static str, attempt: &Attempt) -> &'static str {
    match attempt.outcome {
        None => before,
        Some(Outcome::Unknown | Outcome::Submitted) => "unknown",
        // An earlier unknown stays: this attempt says nothing about what became of that one.
        Some(_) if before == "unknown" => before,
        Some(Outcome::Confirmed) => "confirmed",
        Some(Outcome::Failed) => before,
    }
}

/// The class of an attempt and its glyph on the thread.
fn attempt_look(attempt: &Attempt) -> (&'static str, &'static str) {
    match (attempt.outcome, attempt.record.facts.gate) {
        (_, Gate::Duplicate) => ("none", "g-duplicate"),
        (_, Gate::Unknown) => ("none", "g-unknown"),
        (Some(Outcome::Confirmed), Gate::New | Gate::None) => ("confirmed", "s-confirmed"),
        (Some(Outcome::Failed), Gate::New | Gate::None) => ("failed", "s-failed"),
        (Some(Outcome::Unknown), Gate::New | Gate::None) => ("unknown", "s-unknown"),
        (Some(Outcome::Submitted), Gate::New | Gate::None) => ("submitted", "s-submitted"),
        (None, Gate::New | Gate::None) if went_wrong(attempt) => ("failed", "s-failed"),
        (None, Gate::New | Gate::None) => ("none", "s-done"),
    }
}

/// The badge of an attempt: its own outcome, never rewritten by a later look-up.
pub(in crate::web) fn attempt_badge(attempt: &Attempt) -> Option<Badge> {
    match attempt.outcome {
        _ if attempt.record.facts.gate.held() => Some(Badge::none("nothing sent")),
        Some(outcome) => Some(Badge::outcome(outcome)),
        None if went_wrong(attempt) => Some(Badge::error()),
        None => None,
    }
}

fn attempt_text(attempt: &Attempt) -> String {
    let mut parts = vec![shortened(&attempt.reason, 140)];
    if let Some((outcome, evidence)) = attempt.now
        && attempt.outcome != Some(outcome)
    {
        parts.push(format!("now {outcome}, {}", badge::evidence(outcome, evidence)));
    }
    if let Some(link) = attempt.link.filter(|_| !attempt.given) {
        parts.push(format!("linked by {link}"));
    }
    parts.retain(|part| !part.is_empty());
    sentence(&parts.join(" · "))
}

fn lookup_text(lookup: &RunStep, attempt: Option<&Attempt>) -> String {
    let tool = lookup.tool.as_deref().unwrap_or(&lookup.name);
    match attempt.map(|attempt| attempt.reason.as_str()).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{}: {}", shortened(tool, 60), shortened(reason, 120)),
        None => shortened(tool, 60),
    }
}

/// Whether an attempt was sent and is known to have taken effect.
pub(in crate::web) fn confirmed_effect(attempt: &Attempt) -> bool {
    !attempt.record.facts.gate.held() && outcome_now(attempt) == Some(Outcome::Confirmed)
}
