//! A list as a file: page after page, to the end.
use std::io;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::error::WebError;
use crate::web::export::format::Format;
use crate::web::export::written::Written;

/// Rows of a list, and where the next ones begin.
pub(in crate::web) type Part<T, C> = (Vec<T>, Option<C>);

/// Where a file stands.
struct Standing<T, C, N> {
    written: Written,
    part: Part<T, C>,
    next: N,
}

/// The answer: every row from `first` on. What goes wrong before the first row is an answer of its own; after
/// it the file breaks off.
///
/// # Errors
/// What the first part says.
pub(in crate::web) async fn listed<T, C, N, F>(
    (stem, format): (&str, Format),
    first: Option<C>,
    mut next: N,
) -> Result<Response, WebError>
where
    T: Serialize + JsonSchema + Send + 'static,
    C: Send + 'static,
    N: FnMut(Option<C>) -> F + Send + 'static,
    F: Future<Output = Result<Part<T, C>, WebError>> + Send + 'static,
{
    let part = next(first).await?;
    let written = Written::new::<T>(format, &[]).map_err(unwritten)?;
    let standing = Standing { written, part, next };
    let pieces = unfold(Some(standing), |standing| async move {
        let mut standing = standing?;
        match piece(&mut standing).await {
            Ok((bytes, goes_on)) => Some((Ok(bytes), goes_on.then_some(standing))),
            Err(error) => {
                tracing::warn!(%error, "an export was broken off");
                Some((Err(error), None))
            }
        }
    });
    Ok(format.file(stem, Body::from_stream(pieces).into_response()))
}

async fn piece<T, C, N, F>(standing: &mut Standing<T, C, N>) -> io::Result<(Bytes, bool)>
where
    T: Serialize,
    N: FnMut(Option<C>) -> F,
    F: Future<Output = Result<Part<T, C>, WebError>>,
{
    let (rows, after) = (std::mem::take(&mut standing.part.0), standing.part.1.take());
    let mut bytes = standing.written.rows(rows)?;
    let goes_on = after.is_some();
    if goes_on {
        let part = (standing.next)(after).await;
        standing.part = part.map_err(|error| io::Error::other(error.to_string()))?;
    } else {
        bytes.extend(standing.written.end()?);
    }
    Ok((bytes.into(), goes_on))
}

/// What is said of a file that can't be begun.
pub(in crate::web) fn unwritten(error: io::Error) -> WebError {
    tracing::error!(%error, "an export could not be begun");
    WebError::Broken
}
