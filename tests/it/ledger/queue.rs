//! The queue in order and in numbers, over lines written straight into its table.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::case::{Case, CaseAct, CaseEvent, CaseState};
use recount::domain::ids::{Project, SpanId, TraceId};
use recount::domain::outcome::{Evidence, Outcome};
use recount::domain::path::{Move, Origin};
use recount::domain::policy::Money;
use recount::domain::scope::Scope;
use recount::store::queries::{
    Appended, CaseFilter, CaseOrder, append_case_event, case_counts, cases, unfolded,
};
use recount::store::{CaseLine, Store, write_cases};

use crate::support::engine;
use crate::support::rows::{NOW_NS, SECOND_NS, scope};

const HOUR_NS: u64 = 3_600 * SECOND_NS;

/// An open case of a project, unknown for an hour.
pub(crate) fn unknown(project: &Project, number: u32) -> CaseLine {
    let mut line = line(&format!("{} {number}", project.0), HOUR_NS);
    line.case.path = vec![Move {
        state: Outcome::Unknown,
        at_ns: NOW_NS - HOUR_NS,
        by: "deadline".to_owned(),
        evidence: Evidence::Timeout,
        origin: Origin::Deadline,
    }];
    CaseLine { project: project.clone(), ..line }
}

fn line(id: &str, opened_ago_ns: u64) -> CaseLine {
    let opened_ns = NOW_NS - opened_ago_ns;
    let case = Case {
        case_id: id.to_owned(),
        key: Some(format!("key of {id}")),
        tool: "issue_refund".to_owned(),
        target: None,
        entities: Vec::new(),
        run_id: "r".to_owned(),
        step_id: "s".to_owned(),
        trace_id: TraceId([1; 16]),
        span_id: SpanId([1; 8]),
        run_ids: vec!["r".to_owned()],
        traces: vec![TraceId([1; 16])],
        agent: None,
        outcome: Outcome::Unknown,
        evidence: Evidence::Timeout,
        unknown_at_ns: None,
        state: CaseState::Open,
        opened_ns: Some(opened_ns),
        settled_ns: None,
        started_ns: opened_ns,
        changed_ns: opened_ns,
        owner: None,
        owner_since_ns: None,
        key_expires_ns: None,
        value: None,
        attempt_count: 1,
        look_count: 0,
        look_failed_count: 0,
        last_look_ns: None,
        path: Vec::new(),
        event_count: 0,
        known_as: Vec::new(),
        last_event_id: None,
        version: 1,
    };
    CaseLine { project: Project::default(), case, heard_ns: NOW_NS, precedence: 1, is_deleted: false }
}

fn with(mut line: CaseLine, change: impl FnOnce(&mut Case)) -> CaseLine {
    change(&mut line.case);
    line
}

fn worth(line: CaseLine, value: &str) -> CaseLine {
    with(line, |case| case.value = Some(value.to_owned()))
}

async fn filled() -> Store {
    let store = engine::store().await;
    let ends = |line, hours: u64| with(line, |case| case.key_expires_ns = Some(NOW_NS + hours * HOUR_NS));
    let waits = |line, due_ns| {
        with(line, |case| {
            (case.state, case.outcome) = (CaseState::Waiting, Outcome::Submitted);
            (case.opened_ns, case.unknown_at_ns) = (None, Some(due_ns));
        })
    };
    let lines = [
        worth(ends(line("ends later", HOUR_NS), 20), "18.50 EUR"),
        ends(line("ends soon", HOUR_NS), 2),
        worth(line("no key kept, much", HOUR_NS), "2400.00 EUR"),
        with(line("no key kept, owned", 2 * HOUR_NS), |case| case.owner = Some("maya".to_owned())),
        waits(line("due", 0), NOW_NS - SECOND_NS),
        waits(line("not due", 0), NOW_NS + SECOND_NS),
        with(line("settled", HOUR_NS), |case| {
            (case.state, case.outcome) = (CaseState::Resolved, Outcome::Confirmed);
            case.settled_ns = Some(NOW_NS - HOUR_NS + 5 * SECOND_NS);
        }),
    ];
    write_cases(&store, &lines, 30, "test").await.unwrap();
    store
}

