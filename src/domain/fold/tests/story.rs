//! A builder of records that reads like a story: `a_run().think().act("issue_refund").times_out()`.
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::case::{CaseAct, CaseEvent, Resolution};
use crate::domain::content::{ContentKind, ContentRef};
use crate::domain::finding::Code;
use crate::domain::fold::runs_of;
use crate::domain::ids::{Digest, RecordId, SpanId, TraceId};
use crate::domain::kind::{Carrier, Kind, KindSource, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::record::{KeptProposal, Record};
use crate::domain::run::{Attempt, Run, RunStep};
use crate::domain::step::{Facts, Failure, Http, Link, Proposal, Tokens};

pub(in crate::domain) const SECOND: u64 = 1_000_000_000;
pub(in crate::domain) const START: u64 = 1_795_970_000 * SECOND;

/// Records in the making; verbs change the last one.
#[derive(Debug, Clone)]
pub(in crate::domain) struct Story {
    pub(in crate::domain) records: Vec<Record>,
    pub(in crate::domain) events: Vec<CaseEvent>,
    trace: TraceId,
    parent: Option<SpanId>,
    run_id: Option<String>,
    clock: u64,
    now: Option<u64>,
}

/// A run with a given id and nothing in it.
pub(in crate::domain) fn a_run() -> Story {
    a_trace("t1").run("r1")
}

/// A trace without any id of a run.
pub(in crate::domain) fn a_trace(name: &str) -> Story {
    Story {
        records: Vec::new(),
        events: Vec::new(),
        trace: TraceId(bytes(name)),
        parent: None,
        run_id: None,
        clock: START,
        now: None,
    }
}

/// Bytes that are the same for the same text.
pub(in crate::domain) fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let word = hasher.finish().to_le_bytes();
    std::array::from_fn(|place| word[place % 8] ^ u8::try_from(place).unwrap())
}

pub(in crate::domain) fn span(name: &str) -> SpanId {
    SpanId(bytes(name))
}

pub(in crate::domain) fn digest(text: &str) -> Digest {
    Digest(bytes(text))
}

fn content(kind: ContentKind, body: &str) -> ContentRef {
    let bytes = body.len() as u64;
    ContentRef { digest: digest(body), kind, role: String::new(), bytes, preview: body.to_owned() }
}

/// One bare record.
pub(in crate::domain) fn record(trace: TraceId, name: &str, start: u64, end: Option<u64>) -> Record {
    let facts = Facts {
        trace_id: trace,
        span_id: span(name),
        name: name.to_owned(),
        started_ns: start,
        ended_ns: end,
        ..Facts::default()
    };
    Record {
        record_id: RecordId(bytes(&format!("{trace}{name}{start}{end:?}"))),
        received_ns: end.unwrap_or(start).saturating_add(SECOND / 2),
        facts,
        context: Vec::new(),
        output: Vec::new(),
        arguments: None,
        arguments_canonical: None,
        result: None,
        proposed: Vec::new(),
        redactions: Vec::new(),
        rules_version: "v1".to_owned(),
    }
}

impl Story {
    /// From here on records carry this run id.
    pub(in crate::domain) fn run(mut self, run_id: &str) -> Self {
        self.run_id = Some(run_id.to_owned());
        self
    }

    /// From here on records belong to another trace, with no parent.
    pub(in crate::domain) fn trace(mut self, name: &str) -> Self {
        self.trace = TraceId(bytes(name));
        self.parent = None;
        self
    }

    /// From here on records carry no run id.
    pub(in crate::domain) fn no_run(mut self) -> Self {
        self.run_id = None;
        self
    }

    /// Time passes.
    pub(in crate::domain) fn after(mut self, seconds: u64) -> Self {
        self.clock += seconds * SECOND;
        self
    }

    /// Time is set, in seconds from the start.
    pub(in crate::domain) fn at(mut self, seconds: u64) -> Self {
        self.clock = START + seconds * SECOND;
        self
    }

    /// Now is this many seconds after the start.
    pub(in crate::domain) fn now(mut self, seconds: u64) -> Self {
        self.now = Some(START + seconds * SECOND);
        self
    }

