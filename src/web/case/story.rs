//! The story of a case in order of time: what was sent, what was heard, who looked, what people said.
use crate::domain::case::{Case, CaseAct, CaseEvent, Resolution};
use crate::domain::ids::SpanId;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::path::{Move, Origin};
use crate::web::badge;
use crate::web::case::uses::{Asking, Use, askings};
use crate::web::format;
use crate::web::link::Links;
use crate::web::text::{Text, sentence, shortened};

/// Entries shown on one page, the latest of them.
const ENTRIES_MAX: usize = 200;

/// One thing that happened.
#[derive(Debug)]
pub(in crate::web) struct Entry {
    at_ns: u64,
    /// What keeps the order of things at one moment.
    rank: u8,
    /// `12 Nov 16:02:11`; the day only where it changes.
    pub(in crate::web) at: String,
    /// The whole time, for machines.
    pub(in crate::web) datetime: String,
    /// The glyph's name in the sprite.
    pub(in crate::web) glyph: &'static str,
    /// The class of what is known from then on.
    pub(in crate::web) state: &'static str,
    /// The fact first.
    pub(in crate::web) head: Text,
    /// The rest of the sentence.
    pub(in crate::web) tail: Text,
    /// Said quietly below.
    pub(in crate::web) detail: Text,
    /// What somebody wrote, each with what it is: evidence or note.
    pub(in crate::web) said: Vec<(&'static str, Text, Option<String>)>,
    /// Where it stands in a run.
    pub(in crate::web) href: Option<String>,
}

/// The story.
#[derive(Debug)]
pub(in crate::web) struct Story {
    pub(in crate::web) entries: Vec<Entry>,
    /// Such as "6 records, none can be changed".
    pub(in crate::web) count: String,
}

impl Story {
    /// The story of a case, from its attempts and from what was appended to it.
    pub(in crate::web) fn of(
        case: &Case,
        events: &[CaseEvent],
        uses: &[Use<'_>],
        (links, now_ns): (&Links, u64),
    ) -> Self {
        let asked = askings(uses);
        let mut entries: Vec<Entry> = uses.iter().flat_map(|used| attempt(used, uses.len(), links)).collect();
        entries.extend(asked.iter().map(|asking| look(asking, case, links)));
        entries.extend(case.path.iter().filter_map(|moved| elsewhere(moved, uses, &asked, links)));
        entries.extend(events.iter().map(|event| event_of(event, case)));
        entries.sort_by_key(|entry| (entry.at_ns, entry.rank));
        let count = format::counted(format::length(entries.len()), "record", "records");
        let left_out = entries.len().saturating_sub(ENTRIES_MAX);
        entries.drain(..left_out);
        let mut before = None;
        for entry in &mut entries {
            let day = Some(format::day(entry.at_ns, now_ns));
            let clock = format::clock(entry.at_ns);
            entry.at = match day.as_deref() {
                same if same == before.as_deref() => clock,
                Some("") | None => format!("Today {clock}"),
                Some(day) => format!("{day} {clock}"),
            };
            entry.datetime = format::rfc3339(entry.at_ns);
            // A glyph of an outcome keeps the colour of that outcome, whatever else was known by then.
            entry.state = entry.glyph.strip_prefix("s-").unwrap_or_else(|| state_at(&case.path, entry.at_ns));
            before = day;
        }
        let count = match left_out {
            0 => format!("{count}, none can be changed"),
            _ => format!("the latest {} of {count}", format::number(ENTRIES_MAX)),
        };
        Self { entries, count }
    }
}

/// What was known at a moment.
fn state_at(path: &[Move], at_ns: u64) -> &'static str {
    path.iter().rfind(|moved| moved.at_ns <= at_ns).map_or("submitted", |moved| moved.state.word())
}

fn entry(at_ns: u64, rank: u8, glyph: &'static str, head: impl Into<String>) -> Entry {
    Entry {
        at_ns,
        rank,
        at: String::new(),
        datetime: String::new(),
        glyph,
        state: "none",
        head: Text::new(head),
        tail: Text::default(),
        detail: Text::default(),
        said: Vec::new(),
        href: None,
    }
}

/// Sending, and the end of waiting.
fn attempt(used: &Use<'_>, of: usize, links: &Links) -> Vec<Entry> {
    let facts = &used.attempt.record.facts;
    let href = Some(links.attempt(&used.run.run_id, &facts.span_id));
    let mut who = vec![match of {
        1 => String::new(),
        _ => format!("Attempt {}", used.attempt.number),
    }];
    who.extend(facts.worker.as_deref().map(|worker| format!("worker {}", shortened(worker, 40))));
    who.extend(facts.epoch.map(|epoch| format!("epoch {epoch}")));
    who.retain(|part| !part.is_empty());
    let detail = Text::new(sentence(&who.join(", ")));
    if facts.gate.held() {
        let mut held = entry(facts.started_ns, 0, gate_glyph(facts.gate.word()), "Held by the gate.");
        held.tail = Text::new("Nothing was sent.");
        (held.detail, held.href) = (detail, href);
        return vec![held];
    }
    let mut sent = entry(facts.started_ns, 0, "s-submitted", "Sent.");
    sent.tail = Text::new(match facts.gate.word() {
        "new" => "The gate knew no earlier record under this key.",
        _ => "",
    });
    (sent.detail, sent.href) = (detail, href.clone());
    let mut entries = vec![sent];
    // A record of the intent alone ends as it begins: that nothing was heard since is said by its deadline.
    let heard = |ended: &u64| *ended > facts.started_ns || used.attempt.outcome != Some(Outcome::Unknown);
    if let (Some(ended), Some(outcome)) = (facts.ended_ns.filter(heard), used.attempt.outcome) {
        let reason = sentence(&shortened(&used.attempt.reason, 200));
        let (glyph, reads) = match outcome {
            Outcome::Unknown => ("s-unknown", "Outcome unknown."),
            Outcome::Submitted => ("s-submitted", "Not seen done yet."),
            Outcome::Confirmed => ("s-confirmed", ""),
            Outcome::Failed => ("s-failed", "It did not happen."),
        };
        let head = if reason.is_empty() { outcome_head(outcome).to_owned() } else { full_stop(reason) };
        let mut end = entry(ended, 1, glyph, head);
        (end.tail, end.href) = (Text::new(reads), href);
        entries.push(end);
    }
    entries
}

fn full_stop(text: String) -> String {
    if text.ends_with(['.', '…', '!', '?']) { text } else { format!("{text}.") }
}

fn gate_glyph(gate: &str) -> &'static str {
    if gate == "duplicate" { "g-duplicate" } else { "g-unknown" }
}

