//! `GET /entities/{type}/{id}/evidence`: the answer as a signed bundle; `GET /evidence/trust`: what it takes.
use std::fs::File;
use std::io::{self, Read};

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;

use crate::store::queries::checkpoints;
use crate::web::api::answer::Answer;
use crate::web::entity::bundle::{Asker, bundle};
use crate::web::entity::gather::Question;
use crate::web::entity::names::Names;
use crate::web::entity::stream::stem;
use crate::web::error::WebError;
use crate::web::format;
use crate::web::params::Params;
use crate::web::seen::Seen;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Sent at once.
const PIECE_BYTES: usize = 64 << 10;

/// Answers `GET /api/v1/entities/{type}/{id}/evidence`.
pub(in crate::web) async fn show(
    State(state): State<WebState>,
    Path((kind, id)): Path<(String, String)>,
    viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&["from", "to", "text"])?;
    let entity = format!("{}:{id}", kind.to_ascii_lowercase());
    viewer.may_ask(&entity)?;
    Names::wanted(&params)?;
    let names = Names::of(&state, &viewer.scope, (&kind, &id)).await?;
    let filter = names.filter(&params)?;
    let question =
        Question { scope: &viewer.scope, names: &names, filter: &filter, now_ns: format::now_ns() };
    let query =
        format!("/api/v1/entities/{}/{}/evidence{}", names.asked.kind, names.asked.id, params.query());
    let file = bundle(&state, question, &Asker { by: viewer.name(), query }).await?;
    let length = file.metadata().map(|data| data.len()).map_err(|_unread| WebError::Broken)?;
    let mut response = Body::from_stream(unfold(file, piece)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let name = format!("attachment; filename=\"evidence-{}.zip\"", stem(&names));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(CONTENT_DISPOSITION, name);
    }
    Ok(Seen::about(&[entity]).on(response))
}

async fn piece(mut file: File) -> Option<(io::Result<Bytes>, File)> {
    let mut piece = vec![0; PIECE_BYTES];
    match file.read(&mut piece) {
        Ok(0) => None,
        Ok(read) => {
            piece.truncate(read);
            Some((Ok(Bytes::from(piece)), file))
        }
        Err(error) => Some((Err(error), file)),
    }
}

/// Answers `GET /api/v1/evidence/trust`: the public key, and the newest checkpoint of each log. Keep it
/// apart from the bundles and from the server: what is trusted must not come with what is verified.
pub(in crate::web) async fn trust(
    State(state): State<WebState>,
    _viewer: Viewer,
    params: Params,
) -> Result<Response, WebError> {
    params.only(&[])?;
    let Some(sequencer) = &state.entities.sequencer else {
        return Err(WebError::NotFound("This server signs no log.".to_owned()));
    };
    let mut trust = sequencer.signer().trust();
    let mut logs = std::collections::BTreeSet::new();
    for checkpoint in checkpoints(&state.store, None, None, 1_000).await? {
        if logs.insert(checkpoint.log_id) {
            trust.checkpoints.push(checkpoint.note);
        }
    }
    Ok(Answer(trust).into_response())
}
