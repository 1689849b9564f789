//! Runs for tests: the prototypes' stories told in domain types.
use crate::domain::content::{ContentKind, ContentRef};
use crate::domain::entity::Entity;
use crate::domain::finding::Code;
use crate::domain::ids::{Digest, RecordId, SpanId, TraceId};
use crate::domain::kind::{Kind, Status};
use crate::domain::outcome::{Evidence, Gate, Outcome};
use crate::domain::record::{KeptProposal, Record};
use crate::domain::run::{
    Attempt, Completeness, Run, RunFinding, RunState, RunStep, Slot, Tone, Verdict, Whole,
};
use crate::domain::step::{Facts, Failure, Http, Proposal, Tokens};
use crate::domain::summary::RunSummary;

/// Thu 12 Nov 2026, 16:02:11 UTC.
pub(in crate::web) const START: u64 = 1_794_499_331_000_000_000;
pub(in crate::web) const MS: u64 = 1_000_000;
pub(in crate::web) const TRACE: TraceId = TraceId([0x9c; 16]);

pub(in crate::web) fn span(n: u8) -> SpanId {
    SpanId([0x6b, 0x1e, 0x09, 0xc4, 0xd2, 0x7f, 0xa3, n])
}

pub(in crate::web) fn digest(n: u8) -> Digest {
    Digest([n; 16])
}

pub(in crate::web) fn content(n: u8, kind: ContentKind, preview: &str) -> ContentRef {
    ContentRef {
        digest: digest(n),
        kind,
        role: String::new(),
        bytes: u64::try_from(preview.len()).unwrap(),
        preview: preview.to_owned(),
    }
}

/// An attempt that began and ended this many milliseconds after the start.
pub(in crate::web) fn attempt(n: u8, kind: Kind, from_ms: u64, to_ms: u64) -> Attempt {
    let record = Record {
        record_id: RecordId([n; 16]),
        received_ns: START + to_ms * MS + 200 * MS,
        facts: Facts {
            trace_id: TRACE,
            span_id: span(n),
            kind,
            started_ns: START + from_ms * MS,
            ended_ns: Some(START + to_ms * MS),
            dialect: "otel-genai".to_owned(),
            ..Facts::default()
        },
        rules_version: "builtin-1".to_owned(),
        ..Record::default()
    };
    Attempt {
        number: 1,
        given: false,
        link: None,
        record,
        outcome: None,
        evidence: None,
        now: None,
        path: Vec::new(),
        reason: String::new(),
        transports: Vec::new(),
        new_in_context: Vec::new(),
        proposed_by: None,
        arguments: None,
        result: None,
        versions: Vec::new(),
        logs: Vec::new(),
        unknown_at_ns: None,
        cost: None,
    }
}

pub(in crate::web) fn step(number: u32, kind: Kind, name: &str, attempts: Vec<Attempt>) -> RunStep {
    let last = attempts.iter().rev().find(|attempt| attempt.outcome.is_some());
    RunStep {
        step_id: format!("st-{number}"),
        number,
        kind,
        name: name.to_owned(),
        tool: None,
        target: None,
        key: None,
        outcome: last.and_then(|attempt| attempt.now.map(|now| now.0).or(attempt.outcome)),
        evidence: last.and_then(|attempt| attempt.evidence),
        attempts: attempts.into_iter().map(|attempt| Slot::Attempt(Box::new(attempt))).collect(),
        parent_step_id: None,
        depth: 0,
        gap_before_ns: 0,
        looks: Vec::new(),
        verifies: None,
        proposed_by: None,
        findings: Vec::new(),
    }
}

/// An act's attempt with its outcome.
pub(in crate::web) fn tried(
    (n, number): (u8, u32),
    (from_ms, to_ms): (u64, u64),
    (outcome, evidence): (Outcome, Evidence),
    gate: Gate,
    reason: &str,
) -> Attempt {
    let mut attempt = attempt(n, Kind::Act, from_ms, to_ms);
    attempt.number = number;
    attempt.outcome = Some(outcome);
    attempt.evidence = Some(evidence);
    attempt.record.facts.gate = gate;
    reason.clone_into(&mut attempt.reason);
    attempt
}