#[tokio::test]
async fn what_becomes_unsafe_first_is_on_top_over_all_pages() {
    let store = filled().await;
    let (filter, order) = (CaseFilter::default(), CaseOrder::Urgency);
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = cases(&store, &scope(), (&filter, order), (after.as_ref(), 2), NOW_NS).await.unwrap();
        seen.extend(page.cases.into_iter().map(|case| case.case_id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let expected = ["ends soon", "ends later", "no key kept, much", "no key kept, owned", "due"];
    assert_eq!(seen, expected);
    let first = |order| {
        let (store, filter) = (store.clone(), filter.clone());
        async move {
            let page = cases(&store, &scope(), (&filter, order), (None, 1), NOW_NS).await.unwrap();
            page.cases.into_iter().map(|case| case.case_id).next().unwrap()
        }
    };
    assert_eq!(first(CaseOrder::Age).await, "no key kept, owned");
    assert_eq!(first(CaseOrder::Value).await, "no key kept, much");
    let unowned = CaseFilter { unowned: true, ..CaseFilter::default() };
    let page = cases(&store, &scope(), (&unowned, order), (None, 500), NOW_NS).await.unwrap();
    assert_eq!(page.cases.len(), 4);
}

#[tokio::test]
async fn the_queue_in_numbers() {
    let store = filled().await;
    let counts = case_counts(&store, &scope(), "maya", NOW_NS - 24 * HOUR_NS, NOW_NS).await.unwrap();
    assert_eq!((counts.open, counts.unowned, counts.mine, counts.settled), (5, 4, 1, 1));
    assert_eq!(counts.oldest_ns, Some(NOW_NS - 2 * HOUR_NS));
    assert_eq!(counts.next_expiry_ns, Some(NOW_NS + 2 * HOUR_NS));
    assert_eq!(counts.settled_median_ns, 5 * SECOND_NS);
    assert_eq!(counts.stakes, [Money { amount: 2418.5, currency: "EUR".to_owned() }]);
    let later = case_counts(&store, &scope(), "", NOW_NS, NOW_NS + 2 * SECOND_NS).await.unwrap();
    assert_eq!(later.open, 6, "a deadline passes without a write");
}

#[tokio::test]
async fn what_was_appended_and_not_folded_is_found() {
    let store = filled().await;
    let mut event = CaseEvent {
        case_id: "ends soon".to_owned(),
        tool: "issue_refund".to_owned(),
        key: Some("key of ends soon".to_owned()),
        run_id: "r".to_owned(),
        step_id: "s".to_owned(),
        trace_id: TraceId([1; 16]),
        span_id: SpanId([1; 8]),
        event_id: "e1".to_owned(),
        at_ns: NOW_NS,
        by: "maya".to_owned(),
        by_job: false,
        saw: None,
        act: CaseAct::Claim,
    };
    assert!(matches!(append_case_event(&store, &scope(), &event, 30).await.unwrap(), Appended::Yes(_)));
    // The same again adds nothing; another after the same event is dropped.
    let Appended::Yes(kept) = append_case_event(&store, &scope(), &event, 30).await.unwrap() else {
        unreachable!("it is there")
    };
    assert_eq!(kept.len(), 1);
    event.event_id = "e2".to_owned();
    assert_eq!(append_case_event(&store, &scope(), &event, 30).await.unwrap(), Appended::No(kept.clone()));
    let elsewhere = Scope::whole(Project("elsewhere".to_owned()));
    append_case_event(&store, &elsewhere, &event, 30).await.unwrap();
    let found = unfolded(&store, NOW_NS).await.unwrap();
    let traces = |project: &Project| found.get(project).map(Vec::as_slice);
    assert_eq!(traces(&scope().project), Some(&[TraceId([1; 16])][..]));
    assert_eq!(traces(&elsewhere.project), Some(&[TraceId([1; 16])][..]), "of every project");
    let folded = with(line("ends soon", HOUR_NS), |case| {
        (case.event_count, case.last_event_id) = (1, Some("e1".to_owned()));
    });
    write_cases(&store, &[CaseLine { precedence: 2, ..folded }], 30, "again").await.unwrap();
    let left = unfolded(&store, NOW_NS).await.unwrap();
    assert_eq!(left.into_keys().collect::<Vec<_>>(), [elsewhere.project]);
}
