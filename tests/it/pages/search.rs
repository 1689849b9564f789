//! The search: what it finds and where it leads, who may find it, and that it asks the index.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
use recount::domain::content::{Content, ContentKind};
use recount::domain::entity::Entity;
use recount::domain::ids::Project;
use recount::domain::kind::{Kind, Status};
use recount::domain::scope::{EntityPattern, Scope};
use recount::domain::step::{Failure, Step};
use recount::domain::value::Value as Sent;
use recount::store::queries::{runs, text_hits};
use recount::store::{Needle, RunFilter, TextFilter};
use serde_json::Value;

use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, scope, span, text, trace};

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn step(number: u8, id: u64, kind: Kind, name: &str) -> Step {
    let mut step = Step::default();
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(number), span(id));
    (facts.kind, facts.name) = (kind, name.to_owned());
    facts.run_id = Some(format!("run-{number:03}"));
    facts.agent = Some(if number.is_multiple_of(2) { "bank" } else { "shop" }.to_owned());
    facts.entities = vec![Entity::account(number.to_string())];
    facts.started_ns = NOW_NS + u64::from(number) * SECOND_NS + id;
    facts.ended_ns = Some(facts.started_ns + SECOND_NS);
    facts.status = Status::Ok;
    step
}

/// A model call that saw and answered this, and a refund that it led to, tried twice.
fn told(number: u8, saw: &str, answer: &str) -> Vec<Step> {
    let mut think = step(number, 1, Kind::Think, "chat");
    think.facts.model = Some("gpt-5".to_owned());
    let at = think.add_body(text(ContentKind::Message, "user", saw));
    think.context = vec![at];
    let at = think.add_body(text(ContentKind::Output, "assistant", answer));
    think.output = vec![at];
    let tries = [2, 3].map(|id| {
        let mut act = step(number, id, Kind::Act, "issue_refund");
        let facts = &mut act.facts;
        (facts.tool, facts.key) = (Some("issue_refund".to_owned()), Some(format!("refund-{number}")));
        facts.target = Some(format!("order:48{number:02}"));
        facts.step_id = Some("st-1".to_owned());
        if id == 2 {
            facts.status = Status::Error;
            facts.error =
                Some(Failure { kind: "ReadTimeout".to_owned(), message: "no answer after 30 s".to_owned() });
        } else {
            let body = text(ContentKind::Result, "", "{\"receipt\":\"rc-77\\nthank you\"}");
            let at = act.add_body(body);
            act.result = Some(at);
        }
        act.attributes = vec![("customer.tier".to_owned(), Sent::String("platinum".to_owned()))];
        act
    });
    std::iter::once(think).chain(tries).collect()
}

async fn site() -> Site {
    let site = Site::new().await;
    let mut steps = told(1, "My kettle arrived cracked", "I will refund you");
    steps.extend(told(2, "The cracked\n kettle again", "Sorry to hear"));
    steps.extend(told(3, "A lamp", "Which lamp?"));
    site.keep(steps).await;
    site
}

async fn found(site: &Site, q: &str, more: &str) -> Value {
    site.get(&format!("/api/v1/search?q={}{more}", encoded(q))).await.json()
}

