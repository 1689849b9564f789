//! Counts what rules are about.
use std::time::Duration;

use crate::conventions::ToolRules;
use crate::domain::address::segment;
use crate::domain::case::{Case, CaseState};
use crate::domain::scope::Scope;
use crate::notices::alerts::judge::Counted;
use crate::notices::alerts::rule::{Rule, When};
use crate::store::queries::{FINDINGS_MAX, findings, rejects, runs};
use crate::store::rows::Reject;
use crate::store::{FindingFilter, RunFilter, RunMeasure, Store, StoreError};

/// Examples that an alert names.
const EXAMPLES: usize = 5;
/// Where counting stops.
const COUNTED_MAX: u16 = FINDINGS_MAX;

/// What is counted in: the store, whose, the open cases that were read already, and what is said of tools.
#[derive(Clone, Copy)]
pub(in crate::notices) struct Ground<'a> {
    pub(in crate::notices) store: &'a Store,
    pub(in crate::notices) scope: &'a Scope,
    pub(in crate::notices) open: &'a [Case],
    pub(in crate::notices) tools: &'a ToolRules,
    pub(in crate::notices) now_ns: u64,
}

/// Counts what a rule is about.
pub(in crate::notices) async fn count(rule: &Rule, ground: Ground<'_>) -> Result<Counted, StoreError> {
    let Ground { store, scope, now_ns, .. } = ground;
    let from_ns = now_ns.saturating_sub(ns(rule.within));
    match rule.when {
        When::Unknown | When::KeyEnds => Ok(cases(rule, ground)),
        When::Finding(code) => {
            let filter =
                FindingFilter { codes: vec![code], from_ns: Some(from_ns), ..FindingFilter::default() };
            let page = findings(store, scope, &filter, (None, COUNTED_MAX), now_ns).await?;
            let paths = page.findings.iter().map(|found| run_path(&found.run_id)).collect();
            Ok(counted(page.findings.len(), page.next.is_some(), paths))
        }
        When::Retries => {
            let mut filter = RunFilter { from_ns: Some(from_ns), ..RunFilter::default() };
            filter.bounds.entry(RunMeasure::Retries).or_default().above = Some(0.0);
            let page = runs(store, scope, &filter, (None, COUNTED_MAX), now_ns).await?;
            let retries: u64 = page.runs.iter().map(|row| u64::from(row.summary.retry_count)).sum();
            let paths = page.runs.iter().map(|row| run_path(&row.summary.run_id)).collect();
            Ok(Counted { count: retries, ..counted(0, page.next.is_some(), paths) })
        }
        When::Refused => {
            let found: Vec<Reject> = rejects(store, scope, None, COUNTED_MAX).await?;
            let lately = found.iter().filter(|reject| reject.at_ns >= from_ns).count();
            let more = lately == usize::from(COUNTED_MAX);
            Ok(counted(lately, more, vec!["/status".to_owned()]))
        }
    }
}

/// Of the open cases: those that are old, or whose key ends soon.
fn cases(rule: &Rule, ground: Ground<'_>) -> Counted {
    let Ground { open, tools, now_ns, .. } = ground;
    let within = ns(rule.within);
    let wanted = |case: &&Case| {
        if !matches!(case.state, CaseState::Open | CaseState::Pending) {
            return false;
        }
        if rule.when == When::Unknown {
            return now_ns.saturating_sub(case.opened_ns.unwrap_or(now_ns)) >= within;
        }
        let ends = tools.policy(&case.tool).key_ends_ns(case.key_expires_ns, case.started_ns);
        let ends = case.key.as_ref().and(ends);
        ends.is_some_and(|ends| ends > now_ns && ends - now_ns <= within)
    };
    let found: Vec<&Case> = open.iter().filter(wanted).collect();
    let paths = found.iter().map(|case| format!("/cases/{}", case.case_id)).collect();
    counted(found.len(), false, paths)
}

fn counted(count: usize, at_least: bool, mut paths: Vec<String>) -> Counted {
    paths.dedup();
    paths.truncate(EXAMPLES);
    Counted { count: u64::try_from(count).unwrap_or(u64::MAX), at_least, paths }
}

/// Ids of runs are written by others: encoded, they stay one part of the address.
fn run_path(run_id: &str) -> String {
    format!("/runs/{}", segment(run_id))
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
