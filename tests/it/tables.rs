//! What is kept comes back: every table, every column, whatever is sent twice, and in bounded time.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use std::collections::BTreeMap;

use recount::conventions::rebuild;
use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::kind::{Carrier, Kind};
use recount::domain::outcome::{Gate, Outcome};
use recount::domain::step::{Event, Failure, Http, Link, Proposal, Step};
use recount::domain::value::{Piece, Value};
use recount::otlp::Refused;
use recount::store::Store;
use recount::store::queries::{
    bodies, content_refs, key_records, rejects, run_records, span as read_span, table_sizes,
};
use recount::store::rows::Table;

use crate::support::engine;
use crate::support::rows::{Keeping, NOW_NS, SECOND_NS, scope, span, text, trace};

async fn migrated() -> Store {
    let store = engine::store().await;
    store.migrate().await.unwrap();
    store
}

#[derive(serde::Deserialize, clickhouse::Row)]
struct ColumnOfTable {
    name: String,
    r#type: String,
}

#[tokio::test]
async fn columns_are_those_of_the_tables() {
    let store = migrated().await;
    for table in Table::ALL {
        let sql = "SELECT name, type FROM system.columns \
                   WHERE database = currentDatabase() AND table = {table:String} \
                   AND default_kind IN ('', 'DEFAULT')";
        let found: Vec<ColumnOfTable> =
            store.read_all_projects(sql).bind("table", table.name()).all().await.unwrap();
        let found: BTreeMap<String, String> =
            found.into_iter().map(|column| (column.name, plain(&column.r#type))).collect();
        let ours: BTreeMap<String, String> = table.shape().into_iter().collect();
        assert_eq!(ours, found, "{}", table.name());
    }
}

/// A type as RowBinary sees it.
fn plain(kind: &str) -> String {
    let mut kind = kind.to_owned();
    while let Some(at) = kind.find("LowCardinality(") {
        let end = at + kind[at..].find(')').unwrap();
        kind.remove(end);
        kind.replace_range(at..at + "LowCardinality(".len(), "");
    }
    kind
}

/// A refund whose answer never came, with something everywhere.
fn refund() -> Step {
    let mut step = Step::default();
    let arguments = step.add_body(text(ContentKind::Arguments, "", "arguments of the refund"));
    let message = step.add_body(text(ContentKind::Message, "user", "please refund order 4812"));
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id, facts.parent_span_id) = (trace(1), span(1), Some(span(0)));
    (facts.run_id, facts.step_id) = (Some("run-1".into()), Some("step-3".into()));
    (facts.kind, facts.name) = (Kind::Act, "execute_tool issue_refund".into());
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + 30 * SECOND_NS));
    (facts.attempt, facts.epoch, facts.seq) = (Some(1), Some(0), Some(u64::MAX));
    (facts.tool, facts.target) = (Some("issue_refund".into()), Some("order:4812".into()));
    (facts.key, facts.gate, facts.outcome) = (Some("k-1".into()), Gate::New, Some(Outcome::Unknown));
    facts.entities = vec![Entity::account("2291")];
    facts.error = Some(Failure { kind: "ReadTimeout".into(), message: String::new() });
    facts.http = Some(Http { method: Some("POST".into()), ..Http::default() });
    facts.links = vec![Link { trace_id: trace(9), span_id: span(9), attributes: vec![] }];
    facts.parameters = vec![("temperature".into(), Value::Double(0.1))];
    facts.tokens.input = Some(0);
    step.arguments = Some(arguments);
    step.context = vec![message, arguments];
    step.proposed = vec![Proposal {
        call_id: None,
        tool: "issue_refund".into(),
        arguments: Some(arguments),
        complete: false,
    }];
    step.attributes = vec![
        ("k".into(), Value::String("one".into())),
        ("k".into(), Value::Int(2)),
        (String::new(), Value::Map(vec![("db.function".into(), Value::Bytes(vec![0, 255]))])),
        (
            "gen_ai.input.messages".into(),
            Value::Framed(vec![Piece::Text("[\"".into()), Piece::Body(message), Piece::Text("\"]".into())]),
        ),
    ];
    step.events = vec![Event { name: "exception".into(), at_ns: NOW_NS, attributes: vec![] }];
    step.resource = vec![("service.name".into(), Value::String("shop".into()))];
    step.scope.name = "tests".into();
    step
}

