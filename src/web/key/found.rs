//! What was done under a key, also where redaction hid the key.
use crate::domain::action::Action;
use crate::domain::scope::Scope;
use crate::store::queries::key_actions;
use crate::web::error::WebError;
use crate::web::state::WebState;

/// The actions under a key, with the key as it is kept. Pseudonyms are looked for only when nothing is kept
/// under the key itself.
pub(in crate::web) async fn under(
    state: &WebState,
    scope: &Scope,
    key: String,
    now_ns: u64,
) -> Result<(String, Vec<Action>), WebError> {
    let found = key_actions(&state.store, scope, &[&key], now_ns).await?;
    if !found.is_empty() {
        return Ok((key, found));
    }
    let hidden = state.desk.spellings(&scope.project, false, &key);
    let hidden: Vec<&str> = hidden.iter().map(String::as_str).collect();
    let found = key_actions(&state.store, scope, &hidden, now_ns).await?;
    let key = found.first().map_or(key, |action| action.key.clone());
    Ok((key, found))
}
