//! What a run did, added up by tool and model. Attempts are what the fold calls so: copies, transports and
//! containers are in them already, and count nowhere else.
use std::collections::BTreeMap;

use crate::domain::fold::answer::Answer;
use crate::domain::fold::node::{is_tool, sane_end, sane_start};
use crate::domain::fold::recognise::of_http;
use crate::domain::hidden::shortened;
use crate::domain::kind::{Carrier, Kind, Status};
use crate::domain::outcome::Outcome;
use crate::domain::record::Record;
use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::summary::RunSummary;
use crate::domain::value::Value;
use crate::domain::work::Work;

/// Longest name of a tool or model, and longest value of a parameter, in characters.
const NAME_MAX: usize = 200;
const VALUE_MAX: usize = 60;
/// Most sets of parameters that one run is told apart by; further ones are added up as [`OTHERS`].
const SETS_MAX: usize = 32;
/// Stands for sets of parameters beyond the most.
pub const OTHERS: &str = "others";

/// What is added up together.
type Under = (Kind, String, Vec<String>);

/// The work of a run, whose line is `summary`, in the order of kinds and names.
pub fn work_of(run: &Run, summary: &RunSummary) -> Vec<Work> {
    let mut sums = Sums::default();
    for step in &run.steps {
        let mut attempts = step.attempts();
        let Some(first) = attempts.next() else { continue };
        let under = match under(step, first) {
            Some(under) => under,
            None => continue,
        };
        sums.add_step(under, step);
        for attempt in step.attempts() {
            if let Some(under) = self::under(step, attempt) {
                sums.add_attempt(under, attempt);
            }
        }
    }
    sums.add_container(summary);
    let mut work: Vec<Work> = sums.by.into_values().collect();
    work.iter_mut().for_each(|work| work.took_us.sort_unstable());
    work
}

/// What an attempt is added up under; `None` where nothing is counted.
fn under(step: &RunStep, attempt: &Attempt) -> Option<Under> {
    let facts = &attempt.record.facts;
    if step.kind == Kind::Think {
        let model = facts.model.as_deref().or(facts.model_requested.as_deref()).unwrap_or_default();
        return Some((step.kind, shortened(model, NAME_MAX), parameters(&facts.parameters)));
    }
    let tool = step.tool.as_deref().unwrap_or(&step.name);
    is_tool(step.kind).then(|| (step.kind, shortened(tool, NAME_MAX), Vec::new()))
}