#[tokio::test]
async fn a_record_comes_back_as_it_was_kept() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let rows = keeping.keep(&store, NOW_NS, vec![refund()]).await;
    assert_eq!(rows, vec![(Table::Contents, 2), (Table::Leaves, 1), (Table::Steps, 1)]);

    let records = run_records(&store, &scope(), "run-1").await.unwrap();
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!(record.facts, refund().facts);
    assert_eq!((record.received_ns, record.context.len()), (NOW_NS, 2));
    let arguments = record.arguments.clone().unwrap();
    assert_eq!((arguments.bytes, arguments.preview.as_str()), (23, "arguments of the refund"));
    assert_eq!(record.proposed[0].call.arguments, Some(arguments.clone()));
    // The trace's own id finds the run as well, and nobody else's scope does.
    assert_eq!(run_records(&store, &scope(), &trace(1).to_string()).await.unwrap(), records);
    let strangers = recount::domain::scope::Scope::whole(recount::domain::ids::Project("other".into()));
    assert_eq!(run_records(&store, &strangers, "run-1").await.unwrap(), vec![]);

    let spans = read_span(&store, &scope(), trace(1), span(1)).await.unwrap();
    let [row] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(&row.record, record);
    assert_eq!(
        (&row.events, &row.resource, &row.scope),
        (&refund().events, &refund().resource, &refund().scope)
    );
    assert_eq!(row.attributes[..3], refund().attributes[..3]);
    let texts = bodies(&store, &scope(), trace(1), &row.bodies).await.unwrap();
    let whole = rebuild(&row.attributes[3].1, &|index| {
        let digest = row.bodies.get(index)?;
        texts.iter().find(|body| body.content.digest == *digest).map(|body| body.text.as_str())
    });
    assert_eq!(whole, Value::String("[\"please refund order 4812\"]".into()));
    let refs = content_refs(&store, &scope(), trace(1), &record.context).await.unwrap();
    assert!(refs.iter().any(|body| body.content == arguments && body.text.is_empty()));
}

#[tokio::test]
async fn what_is_sent_again_is_one_record_and_other_bytes_are_another_version() {
    let (store, keeping) = (migrated().await, Keeping::new());
    keeping.keep(&store, NOW_NS, vec![refund()]).await;
    // Confirmed bodies are not sent again, and bytes that come again a month later are still the same
    // record.
    let rows = keeping.keep(&store, NOW_NS + 1, vec![refund(), refund()]).await;
    assert_eq!(rows, vec![(Table::Leaves, 2), (Table::Steps, 2)]);
    keeping.keep(&store, NOW_NS + 30 * 86_400 * SECOND_NS, vec![refund()]).await;
    let mut other = refund();
    other.facts.outcome = Some(Outcome::Confirmed);
    keeping.keep(&store, NOW_NS + 2, vec![other]).await;

    for merged in [false, true] {
        let records = run_records(&store, &scope(), "run-1").await.unwrap();
        let received: Vec<u64> = records.iter().map(|record| record.received_ns - NOW_NS).collect();
        assert_eq!(received.iter().sum::<u64>(), 2, "{received:?} merged: {merged}");
        assert_eq!(records.len(), 2);
        assert_eq!(read_span(&store, &scope(), trace(1), span(1)).await.unwrap().len(), 2);
        let (of_key, used) = key_records(&store, &scope(), "k-1").await.unwrap();
        assert_eq!((of_key, used.traces, used.records), (records, 1, 2));
        for (sql, rows) in [
            ("SELECT count() FROM keyed FINAL WHERE key = 'k-1'", 2),
            ("SELECT count() FROM mentions FINAL WHERE entity IN ('account:2291', 'order:4812')", 4),
            ("SELECT count() FROM run_traces FINAL WHERE run_id = 'run-1'", 1),
            ("SELECT count() FROM (SELECT DISTINCT digest FROM contents)", 2),
        ] {
            assert_eq!(
                store.read_all_projects(sql).one::<u64>().await.unwrap(),
                rows,
                "{sql} merged: {merged}"
            );
        }
        merge(&store).await;
    }
}

async fn merge(store: &Store) {
    let database: String = store.read_all_projects("SELECT currentDatabase()").one().await.unwrap();
    for table in ["steps", "keyed", "mentions", "run_traces", "contents"] {
        let sql = format!("OPTIMIZE TABLE {database}.{table} FINAL");
        engine::engine().await.client().query_raw(&sql).execute().await.unwrap();
    }
}

#[tokio::test]
async fn the_same_insert_again_adds_nothing() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let frame = keeping.encode(NOW_NS, vec![refund()], &[]).to_frame();
    let gathered = recount::store::rows::Gathered::of(
        &recount::store::rows::segment_header(),
        [7; 16],
        [(1, frame.as_ref())],
    )
    .unwrap();
    for _ in 0..3 {
        for insert in &gathered.inserts {
            let token = format!("again-{}", insert.table.name());
            store
                .insert_rows(insert.table.name(), &insert.columns, insert.bytes.clone(), &token)
                .await
                .unwrap();
        }
    }
    for table in ["steps", "leaves", "keyed", "run_traces"] {
        let sql = format!("SELECT count() FROM {table}");
        assert_eq!(store.read_all_projects(&sql).one::<u64>().await.unwrap(), 1, "{table}");
    }
}

