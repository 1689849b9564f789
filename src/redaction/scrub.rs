//! Redacts a whole step: every string and every key of it, in up to three passes.
//!
//! First what identifies: a run, key or entity that a rule hits becomes a pseudonym. Then everything, with
//! those values replaced wherever they stand. Last, if a secret key gave a value away, that value everywhere
//! else.
use std::sync::Arc;

use crate::domain::entity::Entity;
use crate::domain::finding::{Code, Finding};
use crate::domain::kind::Carrier;
use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::domain::step::{Facts, Proposal, Step};
use crate::redaction::bodies::{bodies, spots};
use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::echo::Echoes;
use crate::redaction::finder::Finder;
use crate::redaction::fold::Folded;
use crate::redaction::mark::{By, Mark, is_mark};
use crate::redaction::place::Place;
use crate::redaction::pseudonym::pseudonym;
use crate::redaction::rules::{Rules, Whole};
use crate::redaction::selector::Leaf;
use crate::redaction::settings::Limits;
use crate::redaction::source::At;
use crate::redaction::split;
use crate::redaction::values::Scrubber;

/// A shorter value is not looked for elsewhere in the step.
const ECHO_BYTES_MIN: usize = 4;

/// Redacts a step in place and says what was done.
pub(crate) fn step(
    step: &mut Step,
    rules: &Rules,
    limits: &Limits,
    key: &SecretKey,
) -> Result<Vec<Redaction>, Overrun> {
    let none = Echoes::default();
    let event = step.facts.carrier != Carrier::Span;
    let all_rules = Finder { rules: Some(rules), echoes: &none, key };
    let identity = Identity::new(all_rules, limits, event).hide(step);
    let mut redactions: Vec<Redaction> = identity.done.redactions().collect();
    let echoes = Echoes::new(identity.hidden)?;

    let mut all = Scrubber::new(Finder { echoes: &echoes, ..all_rules }, limits).on(event);
    walk(&mut all, step);
    redactions.extend(all.redactions());
    let mut secrets = std::mem::take(&mut all.secrets);
    let mut withheld = std::mem::take(&mut all.withheld);
    let short = std::mem::take(&mut all.short);

    if !(secrets.is_empty() && short.is_empty()) {
        let found = Echoes::new(secrets.clone())?;
        let only_echoes = Finder { rules: None, echoes: &found, key };
        let identity = Identity { short, ..Identity::new(only_echoes, limits, event) }.hide(step);
        redactions.extend(identity.done.redactions());
        secrets.extend(identity.hidden);
        let echoes = Echoes::new(secrets)?;
        let mut echoed = Scrubber::new(Finder { echoes: &echoes, ..only_echoes }, limits).on(event);
        walk(&mut echoed, step);
        redactions.extend(echoed.redactions());
        withheld.extend(std::mem::take(&mut echoed.withheld));
    }
    for path in withheld {
        let message = format!("redaction went beyond its budget at {path}, so the content was withheld");
        step.facts.findings.push(Finding::new(Code::ContentWithheld, message));
    }
    Ok(redactions)
}

/// Turns identifying values that hold a hit into pseudonyms.
struct Identity<'a> {
    finder: Finder<'a>,
    limits: &'a Limits,
    /// Values that are hidden where they are the whole of what identifies.
    short: Vec<(String, Arc<Mark>)>,
    /// The values with what stands for them.
    hidden: Vec<(String, Arc<Mark>)>,
    done: Scrubber<'a>,
}

impl<'a> Identity<'a> {
    fn new(finder: Finder<'a>, limits: &'a Limits, event: bool) -> Self {
        Self {
            finder,
            limits,
            short: Vec::new(),
            hidden: Vec::new(),
            done: Scrubber::new(finder, limits).on(event),
        }
    }

    /// Hides what has to be hidden.
    fn hide(mut self, step: &mut Step) -> Self {
        for (name, text) in identifying(&mut step.facts) {
            self.one(&Place::field(name), text);
        }
        for target in step.facts.target.iter_mut() {
            self.after(':', &Place::field("target"), target);
        }
        for (at, call_id) in step.facts.errors_shown.iter_mut().enumerate() {
            self.one(&Place::field("errors_shown").item(at), call_id);
        }
        for (at, link_key) in step.facts.link_keys.iter_mut().enumerate() {
            self.after('=', &Place::field("link_keys").item(at), link_key);
        }
        for (at, Entity { kind, id }) in step.facts.entities.iter_mut().enumerate() {
            let list = Place::field("entities");
            let item = list.item(at);
            self.of_type(kind, (&item.below(kind), &item), id);
        }
        for (at, proposal) in step.proposed.iter_mut().enumerate() {
            for call_id in proposal.call_id.iter_mut() {
                self.one(&Place::field("proposed").item(at), call_id);
            }
        }
        self
    }

