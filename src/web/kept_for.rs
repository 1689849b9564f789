//! How long records are kept and how far back they go, in words and for the API.
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::lifecycle::LifecycleKind;
use crate::domain::scope::Scope;
use crate::store::Store;
use crate::store::queries::{lifecycle, oldest_run};
use crate::store::rows::Retention;
use crate::web::format;

const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// How far back an answer can go, and why not further.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(in crate::web) struct Coverage {
    /// When the oldest record was received; `null` without any.
    pub(in crate::web) records_since: Option<String>,
    /// Records received before this day may have expired; `null` while none has.
    pub(in crate::web) expired_before: Option<String>,
    /// Days from receipt, by class.
    pub(in crate::web) kept_days: Days,
}

/// Days from receipt, by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KeptDays")]
pub(in crate::web) struct Days {
    acts: u16,
    reads: u16,
    contents: u16,
    activity: u16,
}

impl Coverage {
    /// The coverage of a project. A store that does not answer this question does not spoil the answer to
    /// another: then only the rule is told.
    pub(in crate::web) async fn of(store: &Store, scope: &Scope, kept: Retention, now_ns: u64) -> Self {
        let (oldest, dropped) =
            tokio::join!(oldest_run(store, scope), lifecycle(store, Some(LifecycleKind::Expired), 1));
        for error in [oldest.as_ref().err(), dropped.as_ref().err()].into_iter().flatten() {
            tracing::warn!(%error, "how far back the records go could not be read");
        }
        let any_dropped = dropped.is_ok_and(|events| !events.is_empty());
        let shortest = kept.acts_days.min(kept.reads_days).min(kept.contents_days);
        let before = now_ns.saturating_sub(u64::from(shortest) * DAY_NS);
        Self {
            records_since: oldest.ok().flatten().map(format::rfc3339),
            expired_before: any_dropped.then(|| date(before)),
            kept_days: Days {
                acts: kept.acts_days,
                reads: kept.reads_days,
                contents: kept.contents_days,
                activity: kept.activity_days,
            },
        }
    }

    /// The same as a sentence.
    pub(in crate::web) fn sentence(&self) -> String {
        let Days { acts, reads, contents, .. } = self.kept_days;
        let since = self.records_since.as_deref().and_then(|since| since.get(..10));
        let since = since.map(|day| format!("Records go back to {day}. ")).unwrap_or_default();
        let before = match &self.expired_before {
            Some(day) => format!(" What was received before {day} may have expired."),
            None => " Nothing has expired yet.".to_owned(),
        };
        let acts = format::counted(acts, "day", "days");
        format!("{since}Acts are kept for {acts}, reads for {reads}, bodies for {contents}.{before}")
    }
}

/// What is said of a record that is not there: under which rule it would have expired.
pub(in crate::web) fn of_missing(kept: Retention, now_ns: u64) -> String {
    let day = |days: u16| date(now_ns.saturating_sub(u64::from(days) * DAY_NS));
    format!(
        "Acts received before {} have expired under the rule acts ({}), reads received before {} under the \
         rule reads ({}).",
        day(kept.acts_days),
        format::counted(kept.acts_days, "day", "days"),
        day(kept.reads_days),
        format::counted(kept.reads_days, "day", "days")
    )
}

/// What is said of a body that is not there, of a record received then.
pub(in crate::web) fn of_missing_body(kept: Retention, received_ns: u64, now_ns: u64) -> String {
    let due_ns = received_ns.saturating_add(u64::from(kept.contents_days) * DAY_NS);
    let days = format::counted(kept.contents_days, "day", "days");
    let rule = format!("under the rule contents ({days})");
    if due_ns <= now_ns {
        format!("Expired {rule} on {}.", date(due_ns))
    } else {
        format!("Not kept: erased, or expired under an earlier rule. Kept {rule} until {}.", date(due_ns))
    }
}

fn date(at_ns: u64) -> String {
    format::rfc3339(at_ns).get(..10).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_is_said_with_its_rule_and_day() {
        let kept = Retention { contents_days: 30, ..Retention::default() };
        let now_ns = 1_795_970_000_000_000_000;
        let gone = of_missing_body(kept, now_ns - 31 * DAY_NS, now_ns);
        assert_eq!(gone, "Expired under the rule contents (30 days) on 2026-11-28.");
        assert!(of_missing_body(kept, now_ns, now_ns).contains("until 2026-12-29"));
        assert!(of_missing(kept, now_ns).contains("rule acts (183 days)"));
        let coverage = Coverage {
            records_since: Some("2026-10-01T00:00:00Z".to_owned()),
            expired_before: None,
            kept_days: Days { acts: 183, reads: 90, contents: 30, activity: 3650 },
        };
        let said = coverage.sentence();
        assert!(said.starts_with("Records go back to 2026-10-01. Acts are kept for 183 days"), "{said}");
        assert!(said.ends_with("Nothing has expired yet."), "{said}");
    }
}
