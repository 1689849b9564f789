//! `retried-too-soon`: an attempt began before the time that the refusal before it asked for.
use crate::domain::finding::Code;
use crate::domain::fold::findings::rule::{About, Find, Rule};
use crate::domain::fold::http_date::http_date_ns;
use crate::domain::fold::noted::Noted;
use crate::domain::fold::scene::Scene;
use crate::domain::fold::words::{times, took};

pub(super) const RULE: Rule = Rule {
    code: Code::RetriedTooSoon,
    about: About {
        title: "Retried too soon",
        means: "It was tried again before the time that the refusal asked for in Retry-After, given in \
                 seconds or as a date.",
        matters: "A client that does not wait keeps being refused, spends its budget, and loses what it \
                   came for.",
        remedy: "Wait at least as long as Retry-After says, if the time budget of the run allows it; \
                  else give up and say so.",
    },
    find: Find::Run(find),
};

/// A client waits from when it has read the answer, a little before its span ends.
const SLACK_NS: u64 = 500_000_000;
/// Dates have whole seconds and are by the other side's clock.
const DATE_SLACK_NS: u64 = 5_000_000_000;

fn find(scene: &Scene<'_>) -> Vec<Noted> {
    let mut noted = Vec::new();
    for draft in scene.drafts.ids() {
        let sends = sends(scene, draft);
        let pairs = sends.iter().copied().zip(sends.iter().copied().skip(1));
        let early: Vec<(usize, usize, String)> =
            pairs.filter_map(|(before, after)| Some((before, after, early(scene, before, after)?))).collect();
        let Some((_, _, first)) = early.first() else { continue };
        let more = match early.len() {
            1 => String::new(),
            n => format!(", and {} more", times(n - 1)),
        };
        let message = format!("{} {first}{more}", scene.act_words(draft));
        let mut nodes: Vec<usize> = early.iter().flat_map(|(before, after, _)| [*before, *after]).collect();
        nodes.dedup();
        noted.push(Noted::spans(scene, Code::RetriedTooSoon, message, nodes));
    }
    noted
}

/// In words how early a call came after a refusal; `None` when it was not.
fn early(scene: &Scene<'_>, before: usize, after: usize) -> Option<String> {
    let (refused, again) = (&scene.nodes[before], &scene.nodes[after]);
    let asked = refused.facts().http.as_ref()?.retry_after.as_deref()?;
    let end = refused.end?;
    let soon = again.start >= refused.start && again.start < earliest(asked, end)?;
    let waited = took(again.start.saturating_sub(end));
    soon.then(|| format!("was tried again after {waited} where the refusal asked for {}", wait(asked, end)))
}

/// Everything that a step sent, in order of time: its HTTP calls, or the attempt itself where it has none.
fn sends(scene: &Scene<'_>, draft: usize) -> Vec<usize> {
    let mut sends: Vec<usize> = Vec::new();
    for attempt in scene.sent(draft) {
        let http = |call: &&usize| scene.nodes[**call].facts().http.is_some();
        let before = sends.len();
        sends.extend(scene.owners.evidence(attempt.node).iter().filter(http));
        if sends.len() == before {
            sends.push(attempt.node);
        }
    }
    sends.sort_by_key(|node| scene.nodes[*node].order());
    sends
}

/// Before this time it is too soon; `None` where nothing readable was asked for.
fn earliest(asked: &str, end: u64) -> Option<u64> {
    match seconds_ns(asked) {
        Some(wait) => Some(end.saturating_add(wait).saturating_sub(SLACK_NS)),
        None => Some(http_date_ns(asked)?.saturating_sub(DATE_SLACK_NS)),
    }
}

fn wait(asked: &str, end: u64) -> String {
    let wait = seconds_ns(asked).or_else(|| Some(http_date_ns(asked)?.saturating_sub(end)));
    took(wait.unwrap_or_default())
}

/// The seconds of a `Retry-After`, up to a day.
fn seconds_ns(asked: &str) -> Option<u64> {
    let seconds: f64 = asked.trim().parse().ok()?;
    let ms = (seconds * 1000.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: within a day")]
    let ms = (0.0..=86_400_000.0).contains(&ms).then_some(ms as u64)?;
    Some(ms * 1_000_000)
}

#[cfg(test)]
mod tests {
    use crate::domain::finding::Code;
    use crate::domain::fold::tests::story::{Story, a_run, check, message};
    use crate::domain::step::{Facts, Http};

    fn asks(wait: &'static str) -> impl Fn(&mut Facts) {
        move |facts| {
            let retry_after = Some(wait.to_owned());
            facts.http = Some(Http { status_code: Some(429), retry_after, ..Http::default() });
        }
    }

    /// Refused, and tried again after so many seconds. The refusal ends at Sun, 29 Nov 2026 16:33:21 GMT.
    fn again(asked: &'static str, after: u64) -> Story {
        a_run()
            .act("refund")
            .on("order:1")
            .status(429)
            .with(asks(asked))
            .after(after)
            .act("refund")
            .on("order:1")
    }

    #[test]
    fn fires_before_the_seconds_or_the_date() {
        check(
            Code::RetriedTooSoon,
            vec![
                ("2 s where 10 s were asked", again("10", 2)),
                ("2 s where a date was asked", again("Sun, 29 Nov 2026 16:34:21 GMT", 2)),
            ],
            vec![
                ("long enough", again("10", 10)),
                ("past the date", again("Sun, 29 Nov 2026 16:34:21 GMT", 61)),
                ("within what clocks may differ", again("Sun, 29 Nov 2026 16:34:21 GMT", 57)),
                ("nothing asked", a_run().act("refund").status(429).act("refund")),
                ("what cannot be read", again("soon", 1)),
                ("another step", a_run().act("a").status(429).with(asks("10")).act("b")),
            ],
        );
        assert_eq!(
            message(&again("Sun, 29 Nov 2026 16:34:21 GMT", 2).fold(), Code::RetriedTooSoon),
            "refund on order:1 was tried again after 2 s where the refusal asked for 60 s"
        );
    }

    #[test]
    fn a_client_that_waits_below_one_span_is_heard_too() {
        let calls = |wait: u64| {
            let story = a_run().read("get").lasts(60).http("GET", Some(429));
            let mut story = story.with(asks("10")).with(|facts| facts.ended_ns = Some(facts.started_ns + 1));
            let from = story.records[1].facts.started_ns;
            story = story.http("GET", Some(200));
            story.with(move |facts| facts.started_ns = from + wait * 1_000_000_000)
        };
        check(Code::RetriedTooSoon, vec![("at once", calls(1))], vec![("after the wait", calls(11))]);
    }
}
