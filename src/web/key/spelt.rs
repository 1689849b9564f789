//! A key as somebody types it, and as redaction may have kept it.
use crate::domain::scope::Scope;
use crate::web::state::WebState;

/// The key as it was typed, then the pseudonyms that it may have become.
pub(in crate::web) fn spelt(state: &WebState, scope: &Scope, key: &str) -> Vec<String> {
    let mut all = vec![key.to_owned()];
    all.extend(state.desk.spellings(&scope.project, false, key));
    all
}

/// The same, to be asked for.
pub(in crate::web) fn asked(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}
