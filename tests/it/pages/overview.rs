//! The overview: every number of it by hand, the same under re-sent records, and leading to its runs.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]
use recount::domain::entity::Entity;
use recount::domain::kind::{Carrier, Kind, Status};
use recount::domain::price::{Price, Prices};
use recount::domain::step::{Failure, Http, Step, Tokens};
use recount::domain::value::Value;
use serde_json::{Value as Json, json};

use crate::access::people::key;
use crate::pages::site::{Site, addresses};
use crate::support::rows::{SECOND_NS, span, trace};

/// 2026-11-29T00:00:00Z.
const DAY_NS: u64 = 1_795_910_400 * SECOND_NS;
const HOUR_NS: u64 = 3_600 * SECOND_NS;
const THE_DAY: &str = "from=2026-11-29T00:00:00Z&to=2026-11-30T00:00:00Z";

/// A span of a run that starts so many seconds after this hour, and lasts so many milliseconds.
fn step(run: u8, number: u64, (hour, second): (u64, u64), kind: Kind, took_ms: u64) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(run), span(100 * u64::from(run) + number));
    facts.run_id = Some(format!("run-{run}"));
    facts.agent = Some(if run == 2 { "shop" } else { "bank" }.to_owned());
    facts.entities = vec![Entity::account(run.to_string())];
    facts.kind = kind;
    facts.started_ns = DAY_NS + hour * HOUR_NS + second * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + took_ms * 1_000_000);
    step
}

fn tool(mut step: Step, tool: &str, id: &str) -> Step {
    (step.facts.tool, step.facts.name) = (Some(tool.to_owned()), tool.to_owned());
    step.facts.step_id = Some(id.to_owned());
    step.facts.target = Some(format!("order:{id}"));
    step
}

fn status(mut step: Step, code: u16) -> Step {
    step.facts.http = Some(Http { status_code: Some(code), ..Http::default() });
    step.facts.status = if code >= 400 { Status::Error } else { Status::Ok };
    step
}

fn model(mut step: Step, model: &str, temperature: f64, tokens: (u64, u64)) -> Step {
    (step.facts.model, step.facts.name) = (Some(model.to_owned()), "chat".to_owned());
    step.facts.parameters = vec![("temperature".to_owned(), Value::Double(temperature))];
    step.facts.tokens = Tokens { input: Some(tokens.0), output: Some(tokens.1), ..Tokens::default() };
    step
}

/// Three runs in two hours of one day, with everything that must not be counted twice.
fn runs() -> Vec<Step> {
    let mut agent = step(1, 1, (10, 0), Kind::Agent, 60_000);
    agent.facts.tokens = Tokens { input: Some(1_000_000), output: Some(500_000), ..Tokens::default() };
    let below = |mut step: Step, above: u64| {
        step.facts.parent_span_id = Some(span(above));
        step
    };
    let refund = |number, second, took| tool(step(1, number, (10, second), Kind::Act, took), "refund", "s1");
    let mut twin = refund(4, 20, 0);
    (twin.facts.carrier, twin.facts.ended_ns) = (Carrier::Log, None);
    let mut transport = step(1, 5, (10, 20), Kind::Transport, 90);
    transport.facts.http =
        Some(Http { method: Some("POST".to_owned()), status_code: Some(200), ..Http::default() });
    let mut lost = tool(step(2, 1, (12, 0), Kind::Act, 30_000), "refund", "s2");
    lost.facts.status = Status::Error;
    lost.facts.error = Some(Failure { kind: "ReadTimeout".to_owned(), message: String::new() });
    let look =
        |number, second| status(tool(step(2, number, (12, second), Kind::Read, 40), "look", "s3"), 429);
    // Sent, and the deadline has passed since: unknown by now, without a write.
    let mut open = tool(step(3, 4, (12, 1_804), Kind::Act, 0), "mail", "s5");
    open.facts.ended_ns = None;
    vec![
        agent,
        below(model(step(1, 2, (10, 1), Kind::Think, 700), "m-small", 0.2, (1_000_000, 500_000)), 101),
        below(status(refund(3, 10, 100), 429), 101),
        below(refund(4, 20, 300), 101),
        twin,
        below(transport, 104),
        lost,
        look(2, 40),
        look(3, 50),
        model(step(3, 1, (12, 1_801), Kind::Think, 900), "m-small", 0.7, (2_000_000, 0)),
        status(model(step(3, 2, (12, 1_802), Kind::Think, 20), "other", 0.7, (5, 5)), 429),
        tool(step(3, 3, (12, 1_803), Kind::Act, 500), "mail", "s4"),
        open,
        // Accepted, and not seen done: submitted, for ever.
        status(tool(step(3, 5, (12, 1_805), Kind::Act, 600), "mail", "s6"), 202),
    ]
}