fn parameters(told: &[(String, Value)]) -> Vec<String> {
    let mut set: Vec<String> = told
        .iter()
        .map(|(name, value)| format!("{}={}", shortened(name, VALUE_MAX), text_of(value)))
        .collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// A value on one line, cut where it is long.
fn text_of(value: &Value) -> String {
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let whole = match value {
        Value::Empty => "none".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(int) => int.to_string(),
        Value::Double(double) => double.to_string(),
        Value::String(text) => text.clone(),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Array(items) => list(items.iter().take(VALUE_MAX).map(text_of).collect()),
        Value::Map(entries) => {
            let entry = |(name, value): &(String, Value)| format!("{name}: {}", text_of(value));
            list(entries.iter().take(VALUE_MAX).map(entry).collect())
        }
        Value::Framed(_) => "a longer text".to_owned(),
    };
    shortened(&whole, VALUE_MAX)
}

#[derive(Default)]
struct Sums {
    by: BTreeMap<Under, Work>,
    sets: usize,
}

impl Sums {
    fn at(&mut self, (kind, name, parameters): Under) -> &mut Work {
        let mut under = (kind, name, parameters);
        if !under.2.is_empty() && !self.by.contains_key(&under) {
            self.sets += 1;
            if self.sets > SETS_MAX {
                under.2 = vec![OTHERS.to_owned()];
            }
        }
        let none = Work::none(under.0, &under.1, &under.2);
        self.by.entry(under).or_insert(none)
    }

    fn add_step(&mut self, under: Under, step: &RunStep) {
        let retried = step.attempts().count() > 1;
        let recovered = retried && went_well(step);
        let deadline = step.attempts().filter_map(|attempt| attempt.unknown_at_ns).min();
        let work = self.at(under);
        work.steps += 1;
        work.retried += u32::from(retried);
        work.recovered += u32::from(recovered);
        match step.outcome.filter(|_| step.kind == Kind::Act) {
            Some(Outcome::Confirmed) => work.confirmed += 1,
            Some(Outcome::Failed) => work.failed += 1,
            Some(Outcome::Unknown) => work.unknown += 1,
            Some(Outcome::Submitted) => work.waiting.push(deadline.unwrap_or_default()),
            None => {}
        }
    }

    fn add_attempt(&mut self, under: Under, attempt: &Attempt) {
        let facts = &attempt.record.facts;
        let is_think = under.0 == Kind::Think;
        let work = self.at(under);
        work.attempts += 1;
        work.throttled += u32::from(throttled(attempt));
        work.took_us.extend(took_us(&attempt.record));
        if is_think {
            add(&mut work.tokens_in, facts.tokens.input);
            add(&mut work.tokens_out, facts.tokens.output);
            if let Some(usd) = facts.cost_usd {
                work.cost_usd = Some(work.cost_usd.unwrap_or_default() + usd);
            }
        }
    }

    /// Where no model call tells of its tokens the line of the run has those of its outermost spans.
    fn add_container(&mut self, summary: &RunSummary) {
        let told = |tokens: fn(&Work) -> Option<u64>| self.by.values().any(|work| tokens(work).is_some());
        let tokens_in = summary.tokens_in.filter(|_| !told(|work| work.tokens_in));
        let tokens_out = summary.tokens_out.filter(|_| !told(|work| work.tokens_out));
        if tokens_in.is_some() || tokens_out.is_some() {
            let work = self.at((Kind::Other, String::new(), Vec::new()));
            (work.tokens_in, work.tokens_out) = (tokens_in, tokens_out);
        }
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or_default().saturating_add(more));
    }
}

fn went_well(step: &RunStep) -> bool {
    if step.kind == Kind::Act {
        return step.outcome == Some(Outcome::Confirmed);
    }
    step.attempts()
        .last()
        .is_some_and(|last| last.record.facts.ended_ns.is_some() && !went_wrong(&last.record))
}

fn went_wrong(record: &Record) -> bool {
    let facts = &record.facts;
    let refused = facts.http.as_ref().and_then(|http| http.status_code).is_some_and(|code| code >= 400);
    facts.status == Status::Error || facts.error.is_some() || refused
}

fn throttled(attempt: &Attempt) -> bool {
    std::iter::once(&attempt.record).chain(&attempt.transports).any(|record| {
        let facts = &record.facts;
        let answer = of_http(facts.http.as_ref(), facts.error.as_ref(), went_wrong(record));
        answer == Some(Answer::Throttled)
    })
}