    /// A span of one second; the next one starts where it ends.
    pub(in crate::domain) fn span(mut self, kind: Kind, name: &str) -> Self {
        let unique = format!("{name} {}", self.records.len());
        let mut made = record(self.trace, &unique, self.clock, Some(self.clock + SECOND));
        made.facts.name = name.to_owned();
        made.facts.kind = kind;
        made.facts.kind_source = KindSource::Convention;
        made.facts.parent_span_id = self.parent;
        made.facts.run_id.clone_from(&self.run_id);
        self.clock += SECOND;
        self.records.push(made);
        self
    }

    /// The agent that everything after it hangs below. It is ended by the last of them.
    pub(in crate::domain) fn agent(mut self, name: &str) -> Self {
        self.parent = None;
        let mut story = self.span(Kind::Agent, name);
        story.clock -= SECOND;
        story.parent = story.records.last().map(|record| record.facts.span_id);
        story.with(|facts| facts.agent = Some(name.to_owned()))
    }

    pub(in crate::domain) fn think(self) -> Self {
        self.span(Kind::Think, "chat gpt-5").with(|facts| {
            facts.model = Some("gpt-5-2026".to_owned());
            facts.tokens = Tokens { input: Some(100), output: Some(10), ..Tokens::default() };
        })
    }

    /// The last model call proposed this.
    pub(in crate::domain) fn proposes(mut self, tool: &str, call_id: &str, arguments: &str) -> Self {
        let call = Proposal {
            call_id: (!call_id.is_empty()).then(|| call_id.to_owned()),
            tool: tool.to_owned(),
            arguments: Some(content(ContentKind::Arguments, arguments)),
            complete: true,
        };
        let arguments_canonical = Some(digest(arguments));
        self.last().proposed.push(KeptProposal { call, arguments_canonical });
        self
    }

    /// The last model call saw these.
    pub(in crate::domain) fn saw(mut self, bodies: &[&str]) -> Self {
        self.last().context = bodies.iter().map(|body| digest(body)).collect();
        self
    }

    pub(in crate::domain) fn act(self, tool: &str) -> Self {
        self.span(Kind::Act, &format!("execute_tool {tool}")).with(|facts| facts.tool = Some(tool.to_owned()))
    }

    pub(in crate::domain) fn read(self, tool: &str) -> Self {
        self.span(Kind::Read, &format!("execute_tool {tool}"))
            .with(|facts| facts.tool = Some(tool.to_owned()))
    }

    /// A look-up that found something out.
    pub(in crate::domain) fn reconcile(self, tool: &str, found: Option<Outcome>) -> Self {
        self.span(Kind::Reconcile, tool).with(|facts| {
            facts.tool = Some(tool.to_owned());
            facts.outcome = found;
        })
    }

    /// An HTTP call below the last step, of the same length; further ones come after it.
    pub(in crate::domain) fn http(mut self, method: &str, status_code: Option<u16>) -> Self {
        let above = self.records.iter().rposition(|record| record.facts.kind != Kind::Transport).unwrap();
        let step = self.records[above].clone();
        let unique = format!("{method} {}", self.records.len());
        let calls = self.records.iter().skip(above + 1).filter_map(|call| call.facts.ended_ns);
        let start = calls.max().unwrap_or(step.facts.started_ns);
        let end = step.facts.ended_ns.unwrap().max(start + SECOND / 10);
        let mut call = record(self.trace, &unique, start, Some(end));
        call.facts.name = method.to_owned();
        call.facts.kind = Kind::Transport;
        call.facts.parent_span_id = Some(step.facts.span_id);
        call.facts.run_id.clone_from(&self.run_id);
        call.facts.http = Some(Http { method: Some(method.to_owned()), status_code, ..Http::default() });
        if status_code.is_none_or(|code| code >= 400) {
            call.facts.status = Status::Error;
        }
        self.records.push(call);
        self
    }

    /// A log on the last span.
    pub(in crate::domain) fn log(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        let on = self.records.last().unwrap().clone();
        let mut log = record(self.trace, &format!("log {}", self.records.len()), on.facts.started_ns, None);
        log.facts.span_id = on.facts.span_id;
        log.facts.carrier = Carrier::Log;
        log.facts.name = "log".to_owned();
        change(&mut log.facts);
        let place = self.records.len() - 1;
        self.records.insert(place, log);
        self
    }

    // What the last record tells.

    pub(in crate::domain) fn with(mut self, change: impl FnOnce(&mut Facts)) -> Self {
        change(&mut self.last().facts);
        self
    }

