//! Whether an alert begins or ends: a pure function of its rule, of what was counted, of its last event, and
//! of now.
use crate::domain::alert::AlertEvent;
use crate::notices::alerts::rule::Rule;

/// What was counted, with examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::notices) struct Counted {
    /// How many.
    pub(in crate::notices) count: u64,
    /// There are at least so many: counting stopped there.
    pub(in crate::notices) at_least: bool,
    /// Addresses of some of them.
    pub(in crate::notices) paths: Vec<String>,
}

/// The event, when there is one: it began to hold, or holds no more.
pub(in crate::notices) fn judge(
    rule: &Rule,
    counted: &Counted,
    last: Option<&AlertEvent>,
    now_ns: u64,
) -> Option<AlertEvent> {
    let holds = counted.count > rule.more_than;
    let stands = last.is_some_and(|last| last.fired);
    if holds == stands {
        return None;
    }
    let least = if counted.at_least { "at least " } else { "" };
    let said = match holds {
        true => format!("{least}{} now; the rule: {}", counted.count, rule.sentence()),
        false => format!("{} now, so it is over; the rule: {}", counted.count, rule.sentence()),
    };
    Some(AlertEvent {
        rule: rule.name.clone(),
        episode: last.map_or(0, |last| last.episode) + u32::from(holds),
        fired: holds,
        at_ns: now_ns,
        count: counted.count,
        said,
        paths: if holds { counted.paths.clone() } else { Vec::new() },
    })
}

/// The ends of alerts whose rule is not in the settings any more.
pub(in crate::notices) fn orphans(rules: &[Rule], standing: &[AlertEvent], now_ns: u64) -> Vec<AlertEvent> {
    let gone = |event: &&AlertEvent| event.fired && rules.iter().all(|rule| rule.name != event.rule);
    let ended = |event: &AlertEvent| AlertEvent {
        fired: false,
        at_ns: now_ns,
        count: 0,
        said: "the rule was taken out of the settings".to_owned(),
        paths: Vec::new(),
        ..event.clone()
    };
    standing.iter().filter(gone).map(ended).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn rule() -> Rule {
        Rule::new(Some("storm"), ("retries", None), (Duration::from_secs(600), 2), Vec::new()).unwrap()
    }

    fn counted(count: u64) -> Counted {
        Counted { count, at_least: false, paths: vec!["/runs/a".to_owned()] }
    }

    #[test]
    fn an_alert_begins_once_and_ends_once() {
        let mut last: Option<AlertEvent> = None;
        let mut seen = Vec::new();
        for (at, count) in [(1, 0), (2, 2), (3, 3), (4, 9), (5, 3), (6, 2), (7, 0), (8, 5), (9, 5), (10, 0)] {
            if let Some(event) = judge(&rule(), &counted(count), last.as_ref(), at) {
                seen.push((event.at_ns, event.episode, event.fired, event.count));
                last = Some(event);
            }
        }
        assert_eq!(seen, [(3, 1, true, 3), (6, 1, false, 2), (8, 2, true, 5), (10, 2, false, 0)]);
    }

    #[test]
    fn what_stood_before_a_restart_does_not_fire_again() {
        let fired = judge(&rule(), &counted(3), None, 1).unwrap();
        assert_eq!(fired.said, "3 now; the rule: more than 2 retries within 10 min");
        assert_eq!(fired.paths, ["/runs/a"]);
        assert_eq!(judge(&rule(), &counted(7), Some(&fired), 2), None);
        let ended = judge(&rule(), &counted(0), Some(&fired), 3).unwrap();
        assert!(!ended.fired && ended.paths.is_empty() && ended.said.starts_with("0 now, so it is over"));
    }

    #[test]
    fn what_is_no_rule_any_more_ends() {
        let fired = judge(&rule(), &counted(3), None, 1).unwrap();
        assert!(orphans(&[rule()], std::slice::from_ref(&fired), 2).is_empty());
        let ended = orphans(&[], std::slice::from_ref(&fired), 2);
        assert_eq!((ended.len(), ended[0].fired, ended[0].episode, ended[0].at_ns), (1, false, 1, 2));
        assert!(orphans(&[], &ended, 3).is_empty());
    }
}
