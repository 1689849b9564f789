//! Redacts a whole step: every string and every key of it, in up to three passes.
//!
//! First what identifies: a run, key or entity that a rule hits becomes a pseudonym. Then everything, with
//! those values replaced wherever they stand. Last, if a secret key gave a value away, that value everywhere
//! else.
use std::sync::Arc;

use crate::domain::finding::{Code, Finding};
use crate::domain::record::Redaction;
use crate::domain::secret::SecretKey;
use crate::domain::step::{Facts, Proposal, Step};
use crate::domain::value::{Piece, Value};
use crate::redaction::budget::{Budget, Overrun};
use crate::redaction::echo::Echoes;
use crate::redaction::finder::Finder;
use crate::redaction::fold::Folded;
use crate::redaction::frames::body_of;
use crate::redaction::json::{looks_like_json, quoted};
use crate::redaction::mark::Mark;
use crate::redaction::place::Place;
use crate::redaction::pseudonym::pseudonym;
use crate::redaction::rules::Rules;
use crate::redaction::settings::Limits;
use crate::redaction::values::{Did, Scrubber};

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
    let identity = Identity::new(Finder { rules: Some(rules), echoes: &none }, limits, key).hide(step);
    let mut redactions: Vec<Redaction> = identity.done.redactions().collect();
    let echoes = Echoes::new(identity.hidden)?;

    let mut all = Scrubber::new(Finder { rules: Some(rules), echoes: &echoes }, limits);
    walk(&mut all, step);
    redactions.extend(all.redactions());
    let mut secrets = std::mem::take(&mut all.secrets);
    let mut withheld = std::mem::take(&mut all.withheld);

    if !secrets.is_empty() {
        let found = Echoes::new(secrets.clone())?;
        let identity = Identity::new(Finder { rules: None, echoes: &found }, limits, key).hide(step);
        redactions.extend(identity.done.redactions());
        secrets.extend(identity.hidden);
        let echoes = Echoes::new(secrets)?;
        let mut echoed = Scrubber::new(Finder { rules: None, echoes: &echoes }, limits);
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
    key: &'a SecretKey,
    /// The values with what stands for them.
    hidden: Vec<(String, Arc<Mark>)>,
    done: Scrubber<'a>,
}

impl<'a> Identity<'a> {
    fn new(finder: Finder<'a>, limits: &'a Limits, key: &'a SecretKey) -> Self {
        Self { finder, limits, key, hidden: Vec::new(), done: Scrubber::new(finder, limits) }
    }

    /// Hides what has to be hidden.
    fn hide(mut self, step: &mut Step) -> Self {
        for (name, text) in identifying(&mut step.facts) {
            self.one(&Place::field(name), text);
        }
        for target in step.facts.target.iter_mut() {
            self.after(':', &Place::field("target"), target);
        }
        for (at, link_key) in step.facts.link_keys.iter_mut().enumerate() {
            self.after('=', &Place::field("link_keys").item(at), link_key);
        }
        for (at, entity) in step.facts.entities.iter_mut().enumerate() {
            self.one(&Place::field("entities").item(at), &mut entity.id);
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
        let parts = text.split_once(separator).filter(|(kind, _)| self.rule_on(kind).is_none());
        if let Some((kind, id)) = parts {
            let (kind, mut id) = (kind.to_owned(), id.to_owned());
            if self.one(place, &mut id) {
                *text = format!("{kind}{separator}{id}");
                return;
            }
        }
        self.one(place, text);
    }

    /// True when the value was hidden.
    fn one(&mut self, place: &Place<'_>, text: &mut String) -> bool {
        let Some(rule) = self.rule_on(text) else { return false };
        let mark = Mark::pseudonym(&rule, pseudonym(self.key, &rule, text));
        self.done.note(place, &mark, text.len());
        let value = std::mem::replace(text, mark.text.clone());
        if value.len() >= ECHO_BYTES_MIN {
            self.hidden.push((value, mark));
        }
        true
    }

    /// The first rule that hits a text; a text that can't be looked at counts as hit.
    fn rule_on(&self, text: &str) -> Option<String> {
        let folded = Folded::of(text);
        let suspicion = self.finder.suspect(text, &folded);
        if !suspicion.any() {
            return None;
        }
        let hits = Budget::of_field(self.limits, text.len())
            .and_then(|mut budget| self.finder.find(text, &folded, suspicion, &mut budget));
        match hits {
            Ok(hits) => hits.first().map(|hit| hit.mark.rule.clone()),
            Err(Overrun) => Some("withheld".to_owned()),
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
    bodies(pass, step);
}

fn rest_of_facts(pass: &mut Scrubber<'_>, facts: &mut Facts) {
    if let Some(target) = &mut facts.target {
        pass.text(&Place::field("target"), target);
    }
    for (name, list) in [("link_keys", &mut facts.link_keys), ("finish_reasons", &mut facts.finish_reasons)] {
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

/// The bodies, after everything that may say that one of them is secret as a whole.
fn bodies(pass: &mut Scrubber<'_>, step: &mut Step) {
    let field = Place::field("bodies");
    for (at, body) in step.bodies.iter_mut().enumerate() {
        let place = field.item(at);
        pass.text(&place.below("role"), &mut body.role);
        // Inside JSON, text is replaced by text; a bare number or a body that is gone needs its quotes.
        let bare = !looks_like_json(&body.body);
        let needs_quotes = if let Some(mark) = pass.lost.get(&at).map(Arc::clone) {
            pass.mask(&place, &mut body.body, &mark) == Did::Replaced
        } else {
            let did = pass.text(&place, &mut body.body);
            if did == Did::Withheld {
                pass.lost.insert(at, Mark::withheld("budget"));
            }
            did == Did::Withheld || (bare && did == Did::Replaced)
        };
        if needs_quotes && body.is_json {
            body.body = quoted(&body.body);
        }
    }
    if !pass.lost.is_empty() {
        let events = step.events.iter_mut().flat_map(|event| &mut event.attributes);
        let pairs = step.attributes.iter_mut().chain(&mut step.facts.parameters).chain(events);
        pairs.for_each(|(_, value)| close_frames(pass, value));
    }
}

/// A piece of a body that is gone becomes the mark that stands for it.
fn close_frames(pass: &Scrubber<'_>, value: &mut Value) {
    match value {
        Value::Framed(pieces) => {
            for piece in pieces {
                if let Some(mark) = body_of(piece).and_then(|body| pass.lost.get(&body)) {
                    let as_json = matches!(piece, Piece::Json(..));
                    *piece = Piece::Text(if as_json { quoted(&mark.text) } else { mark.text.clone() });
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| close_frames(pass, value)),
        Value::Map(pairs) => pairs.iter_mut().for_each(|(_, value)| close_frames(pass, value)),
        Value::Empty
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Double(_)
        | Value::String(_)
        | Value::Bytes(_) => {}
    }
}