async fn site() -> Site {
    let price = Price {
        model: "m-*".to_owned(),
        from_day: 0,
        input: 2.0,
        output: 8.0,
        cache_read: None,
        cache_write: None,
    };
    let site = Site::priced(Prices::new(vec![price])).await;
    site.keep(runs()).await;
    site
}

fn acts(of: &Json) -> [u64; 4] {
    ["confirmed", "failed", "unknown", "submitted"].map(|word| of["acts"][word].as_u64().unwrap())
}

fn steps(of: &Json) -> [u64; 4] {
    let names = ["tool_step_count", "retried_step_count", "recovered_step_count", "throttled_count"];
    names.map(|name| of[name].as_u64().unwrap())
}

fn lengths(of: &Json) -> Json {
    json!([of["count"], of["p50_ms"], of["p90_ms"], of["p99_ms"], of["max_ms"]])
}

/// Everything that the figures must be, whatever was sent how often.
async fn check(site: &Site) {
    let seen = site.get(&format!("/api/v1/overview?{THE_DAY}")).await.json();
    assert_eq!((seen["step_seconds"].as_u64(), seen["unfolded_run_count"].as_u64()), (Some(3_600), Some(0)));
    let total = &seen["total"];
    assert_eq!(total["run_count"], 3);
    assert_eq!(acts(total), [2, 0, 2, 1], "confirmed, failed, unknown, submitted");
    assert_eq!(steps(total), [6, 2, 1, 4], "steps, tried again, went well then, 429s");
    assert_eq!((total["tokens_in"].as_u64(), total["tokens_out"].as_u64()), (Some(3_000_005), Some(500_005)));
    // 1 M × 2 + 0.5 M × 8, and 2 M × 2; nobody knows what `other` costs, but its call went wrong with tokens.
    assert_eq!((total["cost_usd"].as_f64(), total["cost_partial"].as_bool()), (Some(10.0), Some(true)));
    let bins = seen["bins"].as_array().unwrap();
    assert_eq!(bins.len(), 24);
    assert_eq!(bins[10]["from"], "2026-11-29T10:00:00.000000000Z");
    assert_eq!((acts(&bins[10]), steps(&bins[10])), ([1, 0, 0, 0], [1, 1, 1, 1]));
    assert_eq!((acts(&bins[12]), steps(&bins[12])), ([1, 0, 2, 1], [5, 1, 0, 3]));
    assert_eq!((bins[10]["cost_usd"].as_f64(), bins[12]["cost_usd"].as_f64()), (Some(6.0), Some(4.0)));
    assert_eq!((&bins[10]["cost_partial"], &bins[12]["cost_partial"]), (&json!(false), &json!(true)));
    assert_eq!(lengths(&bins[10]["tools_took"]), json!([2, 300.0, 300.0, 300.0, 300.0]));
    let empty = |bin: &&Json| bin["run_count"] == 0 && acts(bin) == [0; 4] && bin["tokens_in"].is_null();
    assert_eq!(bins.iter().filter(empty).count(), 22);

    let tools = seen["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["tool"].as_str().unwrap()).collect();
    assert_eq!(names, ["mail", "refund", "look"]);
    assert_eq!((acts(&tools[0]), acts(&tools[1]), acts(&tools[2])), ([1, 0, 1, 1], [1, 0, 1, 0], [0; 4]));
    assert_eq!(lengths(&tools[1]["took"]), json!([3, 300.0, 30_000.0, 30_000.0, 30_000.0]));
    let tried = |of: &Json| {
        ["step_count", "attempt_count", "retried_step_count", "recovered_step_count", "throttled_count"]
            .map(|name| of[name].as_u64().unwrap())
    };
    assert_eq!((tried(&tools[1]), tried(&tools[2])), ([2, 3, 1, 1, 1], [1, 2, 1, 0, 2]));
    let models = seen["models"].as_array().unwrap();
    assert_eq!((&models[0]["model"], &models[0]["attempt_count"]), (&json!("m-small"), &json!(2)));
    assert_eq!((models[0]["cost_usd"].as_f64(), models[1]["cost_usd"].as_f64()), (Some(10.0), None));
    assert_eq!(lengths(&models[0]["took"]), json!([2, 900.0, 900.0, 900.0, 900.0]));
    let sets: Vec<_> =
        seen["parameters"].as_array().unwrap().iter().map(|set| &set["parameters"][0]).collect();
    assert_eq!(sets, ["temperature=0.2", "temperature=0.7", "temperature=0.7"]);
    let open: Vec<_> =
        seen["unknowns"].as_array().unwrap().iter().map(|one| (&one["tool"], &one["open"])).collect();
    assert_eq!(open, [(&json!("mail"), &json!(1)), (&json!("refund"), &json!(1))]);
    assert_eq!(seen["unknowns"][1]["older_than_1h"], 1, "it has been so since the day of the test's records");

    // The list of runs says the same.
    let list = site.get("/api/v1/runs").await.json();
    let sum = |name: &str| {
        list["runs"].as_array().unwrap().iter().map(|run| run[name].as_u64().unwrap_or_default()).sum()
    };
    let listed: [u64; 4] = ["confirmed_count", "failed_count", "unknown_count", "submitted_count"].map(sum);
    assert_eq!(listed, acts(total));
    assert_eq!(sum("tokens_in"), 3_000_005_u64);
}

#[tokio::test]
async fn every_number_is_exact_and_stays_when_records_are_sent_again() {
    let site = site().await;
    check(&site).await;
    site.keep(runs()).await;
    check(&site).await;
    // Another version of one span is no other attempt: the later end counts.
    let mut again = runs().swap_remove(3);
    again.facts.dropped.attributes = 1;
    site.keep(vec![again]).await;
    check(&site).await;
}

#[tokio::test]
async fn filters_narrow_runs_and_the_names_they_name() {
    let site = site().await;
    for (query, expected) in [
        ("agent=shop", [0, 0, 1, 0]),
        ("q=agent:bank", [2, 0, 1, 1]),
        ("tool=mail", [1, 0, 1, 1]),
        ("q=tool:refund", [1, 0, 1, 0]),
        ("q=-tool:refund", [1, 0, 1, 1]),
        ("q=confirmed:%3E0", [2, 0, 1, 1]),
        ("q=unknown:%3E0%20submitted:%3E0", [1, 0, 1, 1]),
        ("q=failed:%3E0", [0; 4]),
        ("model=other", [1, 0, 1, 1]),
        ("q=nowhere", [0; 4]),
    ] {
        let seen = site.get(&format!("/api/v1/overview?{query}&{THE_DAY}")).await.json();
        assert_eq!(acts(&seen["total"]), expected, "{query}");
    }
    let of_model = site.get(&format!("/api/v1/overview?model=other&{THE_DAY}")).await.json();
    assert_eq!((&of_model["total"]["tokens_in"], &of_model["total"]["cost_usd"]), (&json!(5), &Json::Null));
    assert_eq!(of_model["models"].as_array().unwrap().len(), 1);
    let shop = site.get(&format!("/api/v1/overview?agent=shop&{THE_DAY}")).await.json();
    assert_eq!(shop["unknowns"].as_array().unwrap().len(), 1);
    assert_eq!(shop["unknowns"][0]["tool"], "refund");
    let before = site.get("/api/v1/overview?to=2026-11-29T11:00:00Z&from=2026-11-29T10:00:00Z").await.json();
    assert_eq!((acts(&before["total"]), before["step_seconds"].as_u64()), ([1, 0, 0, 0], Some(300)));
    assert_eq!(before["unknowns"].as_array().unwrap().len(), 2, "open unknowns have no time");
    for query in ["limit=5", "t=2d", "q=outcom:x", "format=csv"] {
        assert_eq!(site.get(&format!("/api/v1/overview?{query}")).await.status.as_u16(), 400, "{query}");
    }
}

#[tokio::test]
async fn each_number_leads_to_its_runs_and_each_chart_is_a_table() {
    let site = site().await;
    let path = format!("/overview?{THE_DAY}");
    let html = site.page(&path).await;
    let found = |q: &str, runs: &'static str| (q.to_owned(), runs);
    for (q, runs) in [
        found("failed%3A%3E0", ""),
        found("confirmed%3A%3E0", "run-1 run-3"),
        found("unknown%3A%3E0", "run-2 run-3"),
        found("has%3Athrottle", "run-1 run-2 run-3"),
        found("tool%3Arefund%20has%3Aretry", "run-1"),
        found("model%3Aother", "run-3"),
    ] {
        let wanted = format!("/runs?q={q}&");
        let lead = addresses(&html, &path).into_iter().find(|address| address.starts_with(&wanted));
        assert_eq!(lead.is_none(), runs.is_empty(), "{q}");
        let Some(lead) = lead else { continue };
        let list = site.get(&format!("/api/v1{lead}")).await.json();
        let mut ids: Vec<&str> =
            list["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        let expected = if q.starts_with("tool") { "run-1 run-2" } else { runs };
        assert_eq!(ids.join(" "), expected, "{lead}");
    }
    // Every row of bars is said in words, and stands in a table of the same numbers.
    assert!(html.contains("aria-label=\"Confirmed: at most 1, from 29 Nov, 10:00 UTC on\""), "{html}");
    let tables = html.matches("<table class=\"figures\">").count();
    assert_eq!(tables, html.matches("<section class=\"chart card").count(), "a chart without its table");
    assert!(html.contains("temperature 0.2 → 0.7"), "what changed in the parameters");
    assert!(!html.contains("style=") && !html.contains("<script>"), "nothing is inline");
    // Nothing is drawn outside its place.
    for number in
        html.split("height=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<u64>().ok())
    {
        assert!(number <= 40, "{number}");
    }
}

#[tokio::test]
async fn csv_has_the_numbers_of_the_chart() {
    let site = site().await;
    let got = site.get(&format!("/overview?format=csv&chart=acts&{THE_DAY}")).await;
    assert!(got.is("text/csv"), "{}", got.body);
    let lines: Vec<&str> = got.body.lines().collect();
    assert_eq!(lines.len(), 25, "every hour has a line");
    assert_eq!(lines[0], "from,to,confirmed,failed,unknown,submitted");
    assert_eq!(lines[13], "2026-11-29T12:00:00.000000000Z,2026-11-29T13:00:00.000000000Z,1,0,2,1");
    let got = site.get(&format!("/overview?format=csv&chart=retries&{THE_DAY}")).await;
    let refund = got.body.lines().find(|line| line.starts_with("refund")).unwrap();
    assert_eq!(refund, "refund,2,1,0.5000,1,1.0000");
    let html = site.page(&format!("/overview?{THE_DAY}")).await;
    let exports: Vec<_> =
        addresses(&html, "/overview").into_iter().filter(|to| to.contains("format=csv")).collect();
    assert!(exports.len() >= 12, "{exports:?}");
    for export in exports {
        let got = site.get(&export).await;
        assert!(got.status.is_success() && got.body.lines().count() > 1, "{export}: {}", got.body);
    }
    for wrong in ["format=csv&chart=nothing", "chart=acts", "format=pdf&chart=acts"] {
        assert_eq!(site.get(&format!("/overview?{wrong}")).await.status.as_u16(), 400, "{wrong}");
    }
}

#[tokio::test]
async fn an_empty_overview_teaches_and_says_its_time() {
    let site = Site::new().await;
    let html = site.page("/overview").await;
    assert!(html.contains("Nothing to count yet") && html.contains("How to send the first run"));
    assert!(site.page("/overview?q=agent:nobody").await.contains("No run fits"));
    assert!(site.page("/overview?q=agnt:nobody").await.contains("This filter can't be read"));
    site.keep(runs()).await;
    let all = site.page("/overview?t=all").await;
    assert!(all.contains(", in steps of ") && !all.contains("since no other time is chosen"));
}

#[tokio::test]
async fn hostile_names_and_limited_scopes() {
    let site = site().await;
    let mut hostile = tool(step(4, 1, (13, 0), Kind::Act, 10), "<b>\"x\"\u{202e}' =1+1", "s7");
    hostile.facts.entities = vec![Entity::account("9")];
    let mut call = model(step(4, 2, (13, 1), Kind::Think, 10), "<i>", f64::NAN, (1, 1));
    call.facts.entities.clone_from(&hostile.facts.entities);
    site.keep(vec![hostile, call]).await;
    let html = site.page(&format!("/overview?{THE_DAY}")).await;
    assert!(!html.contains("<b>\"") && !html.contains("<i>") && !html.contains('\u{202e}'), "{html}");
    let (limited, entry) = key("viewer@default:account:9");
    site.access.set(recount::access::Directory::of(Vec::new(), Vec::new(), vec![entry], Vec::new()));
    let got = site.get_as(&format!("/api/v1/overview?{THE_DAY}"), &limited).await.json();
    assert_eq!((acts(&got["total"]), got["total"]["run_count"].as_u64()), ([1, 0, 0, 0], Some(1)));
    assert_eq!(got["unknowns"].as_array().unwrap().len(), 0, "unknowns of other accounts");
}