    /// A value that may have a type before it, which stays when it is clean: `order:4812`.
    fn after(&mut self, separator: char, place: &Place<'_>, text: &mut String) {
        let parts = text.split_once(separator).filter(|(kind, _)| self.rule_on(place, kind).is_none());
        if let Some((kind, id)) = parts {
            let (kind, mut id) = (kind.to_owned(), id.to_owned());
            if self.of_type(&kind, (&place.below(&kind), place), &mut id) {
                *text = format!("{kind}{separator}{id}");
                return;
            }
        }
        self.one(place, text);
    }

    /// A value whose type is told: rules on keys of that name hit it too. True when it was hidden. The type
    /// may be none that can be shown, so what was done is told of the place without it.
    fn of_type(&mut self, kind: &str, (at, place): (&Place<'_>, &Place<'_>), id: &mut String) -> bool {
        let spot = self.done.spot(at);
        let at = At { spot: &spot, inner: &[], leaf: Leaf::Text };
        let by = match self.finder.secret_key(kind, at) {
            Some(rule) if !is_mark(id) => Some((rule.id.clone(), rule.label.clone())),
            Some(_) | None => self.rule_at(at, id),
        };
        let Some((rule, label)) = by else { return false };
        self.hide_by(&rule, &label, place, id);
        true
    }

    /// True when the value was hidden.
    fn one(&mut self, place: &Place<'_>, text: &mut String) -> bool {
        let Some((id, label)) = self.rule_on(place, text) else { return false };
        self.hide_by(&id, &label, place, text);
        true
    }

    fn hide_by(&mut self, id: &str, label: &str, place: &Place<'_>, text: &mut String) {
        let mark = Mark::pseudonym(label, pseudonym(self.finder.key, id, text));
        self.done.note(place, &mark, text.len());
        let value = std::mem::replace(text, mark.text.clone());
        if value.len() >= ECHO_BYTES_MIN {
            self.hidden.push((value, mark));
        }
    }

    /// The first rule that hits a text, its name and its label; a text that can't be looked at counts as hit.
    fn rule_on(&self, place: &Place<'_>, text: &str) -> Option<(String, String)> {
        let spot = self.done.spot(place);
        self.rule_at(At { spot: &spot, inner: &[], leaf: Leaf::Text }, text)
    }

    fn rule_at(&self, at: At<'_>, text: &str) -> Option<(String, String)> {
        if let Some((_, mark)) = self.short.iter().find(|(value, _)| value == text) {
            let by = By::Echo(Arc::clone(mark));
            return Some((by.id().to_owned(), by.label().to_owned()));
        }
        if let Whole::All(rule) | Whole::Parts(rule) = self.finder.whole(at) {
            return Some((rule.id.clone(), rule.label.clone()));
        }
        let folded = Folded::of(text);
        let suspicion = self.finder.suspect(text, &folded);
        if !suspicion.any() {
            return None;
        }
        let hits = Budget::of_field(self.limits, text.len())
            .and_then(|mut budget| self.finder.find(text, &folded, (suspicion, at), &mut budget));
        match hits {
            Ok(hits) => hits.first().map(|hit| (hit.by.id().to_owned(), hit.by.label().to_owned())),
            Err(Overrun) => Some(("withheld".to_owned(), "withheld".to_owned())),
        }
    }
}

/// What identifies something, but for values with a type before them.
fn identifying(facts: &mut Facts) -> impl Iterator<Item = (&'static str, &mut String)> {
    [
        ("run_id", &mut facts.run_id),
        ("step_id", &mut facts.step_id),
        ("session_id", &mut facts.session_id),
        ("user_id", &mut facts.user_id),
        ("worker", &mut facts.worker),
        ("tool_call_id", &mut facts.tool_call_id),
        ("key", &mut facts.key),
        ("downstream_id", &mut facts.downstream_id),
        ("verifies", &mut facts.verifies),
        ("compensates", &mut facts.compensates),
        ("approver", &mut facts.approver),
        ("context_ref", &mut facts.context_ref),
    ]
    .into_iter()
    .filter_map(|(name, text)| Some((name, text.as_mut()?)))
}