fn outcome_head(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unknown => "No answer.",
        Outcome::Submitted => "Accepted.",
        Outcome::Confirmed => "Answered OK.",
        Outcome::Failed => "Refused.",
    }
}

/// A look-up, and what it told.
fn look(asking: &Asking<'_>, case: &Case, links: &Links) -> Entry {
    let span = asking.look.span_id;
    let told = case.path.iter().find(|moved| span_of(&moved.origin) == Some(span));
    let (head, tail) = match (asking.look.answered, told.map(|moved| moved.state)) {
        (false, _) => ("Look-up not answered.", "It proves nothing either way."),
        (true, Some(Outcome::Confirmed)) => ("Look-up: it happened.", ""),
        (true, Some(Outcome::Failed)) => ("Look-up: it did not happen.", ""),
        (true, Some(Outcome::Unknown)) => ("Look-up disagrees.", "What was confirmed is in doubt."),
        (true, Some(Outcome::Submitted) | None) => ("Looked up.", "The answer does not say."),
    };
    let mut entry = entry(asking.look.at_ns, 2, "i-reconcile", head);
    entry.tail = Text::new(tail);
    if let Some((step, attempt)) = asking.found {
        let tool = step.tool.as_deref().unwrap_or(&step.name);
        let reason = sentence(&shortened(&attempt.reason, 160));
        let parts = [shortened(tool, 60), reason];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        entry.detail = Text::new(parts.join(" · "));
    }
    entry.href = Some(links.attempt(&asking.run.run_id, &span));
    entry
}

/// A move of the state that no attempt, look-up or event on this page shows: a deadline, or another run.
fn elsewhere(moved: &Move, uses: &[Use<'_>], asked: &[Asking<'_>], links: &Links) -> Option<Entry> {
    match &moved.origin {
        Origin::Deadline => {
            let mut entry = entry(moved.at_ns, 3, "i-clock", "Its time to answer passed.");
            entry.tail = Text::new("Unknown from here on.");
            Some(entry)
        }
        Origin::Span { run_id, span_id, .. } => {
            let is_here = uses.iter().any(|used| used.attempt.record.facts.span_id == *span_id)
                || asked.iter().any(|asking| asking.look.span_id == *span_id);
            if is_here {
                return None;
            }
            let how = badge::evidence(moved.state, moved.evidence);
            let mut entry =
                entry(moved.at_ns, 2, "i-reconcile", format!("{}.", sentence(moved.state.word())));
            entry.tail = Text::new(format!("{}, by {}.", sentence(how), shortened(&moved.by, 60)));
            entry.href = Some(links.attempt(run_id, span_id));
            Some(entry)
        }
        Origin::Event(_) => None,
    }
}