    pub(in crate::domain) fn below(self, name: Option<SpanId>) -> Self {
        self.with(|facts| facts.parent_span_id = name)
    }

    pub(in crate::domain) fn lasts(mut self, seconds: u64) -> Self {
        let start = self.last().facts.started_ns;
        let end = start + seconds * SECOND;
        self.last().facts.ended_ns = Some(end);
        self.last().received_ns = end + SECOND / 2;
        self.clock = end;
        self
    }

    pub(in crate::domain) fn never_ends(self) -> Self {
        self.with(|facts| facts.ended_ns = None)
    }

    pub(in crate::domain) fn step(self, step_id: &str) -> Self {
        self.with(|facts| facts.step_id = Some(step_id.to_owned()))
    }

    pub(in crate::domain) fn attempt(self, number: u32) -> Self {
        self.with(|facts| facts.attempt = Some(number))
    }

    pub(in crate::domain) fn key(self, key: &str) -> Self {
        self.with(|facts| facts.key = Some(key.to_owned()))
    }

    pub(in crate::domain) fn on(self, target: &str) -> Self {
        self.with(|facts| facts.target = Some(target.to_owned()))
    }

    pub(in crate::domain) fn call(self, call_id: &str) -> Self {
        self.with(|facts| facts.tool_call_id = Some(call_id.to_owned()))
    }

    pub(in crate::domain) fn gate(self, gate: Gate) -> Self {
        self.with(|facts| facts.gate = gate)
    }

    pub(in crate::domain) fn says(self, outcome: Outcome) -> Self {
        self.with(|facts| facts.outcome = Some(outcome))
    }

    pub(in crate::domain) fn worker(self, worker: &str, epoch: u64) -> Self {
        self.with(|facts| {
            facts.worker = Some(worker.to_owned());
            facts.epoch = Some(epoch);
        })
    }

    pub(in crate::domain) fn verifies(self, step: &str) -> Self {
        self.with(|facts| facts.verifies = Some(step.to_owned()))
    }

    pub(in crate::domain) fn status(self, status_code: u16) -> Self {
        self.with(|facts| {
            facts.http = Some(Http { status_code: Some(status_code), ..Http::default() });
            facts.status = if status_code >= 400 { Status::Error } else { Status::Ok };
        })
    }

    pub(in crate::domain) fn fails(self, kind: &str, message: &str) -> Self {
        self.with(|facts| {
            facts.status = Status::Error;
            facts.error = Some(Failure { kind: kind.to_owned(), message: message.to_owned() });
        })
    }

    /// No answer within 30 seconds.
    pub(in crate::domain) fn times_out(self) -> Self {
        self.lasts(30).fails("ReadTimeout", "timed out")
    }

    pub(in crate::domain) fn ok(self) -> Self {
        self.with(|facts| facts.status = Status::Ok)
    }

    pub(in crate::domain) fn arguments(mut self, arguments: &str) -> Self {
        self.last().arguments = Some(content(ContentKind::Arguments, arguments));
        self.last().arguments_canonical = Some(digest(arguments));
        self
    }

    pub(in crate::domain) fn result(mut self, result: &str) -> Self {
        self.last().result = Some(content(ContentKind::Result, result));
        self
    }

    pub(in crate::domain) fn linked_to(self, trace: &str) -> Self {
        let link = Link { trace_id: TraceId(bytes(trace)), ..Link::default() };
        self.with(|facts| facts.links.push(link))
    }

    pub(in crate::domain) fn case(mut self, seconds: u64, step_id: &str, act: CaseAct) -> Self {
        let at_ns = START + seconds * SECOND;
        let is_step = |record: &&Record| {
            let facts = &record.facts;
            facts.step_id.as_deref() == Some(step_id) || facts.span_id.to_string() == step_id
        };
        let facts = self.records.iter().find(is_step).unwrap().facts.clone();
        let event_id = format!("e{}", self.events.len());
        self.events.push(CaseEvent {
            case_id: format!("case of {}", facts.span_id),
            tool: facts.tool.unwrap_or(facts.name),
            key: facts.key,
            run_id: self.run_id.clone().unwrap_or_default(),
            step_id: step_id.to_owned(),
            trace_id: facts.trace_id,
            span_id: facts.span_id,
            event_id,
            at_ns,
            by: "maya".to_owned(),
            by_job: false,
            saw: None,
            act,
        });
        self
    }