#[tokio::test]
async fn clocks_of_clients_cut_no_partitions() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let day_ns = 86_400 * SECOND_NS;
    let starts = (0..400).map(|day| NOW_NS - day * day_ns).chain([0, u64::MAX, 9_214_646_400 * SECOND_NS]);
    let steps: Vec<Step> = starts
        .zip(0..)
        .map(|(started_ns, number)| {
            let mut step = Step::default();
            step.facts.trace_id = trace(2);
            step.facts.span_id = span(number);
            step.facts.started_ns = started_ns;
            step
        })
        .collect();
    keeping.keep(&store, NOW_NS, steps).await;
    let records = run_records(&store, &scope(), &trace(2).to_string()).await.unwrap();
    assert_eq!(records.len(), 403);
    assert!(records.iter().any(|record| record.facts.started_ns == u64::MAX));
    let parts = table_sizes(&store).await.unwrap().into_iter().find(|size| size.table == "steps").unwrap();
    assert_eq!((parts.rows, parts.parts), (403, 1));
}

#[tokio::test]
async fn a_large_body_is_kept_whole() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let body: String = (0..20 * 1024 * 1024 / 16).map(|at| format!("{at:015} ")).collect();
    let mut step = Step::default();
    (step.facts.trace_id, step.facts.span_id) = (trace(3), span(3));
    step.result = Some(step.add_body(text(ContentKind::Result, "tool", &body)));
    let rows = keeping.encode(NOW_NS, vec![step], &[]);
    keeping.insert(&store, &rows.to_frame()).await;
    let records = run_records(&store, &scope(), &trace(3).to_string()).await.unwrap();
    let result = records[0].result.clone().unwrap();
    let found = bodies(&store, &scope(), trace(3), &[result.digest]).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].text.len() as u64 == result.bytes);
}

#[tokio::test]
async fn traces_that_links_join_are_one_run() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let linked = |number: u8, to: Option<u8>| {
        let mut step = Step::default();
        (step.facts.trace_id, step.facts.span_id) = (trace(number), span(number.into()));
        step.facts.links = to
            .map(|to| Link {
                trace_id: trace(to),
                span_id: span(to.into()),
                attributes: vec![("recount.link.same_run".into(), Value::Bool(true))],
            })
            .into_iter()
            .collect();
        step
    };
    let steps = vec![linked(10, None), linked(11, Some(10)), linked(12, Some(11)), linked(13, None)];
    keeping.keep(&store, NOW_NS, steps).await;
    for number in [10, 11, 12] {
        let records = run_records(&store, &scope(), &trace(number).to_string()).await.unwrap();
        assert_eq!(records.len(), 3, "from trace {number}");
    }
    assert_eq!(run_records(&store, &scope(), &trace(13).to_string()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn ten_thousand_steps_are_read_at_once() {
    let (store, keeping) = (migrated().await, Keeping::new());
    for batch in 0..20u64 {
        let steps = (0..500)
            .map(|number| {
                let mut step = refund();
                let facts = &mut step.facts;
                (facts.trace_id, facts.span_id) = (trace(4), span(500 * batch + number));
                facts.run_id = Some("long".into());
                facts.carrier = Carrier::Span;
                step
            })
            .collect();
        keeping.keep(&store, NOW_NS + batch, steps).await;
    }
    // Others' records around them, which a read of the run must not touch.
    for batch in 0..20u64 {
        let steps = (0..500)
            .map(|number| {
                let mut step = refund();
                let facts = &mut step.facts;
                (facts.trace_id, facts.span_id) = (trace(100 + u8::try_from(batch).unwrap()), span(number));
                facts.run_id = Some(format!("run {batch}"));
                step
            })
            .collect();
        keeping.keep(&store, NOW_NS + batch, steps).await;
    }
    let records = run_records(&store, &scope(), "long").await.unwrap();
    assert_eq!(records.len(), 10_000);
    // However long it takes: it reads the granules of the run's traces, once, and no others.
    let read = include_str!("../../src/store/records.sql").replace("$columns", "*");
    let read = store.read(&scope(), &format!("EXPLAIN ESTIMATE\n{read}"));
    let read = read.bind("traces", vec![trace(4).to_string()]).bind("records_max", 100_000_u64);
    let (_, _, _, rows, _): (String, String, u64, u64, u64) = read.one().await.unwrap();
    assert!((10_000..15_000).contains(&rows), "{rows} rows of 20,000");
}

#[tokio::test]
async fn refusals_are_listed_newest_first() {
    let (store, keeping) = (migrated().await, Keeping::new());
    let refused = |class| Refused {
        reason: "the span id is zero: send 8 bytes that are not".into(),
        class,
        items: 1,
        service: None,
        bytes: 17,
        sha256: String::new(),
    };
    for second in 0..3 {
        let rows = keeping.encode(NOW_NS + second, vec![], &[refused("bad-id"), refused("too-deep")]);
        keeping.insert(&store, &rows.to_frame()).await;
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = rejects(&store, &scope(), after, 4).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some((last.at_ns, last.position));
        seen.extend(page.into_iter().map(|reject| (reject.at_ns - NOW_NS, reject.class)));
    }
    let all = [2, 1, 0].into_iter().flat_map(|at| [(at, "too-deep".to_owned()), (at, "bad-id".to_owned())]);
    assert_eq!(seen, all.collect::<Vec<_>>());
}
