//! What the second of two people sees: what the first one did, and that nothing of their own was recorded.
use crate::domain::case::{CaseAct, CaseEvent};
use crate::web::case::story::quote;
use crate::web::format;
use crate::web::text::{Text, shortened};

/// What came between.
#[derive(Debug)]
pub(in crate::web) struct Clash {
    /// The first one's act, as a sentence.
    pub(in crate::web) head: Text,
    /// When, and what it means.
    pub(in crate::web) text: String,
    /// What the first one wrote: what it is, the text, and its address when it is one.
    pub(in crate::web) said: Vec<(&'static str, Text, Option<String>)>,
    /// What became of what was typed.
    pub(in crate::web) kept: &'static str,
}

impl Clash {
    /// The clash of a form whose author saw `saw` last with what was appended since; a resolution before all
    /// else. `None` when nothing was.
    pub(in crate::web) fn of(events: &[CaseEvent], saw: Option<&str>, now_ns: u64) -> Option<Self> {
        let seen = saw.and_then(|saw| events.iter().position(|event| event.event_id == saw));
        let since = events.get(seen.map_or(0, |seen| seen + 1)..).unwrap_or_default();
        let closes = |event: &&CaseEvent| matches!(event.act, CaseAct::Resolve(_) | CaseAct::Agree { .. });
        let event = since.iter().find(closes).or_else(|| since.first())?;
        let by = shortened(&event.by, 60);
        let head = match &event.act {
            CaseAct::Resolve(resolution) => format!("{by} was faster and recorded: {}.", resolution.outcome),
            CaseAct::Agree { .. } => format!("{by} agreed meanwhile."),
            CaseAct::Claim => format!("{by} took it meanwhile."),
            CaseAct::HandOver { to: Some(to), .. } => {
                format!("{by} handed it to {} meanwhile.", shortened(to, 60))
            }
            CaseAct::HandOver { to: None, .. } => format!("{by} put it back into the queue meanwhile."),
            CaseAct::Comment(_) => format!("{by} wrote something meanwhile."),
            CaseAct::Reopen(_) => format!("{by} opened it again meanwhile."),
        };
        let said = match &event.act {
            CaseAct::Resolve(resolution) => {
                [quote("Evidence", &resolution.evidence), quote("Note", &resolution.note)]
            }
            CaseAct::Comment(text) | CaseAct::Reopen(text) => [quote("Note", text), None],
            CaseAct::Agree { note } | CaseAct::HandOver { note, .. } => [quote("Note", note), None],
            CaseAct::Claim => [None, None],
        };
        let at = format!("{} {}", format::day(event.at_ns, now_ns), format::clock(event.at_ns));
        Some(Self {
            head: Text::new(head),
            text: format!("At {} UTC, after you opened this page.", at.trim()),
            said: said.into_iter().flatten().collect(),
            kept: "Nothing of yours was recorded. What you typed is kept in a form below.",
        })
    }
}

impl Clash {
    /// The clash of somebody who saw all that there is, and asks for what does not fit.
    pub(in crate::web) fn other(said: &str) -> Self {
        Self {
            head: Text::new(format!("{said}.")),
            text: String::new(),
            said: Vec::new(),
            kept: "Nothing of yours was recorded. What you typed is kept in a form below.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::case::Resolution;
    use crate::domain::ids::{SpanId, TraceId};
    use crate::domain::outcome::Outcome;

    fn event(id: &str, act: CaseAct) -> CaseEvent {
        CaseEvent {
            case_id: "c".to_owned(),
            tool: "t".to_owned(),
            key: None,
            run_id: "r".to_owned(),
            step_id: "s".to_owned(),
            trace_id: TraceId::default(),
            span_id: SpanId::default(),
            event_id: id.to_owned(),
            at_ns: 1,
            by: "maya".to_owned(),
            by_job: false,
            saw: None,
            act,
        }
    }

    #[test]
    fn the_second_sees_what_the_first_said() {
        let resolution = Resolution {
            outcome: Outcome::Confirmed,
            evidence: "re_1".to_owned(),
            note: "it is there".to_owned(),
            needs_second: false,
        };
        let events = [
            event("e1", CaseAct::Claim),
            event("e2", CaseAct::Comment("hm".to_owned())),
            event("e3", CaseAct::Resolve(resolution)),
        ];
        let clash = Clash::of(&events, Some("e1"), 1).unwrap();
        assert_eq!(clash.head.to_string(), "maya was faster and recorded: confirmed.");
        assert_eq!(clash.said.len(), 2);
        assert!(Clash::of(&events, Some("e3"), 1).is_none());
        assert!(Clash::of(&events[..1], None, 1).unwrap().head.to_string().contains("took it"));
    }
}
