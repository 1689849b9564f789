//! Compares the description of the API with the API: the same addresses, methods, parameters and limits.
use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use axum::http::header::{ALLOW, HOST};
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::web::openapi::document::document;
use crate::web::openapi::operation::{Operation, Takes};
use crate::web::openapi::table::OPERATIONS;
use crate::web::routes::{addresses, routes};
use crate::web::trial::state;

const ID: &str = "5b8efff798038103d269b633813fc60c";

async fn ask(
    router: &Router,
    method: Method,
    operation: &Operation,
    query: &str,
) -> (StatusCode, String, Value) {
    let filled = |part| match part {
        "{span_id}" => "eee19b7ec3c1b174",
        _ if str::starts_with(part, '{') => ID,
        _ => part,
    };
    let parts = operation.path.split('/').map(filled);
    let address = format!("{}{query}", parts.collect::<Vec<_>>().join("/"));
    let request = Request::builder().method(method).uri(address).header(HOST, "localhost:4319");
    let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let allow = response.headers().get(ALLOW).map(|allow| allow.to_str().unwrap().to_owned());
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, allow.unwrap_or_default(), serde_json::from_slice(&body).unwrap_or_default())
}

#[test]
fn every_address_of_the_api_is_described_and_no_other() {
    let described: BTreeSet<&str> = OPERATIONS.iter().map(|operation| operation.path).collect();
    let served: BTreeSet<&str> =
        addresses().map(|(path, _)| path).filter(|path| path.starts_with("/api/")).collect();
    assert_eq!(described, served);
    assert_eq!(described.len(), OPERATIONS.len(), "an address is described twice");
}

#[tokio::test]
async fn methods_and_parameters_are_those_that_are_read() {
    let router = routes(state().await);
    for operation in OPERATIONS {
        let (mine, other) = match operation.body {
            Some(_) => ("POST", Method::GET),
            None => ("GET", Method::POST),
        };
        let (status, allow, _) = ask(&router, other, operation, "").await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{}", operation.path);
        assert!(allow.contains(mine), "{} allows {allow}", operation.path);
        if operation.body.is_some() {
            continue;
        }
        let (status, _, problem) = ask(&router, Method::GET, operation, "?no_such=1").await;
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert_eq!(status, StatusCode::BAD_REQUEST, "{}: {problem}", operation.path);
        let (_, known) = detail.split_once("there are: ").unwrap_or_default();
        let known: BTreeSet<&str> =
            known.trim_end_matches('.').split(", ").filter(|name| !name.is_empty()).collect();
        let told: BTreeSet<&str> = operation.params.iter().map(|param| param.0).collect();
        assert_eq!(told, known, "{}", operation.path);
    }
}

#[tokio::test]
async fn limits_and_words_are_those_that_are_taken() {
    let router = routes(state().await);
    for operation in OPERATIONS {
        for param in operation.params {
            let (bad, good) = match param.1 {
                Takes::Limit(most) => ((u32::from(most) + 1).to_string(), vec![most.to_string()]),
                Takes::OneOf(words) => {
                    ("nonsense".to_owned(), words.iter().map(ToString::to_string).collect())
                }
                Takes::Time => ("yesterday".to_owned(), vec!["2026-11-12T16:02:11Z".to_owned()]),
                Takes::Text | Takes::Needed | Takes::Twice => continue,
            };
            let needed = operation.params.iter().filter(|param| matches!(param.1, Takes::Needed));
            let needed: String = needed.map(|param| format!("&{}=word", param.0)).collect();
            let (status, _, _) =
                ask(&router, Method::GET, operation, &format!("?{}={bad}{needed}", param.0)).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{} {}={bad}", operation.path, param.0);
            for word in good {
                let (status, _, said) =
                    ask(&router, Method::GET, operation, &format!("?{}={word}{needed}", param.0)).await;
                assert_ne!(status, StatusCode::BAD_REQUEST, "{} {}={word}: {said}", operation.path, param.0);
            }
        }
    }
}

#[test]
fn the_document_is_whole() {
    let permissions = addresses().collect();
    let document = document(&permissions, "/below");
    let text = document.to_string();
    assert_eq!(document["servers"][0]["url"], "/below");
    for reference in text.split("\"$ref\":\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference} leads nowhere");
    }
    let ids: BTreeSet<&str> =
        text.split("\"operationId\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), OPERATIONS.len());
    let run = &document["components"]["schemas"]["RunList"];
    assert_eq!(run["properties"]["runs"]["items"]["$ref"], "#/components/schemas/Summary");
    let description = document["paths"]["/api/v1/activity"]["get"]["description"].as_str().unwrap();
    assert_eq!(description, "Takes the role auditor.");
}
