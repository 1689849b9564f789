//! What an answer about an entity can and can't show: every limit that is known, and the two verdicts.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::erasure::Taken;
use crate::store::EntityFilter;
use crate::store::queries::EntityTally;
use crate::store::rows::Retention;
use crate::web::format::{count, counted, moment, rfc3339};

const DAY_NS: u64 = 86_400_000_000_000;

/// The limits of an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "EntityCoverage")]
pub(in crate::web) struct Coverage {
    /// From when on; null for everything kept.
    from: Option<String>,
    /// Until when.
    to: Option<String>,
    runs: u64,
    agents: u64,
    sessions: u64,
    steps: u64,
    acts: u64,
    attempts: u64,
    confirmed: u64,
    failed: u64,
    unknown: u64,
    submitted: u64,
    held: u64,
    reads: u64,
    lookups: u64,
    waits: u64,
    /// Acts of these runs that name nobody, where the run names several: not among the steps.
    unsaid_acts: u64,
    runs_complete: u64,
    runs_incomplete: u64,
    runs_not_provable: u64,
    /// Of the incomplete ones, the first hundred.
    gaps: Vec<Gap>,
    redacted: Vec<Rule>,
    /// Refused in this period, over the whole project: whether any was about this entity can't be told.
    rejected_in_project: u64,
    /// Runs whose client says that it dropped something before sending.
    runs_dropping: u64,
    /// Runs of which reads were left out by a rule of sampling: each run says how many.
    runs_sampled: u64,
    skew_ms_max: u64,
    /// Acts received before this have expired.
    acts_kept_from: String,
    reads_kept_from: String,
    bodies_kept_from: String,
    /// What was erased of these records, and under which erasures.
    erasures: Vec<Erased>,
    completeness: Verdict,
    integrity: Verdict,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RunGap")]
pub(in crate::web) struct Gap {
    pub(in crate::web) run_id: String,
    pub(in crate::web) at: String,
    pub(in crate::web) missing: Vec<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RuleHits")]
struct Rule {
    rule: String,
    hits: u64,
}

/// Contents that were erased on request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ErasedContents")]
pub(in crate::web) struct Erased {
    pub(in crate::web) erasure_id: String,
    pub(in crate::web) at: String,
    /// Records of these traces that lost their contents by it.
    pub(in crate::web) records: u64,
}

impl From<&Taken> for Erased {
    fn from(taken: &Taken) -> Self {
        Self { erasure_id: taken.erasure_id.clone(), at: rfc3339(taken.at_ns), records: taken.records }
    }
}

impl Erased {
    /// The same in a sentence.
    pub(in crate::web) fn sentence(&self) -> String {
        format!(
            "The contents of {} were erased on {} under {id}. The receipt {id} says so; who, what, \
             when and the outcome stay, and so does the proof.",
            counted(self.records, "record", "records"),
            day(&self.at),
            id = self.erasure_id
        )
    }
}

/// A verdict and why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::web) struct Verdict {
    pub(in crate::web) verdict: &'static str,
    pub(in crate::web) reason: String,
}

/// What the signed log says of all records, for the verdict on integrity.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Signed {
    /// The newest checkpoint: its time and how many records it covers.
    pub(in crate::web) checkpoint: Option<(u64, u64)>,
}

/// What is asked besides the tally.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Around {
    pub(in crate::web) rejected: u64,
    pub(in crate::web) erasures: Vec<Taken>,
    pub(in crate::web) signed: Signed,
    pub(in crate::web) retention: Retention,
    pub(in crate::web) now_ns: u64,
}

impl Coverage {
    /// The limits of what this filter finds.
    pub(in crate::web) fn of(tally: &EntityTally, filter: &EntityFilter, around: &Around) -> Self {
        let steps = &tally.tally;
        let kept = |days: u16| rfc3339(around.now_ns.saturating_sub(u64::from(days) * DAY_NS));
        let gap = |(run_id, at_ns, missing): &(String, u64, Vec<String>)| Gap {
            run_id: run_id.clone(),
            at: rfc3339(*at_ns),
            missing: missing.clone(),
        };
        Self {
            from: filter.from_ns.map(rfc3339),
            to: filter.to_ns.map(rfc3339),
            runs: tally.runs,
            agents: tally.agents,
            sessions: tally.sessions,
            steps: steps.steps(),
            acts: steps.acts(),
            attempts: steps.attempts,
            confirmed: steps.confirmed,
            failed: steps.failed,
            unknown: steps.unknown,
            submitted: steps.submitted,
            held: steps.held,
            reads: steps.reads,
            lookups: steps.lookups,
            waits: steps.waits,
            unsaid_acts: steps.unsaid,
            runs_complete: tally.complete,
            runs_incomplete: tally.incomplete,
            runs_not_provable: tally.runs.saturating_sub(tally.complete + tally.incomplete),
            gaps: tally.holes.iter().map(gap).collect(),
            redacted: tally
                .redacted
                .iter()
                .map(|(rule, hits)| Rule { rule: rule.clone(), hits: *hits })
                .collect(),
            rejected_in_project: around.rejected,
            runs_dropping: tally.dropping,
            runs_sampled: tally.sampled,
            skew_ms_max: tally.skew_ms_max,
            acts_kept_from: kept(around.retention.acts_days),
            reads_kept_from: kept(around.retention.reads_days),
            bodies_kept_from: kept(around.retention.contents_days),
            erasures: around.erasures.iter().map(Erased::from).collect(),
            completeness: completeness(tally, around),
            integrity: integrity(&around.signed),
        }
    }

