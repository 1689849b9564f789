//! B41: what is of another project, or about another account, does not exist for who asks.
use axum::http::StatusCode;
use recount::domain::activity::ActivityKind;
use recount::domain::content::ContentKind;
use recount::domain::entity::Entity;
use recount::domain::fold::case_id;
use recount::domain::ids::Project;
use recount::domain::kind::Kind;
use recount::domain::outcome::Outcome;
use recount::domain::scope::Scope;
use recount::domain::step::Step;
use recount::store::queries::{ActivityFilter, ActivityPlace, activity, trace_records};
use recount::web::addresses;

use crate::access::people::{door, key};
use crate::pages::site::Site;
use crate::support::rows::{NOW_NS, SECOND_NS, span, text, trace};

fn act(account: &str) -> Step {
    let mut step = Step::default();
    let at = step.add_body(text(ContentKind::Arguments, "", "{\"secretive\":1}"));
    step.arguments = Some(at);
    let facts = &mut step.facts;
    (facts.trace_id, facts.span_id) = (trace(9), span(9));
    (facts.kind, facts.name, facts.tool) = (Kind::Act, "refund".to_owned(), Some("refund".to_owned()));
    (facts.started_ns, facts.ended_ns) = (NOW_NS, Some(NOW_NS + SECOND_NS));
    (facts.run_id, facts.key) = (Some("rb".to_owned()), Some("kb".to_owned()));
    facts.entities = vec![Entity::account(account)];
    facts.outcome = Some(Outcome::Unknown);
    step
}

/// What stands for each part of an address that names a record.
async fn filled(site: &Site, path: &str) -> String {
    let records = trace_records(&site.store, &Scope::whole(Project::default()), &[trace(9)]).await.unwrap();
    let digest = records.first().unwrap().arguments.as_ref().unwrap().digest.to_string();
    let mut out = path.to_owned();
    for (part, value) in [
        ("{run_id}", "rb".to_owned()),
        ("{trace_id}", trace(9).to_string()),
        ("{span_id}", span(9).to_string()),
        ("{step_id}", span(9).to_string()),
        ("{digest}", digest),
        ("{key}", "kb".to_owned()),
        ("{case_id}", case_id::of_key(&Project::default(), "refund", "kb")),
        ("{code}", "unknown".to_owned()),
        ("{view_id}", "none".to_owned()),
        ("{type}", "account".to_owned()),
        ("{id}", "2291".to_owned()),
    ] {
        out = out.replace(part, &value);
    }
    assert!(!out.contains('{'), "say here what stands for the part of {path}");
    out
}

#[tokio::test]
async fn b41_an_id_of_another_project_or_account_is_not_found() {
    let site = Site::new().await;
    // Two attempts, since one can't be compared.
    let (mut first, mut second) = (act("2291"), act("2291"));
    (first.facts.tool_call_id, second.facts.tool_call_id) = (Some("c".to_owned()), Some("c".to_owned()));
    (second.facts.span_id, second.facts.started_ns) = (span(10), NOW_NS + 2 * SECOND_NS);
    second.facts.ended_ns = Some(NOW_NS + 3 * SECOND_NS);
    site.keep(vec![first, second]).await;
    let (whole, own) = key("viewer@default");
    let (stranger, other) = key("viewer@elsewhere");
    let (limited, some) = key("viewer@default:account:7*");
    site.access.set(recount::access::Directory::of(
        Vec::new(),
        Vec::new(),
        vec![own, other, some],
        Vec::new(),
    ));
    let mut walked = 0;
    for (path, permission) in addresses() {
        if permission != recount::access::Permission::SeeRecords || !path.contains('{') {
            continue;
        }
        let path = filled(&site, path).await;
        let own = site.get_as(&path, &whole).await;
        let mine = own.status;
        if mine == StatusCode::METHOD_NOT_ALLOWED {
            continue;
        }
        assert!(mine.is_success() || mine.is_redirection(), "{path}: {mine}");
        // What shows an entity to its own viewers names the run, so that its absence below says something.
        let names_run = |body: &str| body.contains("/runs/rb") || body.contains("\"rb\"");
        assert!(!path.contains("/entities/account/") || names_run(&own.body), "{path}: {}", own.body);
        for (who, secret) in [("another project", &stranger), ("another account", &limited)] {
            let got = site.get_as(&path, secret).await;
            // An entity is a name that anybody may ask about; what is kept of it is not found.
            let asks = ["/entities", "/accounts/"].iter().any(|part| path.contains(part));
            let hidden = got.status == StatusCode::NOT_FOUND || (asks && !names_run(&got.body));
            assert!(hidden, "{path} for {who}: {} {}", got.status, got.body);
            assert!(!got.body.contains("secretive"), "{path} for {who}");
        }
        walked += 1;
    }
    assert!(walked >= 8, "{walked}");
}

