//! How much one key may send: a bucket of spans and one of bytes, filled steadily, a minute deep.
//!
//! A request is taken when both buckets hold what it costs, or are full; what it costs beyond that is a debt
//! that has to be filled first. A request with an act may run the buckets into a debt of a whole minute
//! before it is refused: acts go last.
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::ids::Project;
use crate::ingest::refusal::Refusal;

/// Keys remembered; buckets that are full again are forgotten first.
const KEYS_MAX: usize = 10_000;
const MINUTE_S: f64 = 60.0;
/// A sender is told to come again after a time within these.
const WAIT_S: std::ops::RangeInclusive<f64> = 1.0..=60.0;

/// What a key of a project may send in a minute; `None` for any amount.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Quota {
    /// Spans and log records.
    pub spans_per_minute: Option<u64>,
    /// Bytes of bodies, decompressed.
    pub bytes_per_minute: Option<u64>,
}

/// What is set for all projects, and for single ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuotaSettings {
    /// For all.
    pub general: Quota,
    /// For one project, instead.
    pub projects: BTreeMap<Project, Quota>,
}

/// The buckets of all keys of this server.
#[derive(Debug, Default)]
pub struct Quotas {
    settings: QuotaSettings,
    buckets: Mutex<HashMap<(Project, String), [Bucket; 2]>>,
}

/// What is left, in spans or bytes; below nothing is a debt.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Quotas {
    /// Full buckets.
    pub fn new(settings: QuotaSettings) -> Self {
        Self { settings, buckets: Mutex::default() }
    }

    /// Takes what a request costs out of the buckets of its key.
    ///
    /// # Errors
    /// [`Refusal::OverQuota`] when there is nothing left, with the time until there is.
    pub(crate) fn take(
        &self,
        (project, key): (&Project, Option<&str>),
        (records, bytes): (usize, usize),
        acts: bool,
        now: Instant,
    ) -> Result<(), Refusal> {
        let quota = self.settings.projects.get(project).unwrap_or(&self.settings.general);
        let limits = [quota.spans_per_minute, quota.bytes_per_minute];
        if limits == [None, None] {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= KEYS_MAX {
            buckets.retain(|_, [spans, _]| {
                now.saturating_duration_since(spans.at).as_secs_f64() < 2.0 * MINUTE_S
            });
        }
        let name = (project.clone(), key.unwrap_or_default().to_owned());
        let full = limits.map(|limit| Bucket { left: float(limit.unwrap_or_default()), at: now });
        let both = buckets.entry(name).or_insert(full);
        let costs = [records, bytes].map(|cost| float(u64::try_from(cost).unwrap_or(u64::MAX)));
        let mut wait_s: f64 = 0.0;
        for ((bucket, limit), cost) in both.iter_mut().zip(limits).zip(costs) {
            let Some(limit) = limit.map(float) else { continue };
            bucket.fill(limit, now);
            let missing = cost.min(limit) - bucket.left - if acts { limit } else { 0.0 };
            wait_s = wait_s.max(missing / limit * MINUTE_S);
        }
        if wait_s > 0.0 {
            let wait = Duration::from_secs_f64(wait_s.clamp(*WAIT_S.start(), *WAIT_S.end()).ceil());
            return Err(Refusal::OverQuota { wait });
        }
        both.iter_mut().zip(costs).for_each(|(bucket, cost)| bucket.left -= cost);
        Ok(())
    }
}

impl Bucket {
    fn fill(&mut self, limit: f64, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * limit / MINUTE_S).min(limit);
        self.at = now;
    }
}

fn float(count: u64) -> f64 {
    // In two halves, each of which fits exactly.
    let half = |half: u64| f64::from(u32::try_from(half).unwrap_or(u32::MAX));
    half(count >> 32) * 4_294_967_296.0 + half(count & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotas(spans: Option<u64>, bytes: Option<u64>) -> Quotas {
        let general = Quota { spans_per_minute: spans, bytes_per_minute: bytes };
        Quotas::new(QuotaSettings { general, projects: BTreeMap::new() })
    }

    #[test]
    fn a_key_sends_its_quota_and_acts_go_last() {
        let (quotas, project, begun) = (quotas(Some(60), None), Project::default(), Instant::now());
        let take = |key: &str, acts: bool, after_s: u64| {
            quotas.take((&project, Some(key)), (30, 1), acts, begun + Duration::from_secs(after_s))
        };
        assert_eq!([take("a", false, 0), take("a", false, 0)], [Ok(()), Ok(())]);
        // Nothing is left: what a request costs comes back in half a minute.
        let refused = take("a", false, 0).unwrap_err();
        assert_eq!(refused, Refusal::OverQuota { wait: Duration::from_secs(30) });
        assert_eq!(take("b", false, 0), Ok(()), "another key");
        // An act is still taken, into a debt of a minute.
        assert_eq!([take("a", true, 0), take("a", true, 0)], [Ok(()), Ok(())]);
        assert!(take("a", true, 0).is_err());
        assert_eq!(take("a", false, 30).unwrap_err(), Refusal::OverQuota { wait: Duration::from_secs(60) });
        assert_eq!(take("a", false, 91), Ok(()));
    }

    #[test]
    fn a_request_larger_than_the_quota_is_taken_once_nothing_is_owed() {
        let (quotas, project, begun) = (quotas(None, Some(1_000)), Project::default(), Instant::now());
        let take = |after_s: u64| {
            quotas.take((&project, None), (1, 3_000), false, begun + Duration::from_secs(after_s))
        };
        assert_eq!(take(0), Ok(()));
        assert!(take(60).is_err() && take(179).is_err());
        assert_eq!(take(181), Ok(()));
    }

    #[test]
    fn a_project_may_have_its_own() {
        let mut settings = QuotaSettings::default();
        let own = Quota { spans_per_minute: Some(1), bytes_per_minute: None };
        settings.projects.insert(Project("shop".to_owned()), own);
        let (quotas, now) = (Quotas::new(settings), Instant::now());
        let take = |name: &str| quotas.take((&Project(name.to_owned()), None), (2, 2), false, now);
        assert_eq!((take("default"), take("default"), take("shop")), (Ok(()), Ok(()), Ok(())));
        assert!(take("shop").is_err());
    }
}
