//! Brings back what redaction encrypted: for whoever holds the role, for a reason, and recorded with both.
use crate::redaction::opened;
use crate::web::error::WebError;
use crate::web::state::WebState;
use crate::web::viewer::Viewer;

/// Longer reasons are nobody's.
const REASON_BYTES_MAX: usize = 500;
/// Longer than any encrypted value of a field.
const VALUE_BYTES_MAX: usize = 16 << 10;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct Asked<'a> {
    /// The encrypted value, as records show it.
    pub(in crate::web) value: &'a str,
    /// Why it is needed.
    pub(in crate::web) reason: &'a str,
}

/// The value, and the sentence under which it is recorded that it was shown.
pub(in crate::web) fn bring_back(
    state: &WebState,
    viewer: &Viewer,
    asked: Asked<'_>,
) -> Result<(String, String), WebError> {
    let (value, reason) = (asked.value.trim(), asked.reason.trim());
    if viewer.scope.is_limited() {
        let said =
            "whose role is limited to entities can't bring values back: nothing in a value says whose it is";
        return Err(WebError::Invalid(said.to_owned()));
    }
    if reason.is_empty() || reason.len() > REASON_BYTES_MAX {
        return Err(WebError::Field("reason", "must say why, in 1 to 500 bytes: it is recorded".to_owned()));
    }
    if value.is_empty() || value.len() > VALUE_BYTES_MAX {
        return Err(WebError::Field("value", "must be an encrypted value, such as mail(15):e1.…".to_owned()));
    }
    let keys = (state.desk.keys)(&viewer.scope.project);
    let Some(plain) = opened(&keys, value) else {
        let said = "is none that a key of this project opens; copy it whole, from `name(length):e` on";
        return Err(WebError::Field("value", said.to_owned()));
    };
    Ok((plain, format!("brought back {value} because: {reason}")))
}