fn names(answer: &Value) -> Vec<&str> {
    answer["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn words_phrases_and_conditions_find_what_they_say() {
    let site = site().await;
    for (q, more, runs) in [
        ("kettle", "", &["run-002", "run-001"][..]),
        ("KETTLE", "", &["run-002", "run-001"]),
        ("kettle cracked", "", &["run-002", "run-001"]),
        ("\"cracked kettle\"", "", &["run-002"]),
        ("kettle -again", "", &["run-001"]),
        ("kettle agent:shop", "", &["run-001"]),
        ("kettle -agent:shop", "", &["run-002"]),
        ("kett*", "", &["run-002", "run-001"]),
        ("kett", "", &[]),
        ("refund", "", &["run-003", "run-002", "run-001"]),
        ("refund", "&in=messages", &["run-001"]),
        ("timeout", "", &[]),
        ("readtimeout", "", &["run-003", "run-002", "run-001"]),
        ("\"no answer\" account:2", "", &["run-002"]),
        ("answer", "&in=errors&agent=bank", &["run-002"]),
        ("answer", "&in=results", &[]),
        ("thank", "&in=results&session=none", &[]),
        ("thank rc-77", "&in=results", &["run-003", "run-002", "run-001"]),
        ("platinum", "&in=attributes", &["run-003", "run-002", "run-001"]),
        ("order:4802", "", &["run-002"]),
        ("4802", "", &["run-002"]),
        ("refund-3", "&in=names", &["run-003"]),
        ("RUN003", "", &["run-003"]),
        ("run-00", "", &["run-003", "run-002", "run-001"]),
        ("lamp", "&from=2030-01-01T00:00:00Z", &[]),
        ("kettle lamp", "", &[]),
    ] {
        let answer = found(&site, q, more).await;
        assert_eq!(names(&answer), runs, "{q} {more}: {answer}");
        assert_eq!(answer["hits"].as_array().unwrap().is_empty(), runs.is_empty(), "{q}");
    }
}

#[tokio::test]
async fn a_hit_leads_to_the_attempt_and_the_tab_that_shows_it() {
    let site = site().await;
    for (q, step, attempt, tab, place, label) in [
        ("kettle", 1, 1, "saw", "messages", "user"),
        ("\"will refund\"", 1, 1, "proposed", "messages", "answer"),
        ("\"no answer after\"", 2, 1, "happened", "errors", "error"),
        ("receipt", 2, 2, "happened", "results", "result"),
        ("platinum", 2, 1, "raw", "attributes", "customer.tier"),
    ] {
        let answer = found(&site, &format!("{q} run:run-001"), "").await;
        let hit = &answer["hits"][0];
        assert_eq!(
            (hit["step"]["number"].as_u64(), hit["step"]["attempt"].as_u64()),
            (Some(step), Some(attempt)),
            "{q}: {answer}"
        );
        assert_eq!(
            (&hit["step"]["tab"], &hit["in"], &hit["label"]),
            (&tab.into(), &place.into(), &label.into()),
            "{q}"
        );
        let marked: Vec<&Value> =
            hit["fragment"].as_array().unwrap().iter().filter(|piece| piece["found"] == true).collect();
        assert!(!marked.is_empty(), "{q}: {hit}");
        // The tab has the text.
        let page = site.page(hit["href"].as_str().unwrap()).await;
        let first = marked.first().unwrap()["text"].as_str().unwrap();
        assert!(page.contains(first), "{q}: {first}");
    }
    let page = site.page(&format!("/search?q={}", encoded("kettle run:run-001"))).await;
    assert!(page.contains("<mark>kettle</mark>") && page.contains("Step 1 · chat"), "{page}");
    assert!(page.contains("/runs/run-001?span=") && page.contains("tab=saw"));
}

#[tokio::test]
async fn pages_go_on_and_skip_nothing() {
    let site = Site::new().await;
    let many = (1..=45).flat_map(|number| told(number, "the same kettle", "yes")).collect();
    site.keep(many).await;
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let answer = found(&site, "kettle", &format!("&limit=20{cursor}")).await;
        seen.extend(names(&answer).into_iter().map(str::to_owned));
        let Some(next) = answer["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let mut once = seen.clone();
    once.sort();
    once.dedup();
    assert_eq!((seen.len(), once.len()), (45, 45));
    let first = site.page("/search?q=kettle").await;
    let older = first.split("rel=\"next\">Older").next().filter(|before| before.len() < first.len()).unwrap();
    let href = older.rsplit("href=\"").next().unwrap().split('"').next().unwrap().replace("&#38;", "&");
    assert!(site.page(&href).await.contains("rel=\"prev\">Newest"));
    // Of one run more is listed than of many, and the page says how many there are.
    let mut long = Vec::new();
    for id in 1..=9 {
        let mut think = step(99, id, Kind::Think, "chat");
        let at = think.add_body(text(ContentKind::Output, "assistant", &format!("teapot {id}")));
        think.output = vec![at];
        long.push(think);
    }
    site.keep(long).await;
    let page = site.page("/search?q=teapot").await;
    assert!(page.contains("4 more in this run"), "{page}");
    assert_eq!(found(&site, "teapot run:run-099", "").await["hits"].as_array().unwrap().len(), 9);
}

#[tokio::test]
async fn the_page_teaches_names_what_it_cannot_read_and_keeps_its_state() {
    let site = site().await;
    let start = site.page("/search").await;
    assert!(start.contains("Find words in everything") && start.contains("refun*"));
    let typo = site.page("/search?q=agnt:shop%20kettle").await;
    for said in [
        "role=\"alert\"",
        "<b>agnt</b>",
        "is not a field",
        "?q=agent%3Ashop%20kettle",
        "Nothing was searched",
    ] {
        assert!(typo.contains(said), "{said}: {}", typo);
    }
    assert!(!typo.contains("run-001"));
    let none = site.page("/search?q=zeppelin").await;
    assert!(none.contains("Nothing found") && none.contains("<code>zeppelin</code>"));
    // Conditions alone list the runs that fit.
    let runs = site.page("/search?q=agent:shop").await;
    for said in
        ["2 runs, newest first", "No word was looked for", "/runs?q=agent%3Ashop", "run-001", "run-003"]
    {
        assert!(runs.contains(said), "{said}: {runs}");
    }
    assert!(!runs.contains("run-002"));
    let answer = found(&site, "agent:shop", "").await;
    assert_eq!((names(&answer), answer["hits"].as_array().unwrap().len()), (vec!["run-003", "run-001"], 0));
    assert!(names(&found(&site, "agent:shop -agent:shop", "").await).is_empty());
    // Facets edit the same q, and the place and time stay.
    let page = site.page("/search?q=kettle&in=messages&t=30d&from=2020-01-01T00:00:00Z").await;
    for facet in ["outcome%3A", "has%3Aretry", "agent%3Abank", "model%3Agpt-5", "entity%3Aaccount%3A1"] {
        assert!(page.contains(&format!("/search?q=kettle%20{facet}")), "{facet}: {page}");
    }
    assert!(
        page.contains("&amp;in=messages&amp;t=30d") || page.contains("&#38;in=messages&#38;t=30d"),
        "{page}"
    );
    assert!(page.contains("name=\"from\""));
    let chosen = site.page("/search?q=kettle%20agent:bank").await;
    assert!(
        chosen.contains("/search?q=kettle%20agent%3Ashop") || chosen.contains("agent%3Abank%20agent%3Ashop")
    );
    // The frame's box leads here, with what is asked.
    let frame = site.page("/runs").await;
    assert!(frame.contains("class=\"finder\" role=\"search\"") && frame.contains("action=\"/search\""));
    assert_eq!(site.get("/api/v1/search").await.status, 400);
    assert_eq!(site.get("/api/v1/search?q=-lamp%20agent:shop").await.status, 400);
}

#[tokio::test]
async fn many_words_find_the_one_text_that_has_them_all() {
    let site = Site::new().await;
    let words = "alpha bravo charlie delta echo foxtrot golf hotel india juliett";
    let mut steps = told(1, words, "yes");
    steps.extend(told(2, &words.replace("golf", "gulf"), "yes"));
    site.keep(steps).await;
    let backwards: Vec<&str> = words.split(' ').rev().collect();
    for count in [8, 9, 10] {
        let q = backwards[..count].join(" ");
        let answer = found(&site, &q, "").await;
        assert_eq!(names(&answer), ["run-001"], "{q}: {answer}");
        let marked =
            answer["hits"][0]["fragment"].as_array().unwrap().iter().filter(|piece| piece["found"] == true);
        assert_eq!(marked.count(), count, "{answer}");
    }
    assert_eq!(
        site.get(&format!("/api/v1/search?q={}", encoded(&format!("{words} kilo")))).await.status,
        400
    );
}

#[tokio::test]
async fn colour_codes_hide_no_word_and_marks_stand_on_whole_words() {
    let site = Site::new().await;
    let mut steps =
        told(1, "\u{1b}[1;31mfailed\u{1b}[0m: cannot re\u{1b}[01;31m\u{1b}[Kfund\u{1b}[m\u{1b}[K it", "no");
    let body =
        "{\"log\":\"\\u001b[32mpassed\\u001b[0m twice\",\"in\":\"{\\\"a\\\":\\\"\\\\u001B[4mnested\\\"}\"}";
    let said = Content { is_json: true, ..text(ContentKind::Output, "assistant", body) };
    let at = steps[0].add_body(said);
    steps[0].output.push(at);
    steps[1].facts.error = Some(Failure {
        kind: "Tool".to_owned(),
        message: "\u{1b}[31mexploded\u{1b}[39;49m loudly".to_owned(),
    });
    steps.extend(told(2, "Refunds are refunded; a refund refund is not", "no"));
    site.keep(steps).await;
    for (q, shown) in [
        ("failed", Some("<failed>: cannot refund it")),
        ("\"cannot refund\"", Some("failed: <cannot refund> it")),
        ("passed", Some("{\"log\":\"<passed> twice\",\"in\":\"{\"a\":\"nested\"}\"}")),
        ("nested", Some("{\"log\":\"passed twice\",\"in\":\"{\"a\":\"<nested>\"}\"}")),
        ("exploded", Some("Tool: <exploded> loudly")),
        ("31mexploded", None),
    ] {
        let answer = found(&site, q, "").await;
        let fragment = answer["hits"][0]["fragment"].as_array();
        let text: Option<String> = fragment.map(|pieces| pieces.iter().map(marked).collect());
        assert_eq!(text.as_deref(), shown, "{q}: {answer}");
    }
    let answer = found(&site, "refund run:run-002 -issue_refund", "&in=messages").await;
    let pieces = answer["hits"][0]["fragment"].as_array().unwrap();
    let text: String = pieces.iter().map(marked).collect();
    assert_eq!(text, "Refunds are refunded; a <refund> <refund> is not", "{answer}");
}

/// A piece of a fragment, in angles where it was looked for.
fn marked(piece: &Value) -> String {
    let text = piece["text"].as_str().unwrap();
    if piece["found"] == true { format!("<{text}>") } else { text.to_owned() }
}

#[tokio::test]
async fn what_is_not_in_scope_is_not_found_and_looks_are_recorded() {
    let site = site().await;
    let texts = TextFilter {
        all: vec![vec![Needle { words: "kettle".into(), pattern: "kettle".into() }]],
        ..TextFilter::default()
    };
    let filter = RunFilter { texts: texts.clone(), ..RunFilter::default() };
    let limited = Scope {
        project: Project::default(),
        entities: EntityPattern::parse("account:1").into_iter().collect(),
    };
    let traces = [trace(1), trace(2)];
    for (scope, count) in [(scope(), 2), (limited, 1), (Scope::whole(Project("other".into())), 0)] {
        let page = runs(&site.store, &scope, &filter, (None, 50), NOW_NS).await.unwrap();
        assert_eq!(page.runs.len(), count, "{scope:?}");
        assert_eq!(text_hits(&site.store, &scope, &texts, &traces).await.unwrap().len(), count);
    }
    site.page("/search?q=kettle").await;
    let activity = site.get("/api/v1/activity?kind=searched").await.json();
    let entry = &activity["activity"][0];
    assert!(entry["what"] == "/search" && entry["query"] == "q=kettle" && entry["rows"] == 2, "{activity}");
}

/// The plan of a search: its words come from the index, whatever else is asked.
#[tokio::test]
async fn a_search_asks_the_index() {
    let site = site().await;
    #[derive(clickhouse::Row, serde::Deserialize)]
    struct Line {
        explain: String,
    }
    let body = include_str!("../../../src/store/texts/shown_of_contents.sql").trim_end();
    let record = include_str!("../../../src/store/texts/shown_of_steps.sql").trim_end();
    let tokens = "tokens(translate(lowerUTF8(normalizeUTF8NFC({word:String})), '_.:''', '    '), 'asciiCJK')";
    for (table, index, other) in [
        ("contents", body, "match(lowerUTF8(normalizeUTF8NFC(body)), 'kettle')"),
        ("steps", record, "name != ''"),
    ] {
        let sql = format!(
            "EXPLAIN indexes = 1 SELECT trace_id FROM {table} WHERE project = {{project:String}} \
             AND (hasAllTokens({index}, {tokens})) AND {other}"
        );
        let plan: Vec<Line> = site.store.read(&scope(), &sql).bind("word", "Kettle").all().await.unwrap();
        let plan: Vec<&str> = plan.iter().map(|line| line.explain.as_str()).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("Name: shown") && plan.contains("tokens: [\"kettle\"]"), "{plan}");
    }
}
