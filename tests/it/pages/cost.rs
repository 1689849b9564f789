//! What runs cost: as given, else from the operator's prices, on pages, in the API and in filters.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::kind::Kind;
use recount::domain::price::{Price, Prices};
use recount::domain::step::{Step, Tokens};
use serde_json::Value as Json;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, trace};

const MILLION: u64 = 1_000_000;

fn price(model: &str, from_day: u32, input: f64) -> Price {
    let (output, cache_read) = (input * 4.0, Some(input / 2.0));
    Price { model: model.to_owned(), from_day, input, output, cache_read, cache_write: None }
}

/// `m-small` has cost 2 dollars since 2000, and nobody knows what it cost before; `m-*` costs 10.
fn prices() -> Prices {
    Prices::new(vec![price("m-small", 10_957, 2.0), price("m-*", 0, 10.0), price("m-small", 40_000, 99.0)])
}

fn call(run: u8, number: u8, model: &str, (input, output): (u64, u64)) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(run), span(u64::from(number) + 100 * u64::from(run)));
    facts.run_id = Some(format!("run-{run}"));
    (facts.kind, facts.name) = (Kind::Think, format!("chat {number}"));
    facts.model = Some(model.to_owned());
    facts.started_ns = NOW_NS + u64::from(number) * SECOND_NS;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    facts.tokens = Tokens { input: Some(input), output: Some(output), ..Tokens::default() };
    step
}

fn given(mut step: Step, usd: f64) -> Step {
    step.facts.cost_usd = Some(usd);
    step
}

fn told(run: &Json) -> (Option<f64>, Option<&str>, bool) {
    (run["cost_usd"].as_f64(), run["cost_source"].as_str(), run["cost_partial"].as_bool().unwrap())
}

async fn site() -> Site {
    let site = Site::priced(prices()).await;
    // Run 1: a container repeats what its two calls used. B26: only the calls count.
    let mut agent = call(1, 1, "m-small", (3 * MILLION, 3 * MILLION));
    agent.facts.kind = Kind::Agent;
    let mut calls = vec![agent];
    for number in [2, 3] {
        let mut call = call(1, number, "m-small", (u64::from(number - 1) * MILLION, 0));
        call.facts.parent_span_id = Some(span(101));
        calls.push(call);
    }
    // Run 2: nobody knows what this model costs. Run 3: half of the input was cached.
    calls.push(call(2, 1, "other", (MILLION, MILLION)));
    let mut cached = call(3, 1, "m-large", (MILLION, 0));
    cached.facts.tokens.cache_read = Some(MILLION / 2);
    calls.push(cached);
    // Run 4: given beats computed, for its call. Run 5: one of two calls costs an unknown sum.
    calls.push(given(call(4, 1, "m-large", (MILLION, 0)), 0.25));
    calls.push(call(4, 2, "m-small", (MILLION, MILLION)));
    calls.push(call(5, 1, "m-small", (MILLION, 0)));
    calls.push(call(5, 2, "other", (MILLION, 0)));
    site.keep(calls).await;
    site
}

#[tokio::test]
async fn cost_is_given_or_computed_and_never_zero_for_unknown() {
    let site = site().await;
    let list = site.get("/api/v1/runs").await.json();
    let mut listed: Vec<_> = list["runs"].as_array().unwrap().iter().collect();
    listed.sort_by_key(|run| run["run_id"].as_str());
    let expected = [
        (Some(6.0), Some("computed"), false),
        (None, None, false),
        (Some(7.5), Some("computed"), false),
        (Some(10.25), Some("mixed"), false),
        (Some(2.0), Some("computed"), true),
    ];
    for (run, expected) in listed.iter().zip(expected) {
        let id = run["run_id"].as_str().unwrap();
        assert_eq!(told(run), expected, "{id} in the list");
        let whole = site.get(&format!("/api/v1/runs/{id}")).await.json();
        assert_eq!(told(&whole), expected, "{id}");
    }
    assert_eq!(listed.len(), expected.len());
}

#[tokio::test]
async fn attempts_and_pages_say_who_says_so() {
    let site = site().await;
    let run = site.get("/api/v1/runs/run-4").await.json();
    let attempts: Vec<_> = run["steps"].as_array().unwrap().iter().map(|step| &step["attempts"][0]).collect();
    let costs: Vec<_> =
        attempts.iter().map(|a| (a["cost_usd"].as_f64(), a["cost_source"].as_str())).collect();
    assert_eq!(costs, [(Some(0.25), Some("given")), (Some(10.0), Some("computed"))]);
    let agent = site.get("/api/v1/runs/run-1").await.json()["steps"][0]["attempts"][0].clone();
    assert_eq!((agent["cost_usd"].as_f64(), agent["cost_source"].as_str()), (None, None), "a container");
    for (path, says) in [
        ("/runs/run-1", "computed from your prices"),
        ("/runs/run-4", "partly given, partly computed from your prices"),
        ("/runs/run-5", "or more, computed from your prices"),
    ] {
        assert!(site.page(path).await.contains(says), "{path}: {says}");
    }
    let step = site.page(&format!("/runs/run-4?span={}&tab=model", span(401))).await;
    assert!(step.contains("given by the runtime"), "the model of a given cost");
    let unknown = site.page("/runs/run-2").await;
    assert!(!unknown.contains("$0"), "an unknown cost is not zero");
}

#[tokio::test]
async fn filters_go_by_the_cost_of_the_moment() {
    let site = site().await;
    for (q, found) in [
        ("cost:>7", vec!["run-3", "run-4"]),
        ("cost:<7", vec!["run-1", "run-5"]),
        ("cost:10.25", vec!["run-4"]),
        ("-cost:>0", vec![]),
    ] {
        let list =
            site.get(&format!("/api/v1/runs?q={}", q.replace('>', "%3E").replace('<', "%3C"))).await.json();
        let mut ids: Vec<_> =
            list["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, found, "{q}");
    }
}