fn span_of(origin: &Origin) -> Option<SpanId> {
    match origin {
        Origin::Span { span_id, .. } => Some(*span_id),
        Origin::Event(_) | Origin::Deadline => None,
    }
}

fn event_of(event: &CaseEvent, case: &Case) -> Entry {
    let by = shortened(&event.by, 60);
    let glyph = if event.by_job { "i-reconcile" } else { "i-human" };
    let with = |head: String| entry(event.at_ns, 4, glyph, head);
    match &event.act {
        CaseAct::Claim => with(format!("{by} took it.")),
        CaseAct::HandOver { to, note } => {
            let mut entry = with(match to {
                Some(to) => format!("{by} handed it to {}.", shortened(to, 60)),
                None => format!("{by} put it back into the queue."),
            });
            entry.said = quote("", note).into_iter().collect();
            entry
        }
        CaseAct::Comment(text) => {
            let mut entry = with(format!("{by} wrote:"));
            entry.said = quote("", text).into_iter().collect();
            entry
        }
        CaseAct::Resolve(resolution) => resolved(with(format!("{by} {}", closing(resolution))), resolution),
        CaseAct::Agree { note } => {
            let mut entry = with(format!("{by} agreed: it counts from here on."));
            entry.said = quote("", note).into_iter().collect();
            entry
        }
        CaseAct::Reopen(why) => {
            let was = case.path.iter().any(|moved| moved.origin == Origin::Event(event.event_id.clone()));
            let head = if was { "opened it again." } else { "took the resolution back." };
            let mut entry = with(format!("{by} {head}"));
            entry.said = quote("", why).into_iter().collect();
            entry
        }
    }
}

/// What a resolution says, after the name of who closes.
fn closing(resolution: &Resolution) -> &'static str {
    match (resolution.outcome, resolution.needs_second) {
        (Outcome::Confirmed, false) => "resolved it: confirmed.",
        (Outcome::Confirmed, true) => "resolved it as confirmed. A second person must agree.",
        (Outcome::Failed, false) => "resolved it: failed, it did not happen.",
        (Outcome::Failed, true) => "resolved it as failed. A second person must agree.",
        (Outcome::Unknown | Outcome::Submitted, _) => "looked, and it still can't be told.",
    }
}

fn resolved(mut entry: Entry, resolution: &Resolution) -> Entry {
    entry.said =
        quote("Evidence", &resolution.evidence).into_iter().chain(quote("Note", &resolution.note)).collect();
    entry
}

/// What somebody wrote, with the address when it is nothing but one.
pub(in crate::web) fn quote(what: &'static str, text: &str) -> Option<(&'static str, Text, Option<String>)> {
    let text = text.trim();
    (!text.is_empty()).then(|| (what, Text::new(text), web_address(text)))
}

/// An address that a browser may be sent to; only whole ones over HTTP.
fn web_address(text: &str) -> Option<String> {
    let parsed = url::Url::parse(text).ok()?;
    let is_web = matches!(parsed.scheme(), "http" | "https") && parsed.has_host();
    (is_web && text.len() <= 2_000 && !text.contains(char::is_whitespace)).then(|| parsed.to_string())
}

/// How the act was settled: the move that counts, in words.
pub(in crate::web) fn settled(case: &Case) -> Option<(Outcome, Evidence, String)> {
    let last = case.path.last()?;
    let known = matches!(last.state, Outcome::Confirmed | Outcome::Failed);
    known.then(|| (last.state, last.evidence, crate::web::case::line::settled_by(last.evidence, &last.by)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_web_addresses_become_links() {
        for (text, expected) in [
            ("https://tickets.example/4812", Some("https://tickets.example/4812")),
            ("http://10.0.0.1/x?y=1", Some("http://10.0.0.1/x?y=1")),
            ("javascript:alert(1)", None),
            ("see https://tickets.example/4812", None),
            ("data:text/html,x", None),
            ("ftp://x/y", None),
            ("ledger entry re_88213", None),
        ] {
            assert_eq!(web_address(text).as_deref(), expected, "{text}");
        }
    }
}