fn think(number: u32, n: u8, from_ms: u64, to_ms: u64, proposes: &[&str]) -> RunStep {
    let mut call = attempt(n, Kind::Think, from_ms, to_ms);
    call.record.facts.model = Some("gpt-5-mini-2026-08-01".to_owned());
    call.record.facts.model_requested = Some("gpt-5-mini".to_owned());
    call.record.facts.provider = Some("openai".to_owned());
    call.record.facts.tokens =
        Tokens { input: Some(2_914), output: Some(118), cache_read: Some(2_240), ..Tokens::default() };
    call.record.facts.finish_reasons = vec!["tool_calls".to_owned()];
    call.record.context = vec![digest(1), digest(2), digest(3), digest(4), digest(5)];
    call.new_in_context = vec![digest(3), digest(4)];
    call.record.output =
        vec![content(6, ContentKind::Output, "The lamp arrived broken; it qualifies for a refund.")];
    call.record.proposed = proposes
        .iter()
        .map(|tool| KeptProposal {
            call: Proposal {
                call_id: Some(format!("call_{n}")),
                tool: (*tool).to_owned(),
                arguments: Some(content(7, ContentKind::Arguments, r#"{"order_id":"ord_4655"}"#)),
                complete: true,
            },
            arguments_canonical: None,
        })
        .collect();
    step(number, Kind::Think, "chat gpt-5-mini", vec![call])
}

/// Two refunds: the answer to the first was lost.
fn refunded_twice() -> RunStep {
    let mut first = tried(
        (3, 1),
        (4_500, 34_500),
        (Outcome::Unknown, Evidence::Timeout),
        Gate::None,
        "no answer after 30 s; the model was shown the raw error",
    );
    first.now = Some((Outcome::Confirmed, Evidence::Reconcile));
    first.record.facts.error = Some(Failure {
        kind: "ReadTimeout".to_owned(),
        message: "no response from payments.internal".to_owned(),
    });
    first.record.facts.status = Status::Error;
    first.record.facts.downstream_id = Some("re_87099".to_owned());
    first.record.facts.value = Some("40.00 EUR".to_owned());
    let mut second = tried(
        (4, 2),
        (36_900, 37_612),
        (Outcome::Confirmed, Evidence::Status),
        Gate::None,
        "answered 200, not read back",
    );
    second.link = Some("same tool and target");
    second.record.facts.downstream_id = Some("re_87102".to_owned());
    second.record.facts.http = Some(Http { status_code: Some(200), ..Http::default() });
    second.record.facts.value = Some("40.00 EUR".to_owned());
    second.record.facts.tool_call_id = Some("call_9".to_owned());
    second.record.arguments = Some(content(7, ContentKind::Arguments, "{}"));
    second.record.result = Some(content(8, ContentKind::Result, "{}"));
    let mut transport = attempt(40, Kind::Transport, 36_950, 37_600).record;
    transport.facts.name = "POST".to_owned();
    transport.facts.http =
        Some(Http { method: Some("POST".to_owned()), status_code: Some(200), ..Http::default() });
    second.transports = vec![transport];
    let mut refund = step(4, Kind::Act, "issue_refund", vec![first, second]);
    refund.tool = Some("issue_refund".to_owned());
    refund.target = Some("order:ord_4655".to_owned());
    refund.proposed_by = Some("st-3".to_owned());
    refund.findings = vec![0, 1];
    refund
}

fn looked_up() -> RunStep {
    let mut lookup = attempt(2, Kind::Read, 3_000, 3_200);
    lookup.record.result = Some(content(9, ContentKind::Result, "{}"));
    let mut read = step(2, Kind::Read, "lookup_order", vec![lookup]);
    read.tool = Some("lookup_order".to_owned());
    read.target = Some("order:ord_4655".to_owned());
    read.proposed_by = Some("st-1".to_owned());
    read
}

fn mailed_twice() -> RunStep {
    let mut mail_second = tried(
        (6, 2),
        (43_900, 44_500),
        (Outcome::Submitted, Evidence::Status),
        Gate::None,
        "accepted by the provider",
    );
    mail_second.link = Some("same tool and target");
    let mut mail = step(
        5,
        Kind::Act,
        "send_email",
        vec![
            tried(
                (5, 1),
                (38_400, 43_400),
                (Outcome::Unknown, Evidence::Timeout),
                Gate::None,
                "no answer after 5 s",
            ),
            mail_second,
        ],
    );
    mail.tool = Some("send_email".to_owned());
    mail.target = Some("account:acct_2291".to_owned());
    mail.outcome = Some(Outcome::Unknown);
    mail.findings = vec![2];
    mail
}

/// The naive agent: a timeout, and a second refund.
pub(in crate::web) fn naive() -> Run {
    let steps = vec![
        think(1, 1, 0, 1_700, &["lookup_order"]),
        looked_up(),
        think(3, 9, 3_200, 4_500, &["issue_refund"]),
        refunded_twice(),
        mailed_twice(),
        think(6, 10, 44_500, 44_800, &[]),
    ];
    let finding = |code, message: &str, step: &str| RunFinding {
        code,
        message: message.to_owned(),
        step_ids: vec![step.to_owned()],
        spans: Vec::new(),
        since_ns: None,
    };
    Run {
        findings: vec![
            finding(
                Code::DoubleEffect,
                "Two confirmed refunds on ord_4655 from one intent, 80.00 EUR in total.",
                "st-4",
            ),
            finding(
                Code::RetriedWhileUnknown,
                "Attempt 2 ran 4 s after attempt 1 timed out. No look-up in between.",
                "st-4",
            ),
            finding(Code::NoKey, "2 acts carry no idempotency key, so no gate could stop a repeat.", "st-5"),
            finding(Code::ToolUnclassified, "Nothing says whether send_email has effects.", "st-5"),
        ],
        verdict: Verdict {
            tone: Tone::Finding,
            line: "2 refunds made where 1 was intended".to_owned(),
            detail: "2 retries ran while the outcome was unknown · 1 e-mail still unknown".to_owned(),
        },
        ..run("run_2c8d1x", "Refund for a broken lamp, ord_4655", steps)
    }
}

/// One refund: unknown, found by a look-up, and a held retry.
fn refunded_once() -> RunStep {
    let key = "run_7f3k2m:3:issue_refund:ord_4812";
    let mut first = tried(
        (3, 1),
        (5_600, 35_604),
        (Outcome::Unknown, Evidence::Timeout),
        Gate::New,
        "no answer after 30 s; further tries held",
    );
    first.now = Some((Outcome::Confirmed, Evidence::Reconcile));
    first.given = true;
    first.record.facts.key = Some(key.to_owned());
    first.record.facts.epoch = Some(4);
    first.record.facts.worker = Some("w-07".to_owned());
    first.record.facts.value = Some("40.00 EUR".to_owned());
    first.record.facts.key_expires_ns = Some(START + 86_400_000 * MS);
    let mut held = attempt(5, Kind::Act, 44_000, 44_010);
    held.number = 2;
    held.given = true;
    held.record.facts.gate = Gate::Duplicate;
    held.record.facts.key = Some(key.to_owned());
    "redelivered to w-12, given the recorded result".clone_into(&mut held.reason);
    let mut refund = step(3, Kind::Act, "issue_refund", vec![first, held]);
    refund.outcome = Some(Outcome::Confirmed);
    refund.tool = Some("issue_refund".to_owned());
    refund.target = Some("ord_4812".to_owned());
    refund.key = Some(key.to_owned());
    refund
}

/// The designed agent: a timeout, a look-up, a held retry.
pub(in crate::web) fn designed() -> Run {
    let mut asked = attempt(4, Kind::Reconcile, 38_000, 38_600);
    "1 found: re_88213, 40.00 EUR".clone_into(&mut asked.reason);
    let mut lookup = step(4, Kind::Reconcile, "list_refunds", vec![asked]);
    lookup.verifies = Some("st-3".to_owned());
    lookup.tool = Some("list_refunds".to_owned());
    let mut mail = step(
        5,
        Kind::Act,
        "send_email",
        vec![tried(
            (6, 1),
            (48_100, 48_700),
            (Outcome::Confirmed, Evidence::ReadBack),
            Gate::New,
            "read back",
        )],
    );
    mail.tool = Some("send_email".to_owned());
    mail.target = Some("acct_2291".to_owned());
    mail.key = Some("run_7f3k2m:5:send_email:acct_2291".to_owned());
    let mut agent = attempt(20, Kind::Agent, 0, 49_300);
    agent.record.facts.name = "invoke_agent refund-agent".to_owned();
    let mut steps = vec![
        step(1, Kind::Agent, "invoke_agent refund-agent", vec![agent]),
        think(2, 1, 0, 2_100, &["issue_refund"]),
        refunded_once(),
        lookup,
        mail,
        think(6, 8, 48_700, 49_300, &[]),
    ];
    for step in steps.iter_mut().skip(1) {
        step.depth = 1;
        step.parent_step_id = Some("st-1".to_owned());
    }
    Run {
        workers: vec!["w-07".to_owned(), "w-12".to_owned()],
        epochs: vec![4, 5],
        verdict: Verdict {
            tone: Tone::Confirmed,
            line: "2 of 2 effects confirmed".to_owned(),
            detail: "1 retry · 1 reconciliation · nothing unknown".to_owned(),
        },
        completeness: Completeness {
            verdict: Whole::Yes,
            gaps: Vec::new(),
            ..run("", "", Vec::new()).completeness
        },
        ..run("run_7f3k2m", "Refund for a cracked kettle, ord_4812", steps)
    }
}

/// A run whose record has holes.
pub(in crate::web) fn gappy() -> Run {
    let refused = tried(
        (3, 1),
        (3_400, 3_900),
        (Outcome::Failed, Evidence::Error),
        Gate::New,
        "refused with 409: stock is being counted",
    );
    let accepted = tried(
        (4, 3),
        (9_800, 10_400),
        (Outcome::Confirmed, Evidence::ReadBack),
        Gate::New,
        "read back as ord_4655",
    );
    let mut order = step(2, Kind::Act, "place_order", vec![refused, accepted]);
    order.attempts.insert(1, Slot::Missing(2));
    order.tool = Some("place_order".to_owned());
    order.target = Some("LMP-02".to_owned());
    order.key = Some("run_1k9t7b:3:place_order:LMP-02".to_owned());
    let mut voucher = step(
        3,
        Kind::Act,
        "apply_voucher",
        vec![tried(
            (5, 1),
            (13_000, 13_600),
            (Outcome::Failed, Evidence::Error),
            Gate::New,
            "refused with 422: already used",
        )],
    );
    voucher.tool = Some("apply_voucher".to_owned());
    voucher.target = Some("ord_4655".to_owned());
    let finding = |code, message: &str, step: &str| RunFinding {
        code,
        message: message.to_owned(),
        step_ids: vec![step.to_owned()],
        spans: Vec::new(),
        since_ns: None,
    };
    let steps = vec![think(1, 1, 0, 1_100, &["place_order"]), order, voucher];
    Run {
        state: RunState::Lost,
        findings: vec![
            finding(
                Code::AttemptMissing,
                "Step 2 has attempts 1 and 3. Attempt 2 never arrived, so we can't say what it did.",
                "st-2",
            ),
            finding(
                Code::NeverEnded,
                "No end was recorded for this run. The last record is from 16:02:24.",
                "st-3",
            ),
        ],
        verdict: Verdict {
            tone: Tone::Failed,
            line: "1 of 2 effects confirmed, 1 failed".to_owned(),
            detail: "2 retries, one of them not recorded".to_owned(),
        },
        ..run("run_1k9t7b", "Order a lamp, voucher problem", steps)
    }
}

fn run(run_id: &str, name: &str, steps: Vec<RunStep>) -> Run {
    Run {
        run_id: run_id.to_owned(),
        run_id_given: true,
        session_id: Some("conv-77".to_owned()),
        user_id: None,
        agent: Some("refund-agent".to_owned()),
        agent_version: Some("9.0".to_owned()),
        name: name.to_owned(),
        service: Some("support".to_owned()),
        environment: Some("production".to_owned()),
        started_ns: START,
        ended_ns: Some(START + 44_800 * MS),
        state: RunState::Ended,
        steps,
        findings: Vec::new(),
        verdict: Verdict {
            tone: Tone::None,
            line: "Nothing was acted upon".to_owned(),
            detail: String::new(),
        },
        completeness: Completeness {
            verdict: Whole::No,
            gaps: vec!["attempt numbers not sent, linked by tool and target".to_owned()],
            rejected: 0,
            sampled: 0,
            redacted: 2,
            skew_ms_max: 0,
            record_count: 11,
        },
        traces: vec![TRACE],
        linked_traces: Vec::new(),
        workers: Vec::new(),
        epochs: Vec::new(),
        entities: vec![Entity::account("acct_2291")],
        version: 1,
    }
}

pub(in crate::web) fn summary(run: &Run) -> RunSummary {
    RunSummary {
        run_id: run.run_id.clone(),
        session_id: run.session_id.clone(),
        name: run.name.clone(),
        agent: run.agent.clone(),
        agent_version: run.agent_version.clone(),
        service: run.service.clone(),
        environment: run.environment.clone(),
        user_id: None,
        started_ns: run.started_ns,
        ended_ns: run.ended_ns,
        received_ns: run.started_ns,
        state: run.state,
        outcome: "unknown",
        acts_confirmed: 1,
        acts_failed: 0,
        acts_unknown: 1,
        acts_submitted: 0,
        unknown_at_ns: None,
        step_count: 6,
        attempt_count: 8,
        retry_count: 2,
        act_count: 2,
        reconcile_count: 1,
        error_count: 1,
        finding_codes: vec![Code::DoubleEffect],
        models: vec!["gpt-5-mini-2026-08-01".to_owned()],
        tools: vec!["issue_refund".to_owned()],
        entities: vec!["account:acct_2291".to_owned()],
        tokens_in: Some(8_742),
        tokens_out: Some(188),
        cost_usd: Some(0.019),
        usage: Vec::new(),
        acts_resolved: 0,
        calls_untold: 0,
        complete: run.completeness.verdict,
        verdict: run.verdict.line.clone(),
        traces: run.traces.clone(),
        version: 1,
    }
}
