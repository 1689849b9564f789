//! Bodies by digest, or what stands for them.
use crate::domain::ids::{Digest, TraceId};
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::Body;
use crate::store::rows::answer::{select, whole};
use crate::store::rows::cell::Cell;
use crate::store::rows::column::read_row;
use crate::store::rows::contents::{ContentColumn, SHOWN, TEXT};
use crate::store::rows::reader::Reader;

const SQL: &str = include_str!("contents.sql");

/// What stands for the bodies with these digests, without their text, in no order. One that is missing has
/// expired or was erased.
///
/// # Errors
/// As for any read.
pub async fn content_refs(
    store: &Store,
    scope: &Scope,
    trace_id: TraceId,
    digests: &[Digest],
) -> Result<Vec<Body>, StoreError> {
    contents(store, scope, (trace_id, digests), &[]).await
}

/// The bodies with these digests, with their text, in no order.
///
/// # Errors
/// [`StoreError::Unreadable`] past a gigabyte: ask for fewer.
pub async fn bodies(
    store: &Store,
    scope: &Scope,
    trace_id: TraceId,
    digests: &[Digest],
) -> Result<Vec<Body>, StoreError> {
    contents(store, scope, (trace_id, digests), TEXT).await
}

async fn contents(
    store: &Store,
    scope: &Scope,
    (trace_id, digests): (TraceId, &[Digest]),
    text: &[ContentColumn],
) -> Result<Vec<Body>, StoreError> {
    if digests.is_empty() {
        return Ok(Vec::new());
    }
    let sql = select(SQL, SHOWN.iter().chain(text)).replacen("SELECT ", "SELECT digest, ", 1);
    let digests: Vec<String> = digests.iter().map(ToString::to_string).collect();
    let read = store.read(scope, &sql).bind("trace_id", trace_id.to_string()).bind("digests", digests);
    let bytes = whole(read).await?;
    let mut from = Reader::new(&bytes);
    let mut bodies = Vec::new();
    while from.left() > 0 {
        let mut body = Body::blank();
        body.content.digest = Digest::read(&mut from)?;
        read_row(SHOWN, &mut from, &mut body)?;
        read_row(text, &mut from, &mut body)?;
        bodies.push(body);
    }
    Ok(bodies)
}