/// How long an attempt took; `None` when it was held, has not ended, or its clock can't be right.
fn took_us(record: &Record) -> Option<u64> {
    let facts = &record.facts;
    let ended = facts.ended_ns.filter(|_| !facts.gate.held())?;
    let sane = facts.started_ns == sane_start(record) && Some(ended) == sane_end(record);
    let took = ended.checked_sub(facts.started_ns).filter(|_| sane)?;
    // A log is a moment: it tells nothing of how long a call took.
    (took > 0 || facts.carrier == Carrier::Span).then_some(took / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::fold::tests::story::{SECOND, Story, a_run};
    use crate::domain::outcome::Gate;

    fn work(story: &Story) -> Vec<Work> {
        let run = story.fold();
        work_of(&run, &RunSummary::of(&run))
    }

    fn of<'a>(work: &'a [Work], kind: Kind, name: &str) -> &'a Work {
        work.iter().find(|work| (work.kind, work.name.as_str()) == (kind, name)).unwrap()
    }

    #[test]
    fn attempts_of_one_step_are_one_step() {
        let story = a_run().think().proposes("refund", "c1", "a");
        let story = story.act("refund").step("s").on("order:1").status(429).after(1);
        let story =
            story.act("refund").step("s").on("order:1").after(1).act("refund").on("order:2").times_out();
        let story = story.read("look").on("x").status(429).after(1).read("look").on("x").status(429);
        let work = work(&story);
        let refund = of(&work, Kind::Act, "refund");
        assert_eq!((refund.steps, refund.retried, refund.recovered, refund.attempts), (2, 1, 1, 3));
        assert_eq!((refund.confirmed, refund.failed, refund.unknown, refund.throttled), (1, 0, 1, 1));
        assert_eq!(refund.took_us, [1_000_000, 1_000_000, 30_000_000]);
        let look = of(&work, Kind::Read, "look");
        assert_eq!((look.steps, look.retried, look.recovered, look.throttled), (1, 1, 0, 2));
        let think = of(&work, Kind::Think, "gpt-5-2026");
        assert_eq!((think.steps, think.tokens_in, think.tokens_out), (1, Some(100), Some(10)));
        assert_eq!(work.len(), 3);
    }

    #[test]
    fn copies_transports_and_containers_count_once() {
        let tokens = |facts: &mut crate::domain::step::Facts| facts.tokens.input = Some(100);
        let story = a_run().agent("bank").with(tokens).think();
        let twin = |facts: &mut crate::domain::step::Facts| {
            (facts.kind, facts.tool) = (Kind::Act, Some("refund".to_owned()));
        };
        let story = story.act("refund").log(twin).http("POST", Some(429)).http("POST", Some(200));
        let work = work(&story);
        let refund = of(&work, Kind::Act, "refund");
        assert_eq!((refund.attempts, refund.throttled, refund.took_us.len()), (1, 1, 1));
        assert_eq!(of(&work, Kind::Think, "gpt-5-2026").tokens_in, Some(100));
        assert_eq!(work.len(), 2);
    }

    #[test]
    fn tokens_of_a_container_stand_in_where_no_call_tells() {
        let story = a_run().agent("bank").with(|facts| facts.tokens.input = Some(7)).act("refund");
        let work = work(&story);
        assert_eq!(of(&work, Kind::Other, "").tokens_in, Some(7));
    }

    #[test]
    fn lying_clocks_and_held_calls_have_no_length() {
        let story = a_run().act("a").with(|facts| facts.started_ns = 0);
        let story = story.act("b").with(|facts| facts.ended_ns = Some(facts.started_ns - SECOND));
        let story = story.act("c").gate(Gate::Duplicate).act("d").never_ends();
        let work = work(&story);
        for name in ["a", "b", "c", "d"] {
            let work = of(&work, Kind::Act, name);
            assert_eq!((work.took_us.len(), work.attempts), (0, 1), "{name}");
        }
        let waiting = &of(&work, Kind::Act, "d").waiting;
        assert!(waiting.len() == 1 && waiting.iter().all(|at| *at > 0), "{waiting:?}");
    }

    #[test]
    fn sets_of_parameters_are_told_apart_up_to_a_most() {
        let with = |name: &str, value: Value| {
            let entry = (name.to_owned(), value);
            move |facts: &mut crate::domain::step::Facts| facts.parameters.push(entry)
        };
        let story = a_run().think().with(with("temperature", Value::Double(0.2)));
        let story = story.with(with("max_tokens", Value::Int(9))).think().think();
        let told = work(&story);
        assert_eq!(told.len(), 2);
        assert_eq!(told[1].parameters, ["max_tokens=9", "temperature=0.2"]);
        assert_eq!((told[0].steps, told[1].steps), (2, 1));
        let mut story = a_run();
        for seed in 0..100 {
            story = story.think().with(with("seed", Value::Int(seed)));
        }
        let told = work(&story);
        assert_eq!(told.len(), SETS_MAX + 1);
        assert_eq!(told.iter().map(|work| work.steps).sum::<u32>(), 100);
        assert!(told.iter().any(|work| work.parameters == [OTHERS]));
    }
}
