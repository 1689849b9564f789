//! One side of a comparison: an attempt, with the model call that it came from.
use crate::domain::content::ContentRef;
use crate::domain::kind::Kind;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::web::badge::Badge;
use crate::web::format;
use crate::web::link::Links;
use crate::web::run::bars::attempts;
use crate::web::run::bodies::{Bodies, Place};
use crate::web::run::thread::attempt_badge;
use crate::web::run::verdict::what;
use crate::web::run::view::{Look, Tab, outcome_now};
use crate::web::text::{Text, shortened};

/// One side.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Side<'a> {
    pub(in crate::web) run: &'a Run,
    pub(in crate::web) step: &'a RunStep,
    pub(in crate::web) attempt: &'a Attempt,
}

/// What stands over a side.
#[derive(Debug)]
pub(in crate::web) struct Heading {
    pub(in crate::web) name: String,
    pub(in crate::web) href: String,
    pub(in crate::web) badges: Vec<Badge>,
    pub(in crate::web) when: String,
}

impl<'a> Side<'a> {
    /// The model call it came from: itself, or the one that proposed it.
    pub(in crate::web) fn call(&self) -> Option<(&'a RunStep, &'a Attempt)> {
        if self.step.kind == Kind::Think || !self.attempt.record.context.is_empty() {
            return Some((self.step, self.attempt));
        }
        Look { step: self.step, attempt: self.attempt, tab: Tab::Saw }.proposer(self.run)
    }

    /// The arguments, wherever they were found.
    pub(in crate::web) fn arguments(&self) -> Option<&'a ContentRef> {
        self.attempt.record.arguments.as_ref().or(self.attempt.arguments.as_ref())
    }

    /// The result, wherever it was found.
    pub(in crate::web) fn result(&self) -> Option<&'a ContentRef> {
        self.attempt.record.result.as_ref().or(self.attempt.result.as_ref())
    }

    /// Where a body of its trace is kept.
    pub(in crate::web) fn place(&self, content: &ContentRef) -> Place {
        (self.attempt.record.facts.trace_id, content.digest)
    }

    /// The text of a body: as loaded, else its preview.
    pub(in crate::web) fn text(&self, content: &ContentRef, bodies: &Bodies) -> String {
        bodies.get(&self.place(content)).map_or_else(|| content.preview.clone(), |body| body.text.clone())
    }

    /// What it is, in words: the act with its target, else the step's name.
    pub(in crate::web) fn title(&self) -> Text {
        let name = if self.step.name.is_empty() { self.step.kind.word() } else { &self.step.name };
        let title = if self.step.kind == Kind::Act { what(self.step) } else { name.to_owned() };
        Text::new(shortened(&title, 120))
    }

    /// How long it took, nanoseconds.
    pub(in crate::web) fn took_ns(&self) -> Option<u64> {
        let facts = &self.attempt.record.facts;
        facts.ended_ns.map(|ended| ended.saturating_sub(facts.started_ns))
    }

    /// How long nobody tried between the attempt before and this one, nanoseconds.
    pub(in crate::web) fn waited_ns(&self) -> Option<u64> {
        let started = self.attempt.record.facts.started_ns;
        let ended = attempts(self.step).filter_map(|other| other.record.facts.ended_ns);
        let before = ended.filter(|ended| *ended <= started).max()?;
        (self.attempt.number > 1).then(|| started - before)
    }

    /// What stands over it.
    pub(in crate::web) fn heading(&self, name: String, links: &Links) -> Heading {
        let facts = &self.attempt.record.facts;
        let mut badges: Vec<Badge> = attempt_badge(self.attempt).into_iter().collect();
        if let (Some(own), Some(now)) = (self.attempt.outcome, outcome_now(self.attempt))
            && own != now
        {
            badges.push(Badge::outcome(now));
        }
        let took = self.took_ns().map_or_else(|| "no end recorded".to_owned(), format::duration);
        Heading {
            name,
            href: links.step(&self.run.run_id, self.step.number, &facts.span_id),
            badges,
            when: format!("{}, {took}", format::clock(facts.started_ns)),
        }
    }
}
