//! `GET /findings?run=`: what was noticed about a run; without a run, every code there is.
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::domain::finding::Code;
use crate::domain::fold::{About, about};
use crate::web::api::answer::Answer;
use crate::web::api::record::Finding;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::params::Params;
use crate::web::reading::{self, Found};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

#[derive(Serialize)]
struct OfRun {
    run_id: String,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Codes {
    codes: Vec<Meaning>,
}

#[derive(Serialize)]
struct Meaning {
    code: &'static str,
    severity: &'static str,
    title: &'static str,
    meaning: &'static str,
    matters: &'static str,
    remedy: &'static str,
}

/// Answers `GET /api/v1/findings`.
pub(in crate::web) async fn list(
    State(state): State<WebState>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["run", "code"])?;
    let code = params.get("code").map(|word| Code::from_word(word).ok_or_else(no_such_code)).transpose()?;
    let Some(run_id) = params.get("run") else { return Ok(codes(code)) };
    match reading::run(&state.store, &viewer.scope, run_id, format::now_ns()).await? {
        Found::Run(run) => {
            let found = run.findings.iter().filter(|finding| code.is_none_or(|code| finding.code == code));
            Ok(Answer(OfRun { findings: found.map(Finding::from).collect(), run_id: run.run_id })
                .into_response())
        }
        Found::Moved(run_id) => {
            Err(WebError::NotFound(format!("This run is now {}.", crate::web::text::plain(&run_id))))
        }
        Found::Several => {
            Err(WebError::NotFound("This trace holds several runs; ask for one of them.".to_owned()))
        }
    }
}

fn no_such_code() -> WebError {
    WebError::Invalid("`code` is no finding's code; without parameters this address lists them".to_owned())
}

fn codes(code: Option<Code>) -> Response {
    let asked = Code::ALL.iter().filter(|known| code.is_none_or(|code| code == **known));
    let codes = asked
        .map(|code| {
            let About { title, means, matters, remedy } = about(*code);
            Meaning {
                code: code.word(),
                severity: code.severity().word(),
                title,
                meaning: means,
                matters,
                remedy,
            }
        })
        .collect();
    Answer(Codes { codes }).into_response()
}