    /// The limits as rows of a page: label, sentence, and whether to look at it.
    pub(in crate::web) fn rows(
        &self,
        filter: &EntityFilter,
        tally: &EntityTally,
    ) -> Vec<(&'static str, String, bool)> {
        let mut rows = vec![("Covers", covers(filter, tally), false)];
        if self.runs_incomplete > 0 {
            let runs = counted(self.runs_incomplete, "run has gaps", "runs have gaps");
            rows.push(("Incomplete", format!("{runs}; each is named in its place."), true));
        }
        if self.unsaid_acts > 0 {
            let acts = counted(self.unsaid_acts, "act names", "acts name");
            let told = "nobody in runs that are about several, and can't be counted to any of them.";
            rows.push(("Not said", format!("{acts} {told}"), true));
        }
        if self.rejected_in_project > 0 {
            let refused = counted(self.rejected_in_project, "record was", "records were");
            let told =
                "refused in this period in the whole project. Whether any was about this can't be told.";
            rows.push(("Refused", format!("{refused} {told}"), true));
        }
        if self.runs_dropping > 0 {
            let runs = counted(self.runs_dropping, "run's client says", "runs' clients say");
            rows.push((
                "Dropped",
                format!("{runs} that something was dropped before sending: a lower bound."),
                true,
            ));
        }
        if !self.redacted.is_empty() {
            let rules: Vec<String> =
                self.redacted.iter().map(|rule| format!("{} {}", count(rule.hits), rule.rule)).collect();
            rows.push(("Redacted", format!("{}, before it was stored.", rules.join(", ")), false));
        }
        for erasure in &self.erasures {
            rows.push(("Erased", erasure.sentence(), true));
        }
        rows.push(sampled(self.runs_sampled));
        rows.push((
            "Expired",
            format!(
                "Acts received before {}, reads before {}, contents before {}.",
                day(&self.acts_kept_from),
                day(&self.reads_kept_from),
                day(&self.bodies_kept_from)
            ),
            false,
        ));
        rows.push(("Clocks", clocks(self.skew_ms_max), self.skew_ms_max > 1_000));
        rows.push(("Completeness", self.completeness.reason.clone(), self.runs_incomplete > 0));
        rows.push(("Integrity", self.integrity.reason.clone(), false));
        rows
    }
}

fn sampled(runs: u64) -> (&'static str, String, bool) {
    match runs {
        0 => ("Sampled", "Acts never are, and no read was.".to_owned(), false),
        runs => {
            let runs = counted(runs, "run", "runs");
            ("Sampled", format!("Acts never are. Reads of {runs} were left out, as each run says."), true)
        }
    }
}

fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or_default()
}

fn covers(filter: &EntityFilter, tally: &EntityTally) -> String {
    let period = match (filter.from_ns, filter.to_ns) {
        (None, None) if tally.first_ns == 0 => "Everything kept".to_owned(),
        (None, None) => format!("{} to {} UTC", moment(tally.first_ns), moment(tally.last_ns)),
        (from, to) => format!(
            "{} to {}",
            from.map_or_else(|| "the beginning".to_owned(), moment),
            to.map_or_else(|| "now".to_owned(), moment)
        ),
    };
    format!(
        "{period}: {}, {}, {}.",
        counted(tally.runs, "run", "runs"),
        counted(tally.agents, "agent", "agents"),
        counted(tally.sessions, "conversation", "conversations")
    )
}

fn clocks(skew_ms: u64) -> String {
    match skew_ms {
        0 => {
            "No client's clock was seen ahead of the server's. One that is behind can't be told from a late \
              arrival."
                .to_owned()
        }
        ms => format!(
            "A client's clock ran {} ahead of the server's.",
            crate::web::format::duration(ms * 1_000_000)
        ),
    }
}

fn completeness(tally: &EntityTally, around: &Around) -> Verdict {
    let open = tally.runs.saturating_sub(tally.complete + tally.incomplete);
    if tally.incomplete > 0 || tally.dropping > 0 {
        let runs = counted(tally.incomplete, "run has gaps", "runs have gaps");
        return Verdict { verdict: "no", reason: format!("Not complete: {runs}.") };
    }
    if tally.runs == 0 {
        return Verdict {
            verdict: "not_provable",
            reason: "Not provable: nothing is kept, which does not say that nothing was done.".to_owned(),
        };
    }
    if open > 0 || around.rejected > 0 || tally.sampled > 0 {
        let runs = counted(
            open,
            "run does not say how many steps it had",
            "runs do not say how many steps they had",
        );
        let reason = match open {
            0 if around.rejected == 0 => "Not provable: reads were left out by sampling.".to_owned(),
            0 => "Not provable: records were refused in this period.".to_owned(),
            _ => format!("Not provable: {runs}. No gap was seen."),
        };
        return Verdict { verdict: "not_provable", reason };
    }
    Verdict {
        verdict: "yes",
        reason: "Every run has as many steps as it says it had. Runs that never sent anything are not known."
            .to_owned(),
    }
}

fn integrity(signed: &Signed) -> Verdict {
    let reason = match signed.checkpoint {
        None => "Not checked: there is no signed checkpoint yet.".to_owned(),
        Some((at_ns, records)) => format!(
            "Not checked on this page. The newest signed checkpoint is of {} UTC and covers {}; \
             the evidence file proves each record against it, offline.",
            moment(at_ns),
            counted(records, "record", "records")
        ),
    };
    Verdict { verdict: "not_checked", reason }
}
