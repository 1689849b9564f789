//! Changes of who may come in, as pages and the API make them: in force before the answer leaves.
use crate::access::Change;
use crate::store::{ApplyError, Changed, change_access, directory};
use crate::web::credential::now_ns;
use crate::web::error::WebError;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Makes a change.
///
/// # Errors
/// [`WebError::Invalid`] with what is wrong; else what the store says.
pub(in crate::web) async fn apply(
    state: &WebState,
    viewer: &Viewer,
    change: Change,
) -> Result<Changed, WebError> {
    let known = state.access.directory();
    let now = now_ns();
    let changed = change_access(&state.store, &known, (&viewer.account, now), change).await;
    let changed = changed.map_err(|error| match error {
        ApplyError::Change(error) => WebError::Invalid(error.to_string()),
        ApplyError::Store(error) => error.into(),
    })?;
    state.access.set(directory(&state.store, now).await?);
    Ok(changed)
}
