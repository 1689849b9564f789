//! `/contents/{trace_id}/{digest}`: one body as a piece of HTML, loaded when it is unfolded.
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};

use crate::domain::ids::{Digest, TraceId};
use crate::web::error::WebError;
use crate::web::page::Page;
use crate::web::reading;
use crate::web::run::bodies::{Bodies, Piece};
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// The piece.
#[derive(Template)]
#[template(path = "pages/content.html")]
pub(in crate::web) struct ContentPart {
    piece: Piece,
}

/// Answers `/contents/{trace_id}/{digest}`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((trace, digest)): Path<(String, String)>,
    viewer: Viewer,
) -> Result<Response, WebError> {
    let wrong = || {
        WebError::Invalid(
            "a content is named by a trace id and a digest, 32 hexadecimal digits each".to_owned(),
        )
    };
    let place = (TraceId::parse(&trace).ok_or_else(wrong)?, Digest::parse(&digest).ok_or_else(wrong)?);
    let kept = reading::body(&state.store, &viewer.scope, place).await?;
    let mut bodies = Bodies::default();
    bodies.add(place, reading::whole_of(kept));
    Ok(Page(ContentPart { piece: Piece::of(&place, &bodies, &state.links()) }).into_response())
}