    pub(in crate::domain) fn resolved(self, seconds: u64, step_id: &str, outcome: Outcome) -> Self {
        let (evidence, note) = ("ledger".to_owned(), String::new());
        let resolution = Resolution { outcome, evidence, note, needs_second: false };
        self.case(seconds, step_id, CaseAct::Resolve(resolution))
    }

    fn last(&mut self) -> &mut Record {
        self.records.last_mut().unwrap()
    }

    /// The run that all of it is.
    pub(in crate::domain) fn fold(&self) -> Run {
        Run::of(&self.finished(), &self.events, self.when())
    }

    /// One run of several.
    pub(in crate::domain) fn fold_run(&self, run_id: &str) -> Run {
        let parts = runs_of(self.finished());
        Run::of_part(&parts[run_id], &self.events, self.when())
    }

    pub(in crate::domain) fn when(&self) -> u64 {
        self.now.unwrap_or(self.clock + 2 * SECOND)
    }

    /// The records, agents ended by what runs below them.
    pub(in crate::domain) fn finished(&self) -> Vec<Record> {
        let mut records = self.records.clone();
        let ends: Vec<(TraceId, u64)> = records
            .iter()
            .map(|record| (record.facts.trace_id, record.facts.ended_ns.unwrap_or_default()))
            .collect();
        for record in records.iter_mut().filter(|record| record.facts.kind == Kind::Agent) {
            let trace = record.facts.trace_id;
            let last = ends.iter().filter(|(other, _)| *other == trace).map(|(_, end)| *end).max().unwrap();
            record.facts.ended_ns = record.facts.ended_ns.map(|end| end.max(last));
            record.received_ns = record.received_ns.max(last + SECOND / 2);
        }
        records
    }
}

// Questions to a folded run.

pub(in crate::domain) fn step<'a>(run: &'a Run, step_id: &str) -> &'a RunStep {
    run.steps.iter().find(|step| step.step_id == step_id).unwrap_or_else(|| panic!("no step {step_id}"))
}

pub(in crate::domain) fn of_tool<'a>(run: &'a Run, tool: &str) -> Vec<&'a RunStep> {
    run.steps.iter().filter(|step| step.tool.as_deref() == Some(tool)).collect()
}

/// The attempts of a step as `number outcome->now link`, gaps as `number missing`.
pub(in crate::domain) fn told(step: &RunStep) -> Vec<String> {
    use crate::domain::run::Slot;
    let slot = |slot: &Slot| match slot {
        Slot::Missing(number) => format!("{number} missing"),
        Slot::Attempt(attempt) => one(attempt),
    };
    step.attempts.iter().map(slot).collect()
}

fn one(attempt: &Attempt) -> String {
    let outcome = attempt.outcome.map_or("-", Outcome::word);
    let now = attempt.now.map(|(outcome, evidence)| format!("->{outcome} by {evidence}")).unwrap_or_default();
    let link = attempt.link.map(|link| format!(" ({link})")).unwrap_or_default();
    format!("{} {outcome}{now}{link}", attempt.number)
}

pub(in crate::domain) fn codes(run: &Run) -> Vec<Code> {
    let mut codes: Vec<Code> = run.findings.iter().map(|finding| finding.code).collect();
    codes.dedup();
    codes
}

pub(in crate::domain) fn has(run: &Run, code: Code) -> bool {
    run.findings.iter().any(|finding| finding.code == code)
}

pub(in crate::domain) fn message(run: &Run, code: Code) -> &str {
    &run.findings.iter().find(|finding| finding.code == code).unwrap().message
}

pub(in crate::domain) fn why(run: &Run, step_id: &str) -> (Option<Outcome>, Option<Evidence>, String) {
    let step = step(run, step_id);
    let attempt = step.attempts().last().unwrap();
    (step.outcome, step.evidence, attempt.reason.clone())
}

/// Stories that must show a finding, and near misses that must not.
pub(in crate::domain) fn check(code: Code, fires: Vec<(&str, Story)>, quiet: Vec<(&str, Story)>) {
    for (what, story) in fires {
        assert!(has(&story.fold(), code), "{code} must fire: {what}");
    }
    for (what, story) in quiet {
        assert!(!has(&story.fold(), code), "{code} must not fire: {what}");
    }
}