/// What describes.
fn describing(facts: &mut Facts) -> impl Iterator<Item = (&'static str, &mut String)> {
    let given = [
        ("agent", &mut facts.agent),
        ("agent_version", &mut facts.agent_version),
        ("service", &mut facts.service),
        ("environment", &mut facts.environment),
        ("model", &mut facts.model),
        ("model_requested", &mut facts.model_requested),
        ("provider", &mut facts.provider),
        ("tool", &mut facts.tool),
        ("value", &mut facts.value),
        ("policy_version", &mut facts.policy_version),
    ];
    let plain = [
        ("name", &mut facts.name),
        ("dialect", &mut facts.dialect),
        ("status_message", &mut facts.status_message),
    ];
    given.into_iter().filter_map(|(name, text)| Some((name, text.as_mut()?))).chain(plain)
}

/// Every string and key of a step. Identifying values are clean already, and clean text is only looked at.
fn walk(pass: &mut Scrubber<'_>, step: &mut Step) {
    let spots = spots(pass, step);
    for (name, text) in identifying(&mut step.facts) {
        pass.text(&Place::field(name), text);
    }
    for (name, text) in describing(&mut step.facts) {
        pass.text(&Place::field(name), text);
    }
    rest_of_facts(pass, &mut step.facts);
    for (at, proposal) in step.proposed.iter_mut().enumerate() {
        proposed(pass, &Place::field("proposed").item(at), proposal);
    }
    pass.pairs(&Place::field("attributes"), &mut step.attributes, None);
    split::joined(pass, &mut step.events);
    for (at, event) in step.events.iter_mut().enumerate() {
        let events = Place::field("events");
        let place = events.item(at);
        pass.text(&place.below("name"), &mut event.name);
        pass.pairs(&place.below("attributes"), &mut event.attributes, None);
    }
    pass.pairs(&Place::field("resource"), &mut step.resource, None);
    let scope = Place::field("scope");
    pass.text(&scope.below("name"), &mut step.scope.name);
    pass.text(&scope.below("version"), &mut step.scope.version);
    pass.pairs(&scope.below("attributes"), &mut step.scope.attributes, None);
    bodies(pass, step, &spots);
}

fn rest_of_facts(pass: &mut Scrubber<'_>, facts: &mut Facts) {
    if let Some(target) = &mut facts.target {
        pass.text(&Place::field("target"), target);
    }
    let lists = [
        ("link_keys", &mut facts.link_keys),
        ("errors_shown", &mut facts.errors_shown),
        ("finish_reasons", &mut facts.finish_reasons),
    ];
    for (name, list) in lists {
        for (at, text) in list.iter_mut().enumerate() {
            pass.text(&Place::field(name).item(at), text);
        }
    }
    for (at, entity) in facts.entities.iter_mut().enumerate() {
        let entities = Place::field("entities");
        pass.text(&entities.item(at), &mut entity.kind);
        pass.text(&entities.item(at), &mut entity.id);
    }
    pass.pairs(&Place::field("parameters"), &mut facts.parameters, None);
    if let Some(error) = &mut facts.error {
        pass.text(&Place::field("error").below("type"), &mut error.kind);
        pass.text(&Place::field("error").below("message"), &mut error.message);
    }
    if let Some(http) = &mut facts.http {
        let texts = [("http.method", &mut http.method), ("http.retry_after", &mut http.retry_after)];
        for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_mut()?))) {
            pass.text(&Place::field(name), text);
        }
    }
    for (at, link) in facts.links.iter_mut().enumerate() {
        let links = Place::field("links");
        pass.pairs(&links.item(at), &mut link.attributes, None);
    }
    for (at, finding) in facts.findings.iter_mut().enumerate() {
        pass.text(&Place::field("findings").item(at), &mut finding.message);
    }
}

fn proposed(pass: &mut Scrubber<'_>, place: &Place<'_>, proposal: &mut Proposal<usize>) {
    for call_id in proposal.call_id.iter_mut() {
        pass.text(&place.below("call_id"), call_id);
    }
    pass.text(&place.below("tool"), &mut proposal.tool);
}
