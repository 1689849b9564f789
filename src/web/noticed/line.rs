//! A finding as one line of a list.
use crate::domain::finding::Severity;
use crate::store::queries::FoundFinding;
use crate::web::finding;
use crate::web::format;
use crate::web::link::Links;
use crate::web::text::{Text, shortened};

/// Steps of one finding that a line links to.
const STEPS_SHOWN: usize = 3;

/// The line.
#[derive(Debug)]
pub(in crate::web) struct Line {
    /// The class of the severity.
    pub(in crate::web) severity: &'static str,
    pub(in crate::web) title: &'static str,
    /// What the code means.
    pub(in crate::web) about: String,
    pub(in crate::web) text: Text,
    pub(in crate::web) run: Text,
    pub(in crate::web) run_href: String,
    pub(in crate::web) agent: Text,
    pub(in crate::web) datetime: String,
    pub(in crate::web) at: String,
    /// Number and address of the steps that show it.
    pub(in crate::web) steps: Vec<(u32, String)>,
    /// Such as "and 4 more steps"; empty when all are linked.
    pub(in crate::web) more: String,
}

impl Line {
    /// The line of a finding.
    pub(in crate::web) fn of(found: &FoundFinding, links: &Links, now_ns: u64) -> Self {
        let steps: Vec<(u32, String)> = found
            .steps
            .iter()
            .take(STEPS_SHOWN)
            .map(|step| (step.number, links.step(&found.run_id, step.number, &step.span_id)))
            .collect();
        let rest = usize::try_from(found.step_count).unwrap_or_default().saturating_sub(steps.len());
        let name = if found.run_name.is_empty() { &found.run_id } else { &found.run_name };
        let (clock, day) = (format::minute(found.listed_ns), format::day(found.listed_ns, now_ns));
        Self {
            severity: found.code.severity().word(),
            title: finding::title(found.code),
            about: format!("{}#{}", links.to("/about/findings"), found.code),
            text: Text::new(finding::said(&found.message, found.since_ns)),
            run: Text::new(shortened(name, 80)),
            run_href: links.run(&found.run_id),
            agent: Text::new(shortened(&found.agent, 60)),
            datetime: format::rfc3339(found.listed_ns),
            at: format!("{clock} {day}").trim().to_owned(),
            steps,
            more: if rest > 0 {
                format!("and {}", format::counted(format::length(rest), "more step", "more steps"))
            } else {
                String::new()
            },
        }
    }

    /// Whether it is only good to know.
    pub(in crate::web) fn is_note(&self) -> bool {
        self.severity == Severity::Info.word()
    }
}
