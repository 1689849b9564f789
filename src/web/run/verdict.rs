//! The card that says it first: what happened, whether the record is whole, what was noticed.
use std::collections::BTreeMap;

use crate::domain::finding::{Code, Severity};
use crate::domain::kind::Kind;
use crate::domain::outcome::{Evidence, Outcome};
use crate::domain::run::{Attempt, Run, RunFinding, RunStep, Whole};
use crate::web::badge::{self, Badge};
use crate::web::finding;
use crate::web::format;
use crate::web::run::bars::attempts;
use crate::web::run::thread::confirmed_effect;
use crate::web::run::view::{Show, View, outcome_now, step_by_id};
use crate::web::text::{Text, shortened};

/// Effects shown in the card; the rest is one link away.
const EFFECTS_MAX: usize = 6;
/// Steps that one finding links to.
const LINKS_MAX: usize = 3;

/// The card under the head of a run.
#[derive(Debug)]
pub(in crate::web) struct Card {
    /// The class of the tone; also names the glyph.
    pub(in crate::web) tone: &'static str,
    pub(in crate::web) head: Text,
    pub(in crate::web) tail: Text,
    /// The class, the icon and the heading of the verdict on completeness.
    pub(in crate::web) whole: (&'static str, &'static str, &'static str),
    pub(in crate::web) whole_tail: Text,
    pub(in crate::web) effects: Vec<Effect>,
    /// Such as "12 more acts", and the address that lists them.
    pub(in crate::web) more: Option<(String, String)>,
    pub(in crate::web) findings: Vec<FindingRow>,
    /// What is good to know and no more.
    pub(in crate::web) notes: Vec<FindingRow>,
}

/// One intended effect: its state, what it is, how we know.
#[derive(Debug)]
pub(in crate::web) struct Effect {
    pub(in crate::web) badge: Badge,
    pub(in crate::web) what: Text,
    pub(in crate::web) how: Text,
    pub(in crate::web) href: String,
}

/// What was noticed, once for each code.
#[derive(Debug)]
pub(in crate::web) struct FindingRow {
    pub(in crate::web) title: &'static str,
    pub(in crate::web) code: &'static str,
    pub(in crate::web) text: Text,
    /// Such as "11 more like it"; empty when it is the only one.
    pub(in crate::web) more: String,
    /// The steps that show it: number and address.
    pub(in crate::web) steps: Vec<(u32, String)>,
}

impl Card {
    /// The card of a run.
    pub(in crate::web) fn of(run: &Run, view: &View) -> Self {
        let mut effects: Vec<(bool, Effect)> = run
            .steps
            .iter()
            .filter(|step| step.kind == Kind::Act)
            .flat_map(|step| effects(step, view))
            .collect();
        let all = effects.len();
        if all > EFFECTS_MAX {
            // What is open or went wrong comes first; the sort keeps the order of time otherwise.
            effects.sort_by_key(|(settled, _)| *settled);
            effects.truncate(EFFECTS_MAX);
        }
        let (findings, notes) =
            findings(run, view).into_iter().partition(|(severity, _)| *severity > Severity::Info);
        let rows = |found: Vec<(Severity, FindingRow)>| found.into_iter().map(|(_, row)| row).collect();
        Self {
            tone: badge::tone(run.verdict.tone),
            head: Text::new(run.verdict.line.clone()),
            tail: Text::new(run.verdict.detail.clone()),
            whole: badge::whole(run.completeness.verdict),
            whole_tail: Text::new(whole_tail(run)),
            more: (all > EFFECTS_MAX).then(|| {
                let line = format::counted(format::length(all - EFFECTS_MAX), "more act", "more acts");
                (line, View { show: Show::Acts, from: None, span: None, tab: None, ..view.clone() }.query())
            }),
            effects: effects.into_iter().map(|(_, effect)| effect).collect(),
            findings: rows(findings),
            notes: rows(notes),
        }
    }
}

fn whole_tail(run: &Run) -> String {
    let whole = &run.completeness;
    let mut parts = vec![format::counted(whole.record_count, "record", "records")];
    if whole.gaps.is_empty() && whole.verdict == Whole::NotProvable {
        parts.push("nothing sent proves that these are all".to_owned());
    }
    parts.extend(whole.gaps.iter().take(3).map(|gap| shortened(gap, 120)));
    if whole.gaps.len() > 3 {
        parts.push(format::counted(format::length(whole.gaps.len() - 3), "more gap", "more gaps"));
    }
    for (count, one, many) in [
        (whole.rejected, "refused", "refused"),
        (whole.sampled, "read sampled away", "reads sampled away"),
        (whole.redacted, "redaction", "redactions"),
    ] {
        if count > 0 {
            parts.push(format::counted(count, one, many));
        }
    }
    if whole.skew_ms_max > 1_000 {
        let skew = format::duration(whole.skew_ms_max.saturating_mul(1_000_000));
        parts.push(format!("clocks differ by up to {skew}"));
    }
    parts.join(" · ")
}

/// The effects of a step: one for its intent, and one more for each time it took effect again.
fn effects(step: &RunStep, view: &View) -> Vec<(bool, Effect)> {
    let made: Vec<&Attempt> = attempts(step).filter(|attempt| confirmed_effect(attempt)).collect();
    if made.len() > 1 {
        let ordinals = ["", "Second ", "Third ", "Fourth "];
        let effect = |(at, attempt): (usize, &&Attempt)| {
            let ordinal = ordinals.get(at).copied().unwrap_or("Another ");
            let badge = Badge::outcome(Outcome::Confirmed);
            (false, effect_of(badge, format!("{ordinal}{}", what(step)), attempt, (view, step.number)))
        };
        return made.iter().enumerate().map(effect).collect();
    }
    let Some(outcome) = step.outcome else { return Vec::new() };
    let settled = !outcome.blocks_retry() && outcome != Outcome::Failed;
    let shown = attempts(step).rfind(|attempt| outcome_now(attempt) == Some(outcome));
    let Some(attempt) = shown.or_else(|| attempts(step).next_back()) else { return Vec::new() };
    vec![(settled, effect_of(Badge::outcome(outcome), what(step), attempt, (view, step.number)))]
}

fn effect_of(badge: Badge, what: String, attempt: &Attempt, (view, number): (&View, u32)) -> Effect {
    let mut how = Vec::new();
    how.extend(attempt.record.facts.downstream_id.clone().map(|id| shortened(&id, 60)));
    let known = attempt.now.or(attempt.outcome.zip(attempt.evidence));
    match known {
        Some((_, Evidence::Given | Evidence::Status | Evidence::Error | Evidence::Timeout)) | None
            if !attempt.reason.is_empty() =>
        {
            how.push(shortened(&attempt.reason, 120));
        }
        Some((_, Evidence::Resolution)) => how.push(match attempt.path.last() {
            Some(moved) => format!("was unknown, resolved by {}", shortened(&moved.by, 40)),
            None => "was unknown, resolved".to_owned(),
        }),
        Some((outcome, evidence)) => how.push(badge::evidence(outcome, evidence).to_owned()),
        None => {}
    }
    Effect {
        badge,
        what: Text::new(what),
        how: Text::new(how.join(", ")),
        href: format!("{}#step-{number}", view.to(attempt)),
    }
}

/// What a step is called where there is room for one line.
pub(in crate::web) fn title(step: &RunStep) -> String {
    match step.kind {
        Kind::Act => what(step),
        Kind::Think
        | Kind::Read
        | Kind::Reconcile
        | Kind::Wait
        | Kind::Agent
        | Kind::Transport
        | Kind::Other => {
            if step.name.is_empty() {
                step.kind.word().to_owned()
            } else {
                step.name.clone()
            }
        }
    }
}

/// What an act is: "issue_refund 40.00 EUR on order:4812".
pub(in crate::web) fn what(step: &RunStep) -> String {
    let tool = step.tool.as_deref().unwrap_or(&step.name);
    let value = attempts(step).filter_map(|attempt| attempt.record.facts.value.as_deref()).next_back();
    let mut line = shortened(tool, 60);
    if let Some(value) = value {
        line = format!("{line} {}", format::stake(value, 40));
    }
    match step.target.as_deref() {
        Some(target) => format!("{line} on {}", shortened(target, 60)),
        None => line,
    }
}

fn findings(run: &Run, view: &View) -> Vec<(Severity, FindingRow)> {
    let mut by_code: BTreeMap<Code, Vec<&RunFinding>> = BTreeMap::new();
    for finding in &run.findings {
        by_code.entry(finding.code).or_default().push(finding);
    }
    let mut rows: Vec<(Severity, FindingRow)> =
        by_code.into_iter().map(|(code, found)| (code.severity(), row(run, view, code, &found))).collect();
    rows.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    rows
}

fn row(run: &Run, view: &View, code: Code, found: &[&RunFinding]) -> FindingRow {
    let steps = found.iter().flat_map(|finding| finding.step_ids.iter()).filter_map(|id| step_by_id(run, id));
    let mut links: Vec<(u32, String)> = Vec::new();
    for step in steps.take(20 * LINKS_MAX) {
        if links.len() < LINKS_MAX && links.iter().all(|(number, _)| *number != step.number) {
            let spans = found.iter().flat_map(|finding| finding.spans.iter());
            let shows =
                |attempt: &&Attempt| spans.clone().any(|(_, span)| *span == attempt.record.facts.span_id);
            let chosen = attempts(step).rfind(shows).or_else(|| attempts(step).next_back());
            links.extend(
                chosen.map(|attempt| (step.number, format!("{}#step-{}", view.to(attempt), step.number))),
            );
        }
    }
    FindingRow {
        title: finding::title(code),
        code: code.word(),
        text: Text::new(
            found
                .first()
                .map(|finding| finding::said(&finding.message, finding.since_ns))
                .unwrap_or_default(),
        ),
        more: match found.len() {
            0 | 1 => String::new(),
            n => format!("{} more like it", format::number(n - 1)),
        },
        steps: links,
    }
}