#[tokio::test]
async fn b41_lists_counts_and_pickers_leave_out_what_is_not_in_scope() {
    let site = Site::new().await;
    site.keep(vec![act("2291")]).await;
    let (whole, own) = key("viewer@default");
    let (stranger, other) = key("viewer@elsewhere");
    let (limited, some) = key("viewer@default:account:7*");
    let (sender, send) = key("sender@default");
    site.access.set(recount::access::Directory::of(
        Vec::new(),
        Vec::new(),
        vec![own, other, some, send],
        Vec::new(),
    ));
    for path in ["/api/v1/runs", "/runs", "/runs?q=refund", "/api/v1/runs?q=refund"] {
        assert!(site.get_as(path, &whole).await.body.contains("refund"), "{path}");
        for secret in [&stranger, &limited] {
            let got = site.get_as(path, secret).await;
            assert_eq!(got.status, StatusCode::OK, "{path}");
            assert!(!got.body.contains("2291") && !got.body.contains("\"rb\""), "{path}: {}", got.body);
        }
        assert_eq!(site.get_as(path, &sender).await.status, StatusCode::FORBIDDEN, "a sender does not read");
        assert_eq!(site.get(path).await.status, StatusCode::UNAUTHORIZED);
    }
    // A project that one was not given does not exist, whatever is asked for.
    let got = site.get_as("/api/v1/runs?project=default", &stranger).await;
    assert_eq!(got.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn every_look_is_recorded_before_the_answer_leaves() {
    let site = Site::new().await;
    site.keep(vec![act("2291")]).await;
    let (viewer, own) = key("viewer@default");
    let id = own.id.clone();
    site.access.set(door(vec![own], Vec::new()).directory().as_ref().clone());
    for path in ["/runs/rb", "/api/v1/runs?q=refund", "/runs/nobody", "/api/v1/activity"] {
        site.get_as(path, &viewer).await;
    }
    let scope = Scope::whole(Project::default());
    let place = ActivityPlace::default();
    let found = activity(&site.store, &scope, &ActivityFilter::default(), (&place, 50)).await.unwrap();
    let lines: Vec<_> = found
        .iter()
        .rev()
        .map(|entry| (entry.kind, entry.what.as_str(), entry.status, entry.run_id.as_str()))
        .collect();
    assert_eq!(
        lines[..3],
        [
            (ActivityKind::Looked, "/runs/rb", 200, "rb"),
            (ActivityKind::Searched, "/api/v1/runs", 200, ""),
            (ActivityKind::Refused, "/runs/nobody", 404, "nobody"),
        ]
    );
    assert!(found.iter().all(|entry| entry.who == format!("key viewer@default ({id})")));
    let of_account =
        ActivityFilter { entities: vec!["account:2291".to_owned()], ..ActivityFilter::default() };
    let found = activity(&site.store, &scope, &of_account, (&place, 50)).await.unwrap();
    assert_eq!(found.len(), 1, "who looked at this account's record");
    assert!(found[0].query.is_empty() && found[0].at_ns > NOW_NS);
}
