//! A place in a list, bound to the question that the list answers: under others it would skip or repeat.
use sha2::{Digest, Sha256};

use crate::web::error::WebError;

/// The place as it stands in an address.
pub(in crate::web) fn bound(place: &str, question: &str) -> String {
    format!("{place}.{}", mark(question))
}

/// The place that was bound; an error that names the parameter when it belongs to another question.
pub(in crate::web) fn read<'a>(text: &'a str, question: &str) -> Result<&'a str, WebError> {
    let (place, marked) = text.rsplit_once('.').ok_or_else(unreadable)?;
    if marked == mark(question) {
        Ok(place)
    } else {
        Err(WebError::Invalid(
            "`cursor` is a place in the list of other filters; repeat the filters that it came with, or \
             leave it out to begin at the start"
                .to_owned(),
        ))
    }
}

/// What is said of a cursor that no list gave.
pub(in crate::web) fn unreadable() -> WebError {
    WebError::Invalid(
        "`cursor` is not a place that a list gave as `next`; leave it out to begin at the start".to_owned(),
    )
}

/// Enough to tell questions apart. It is no secret: who makes one up only confuses themselves.
fn mark(question: &str) -> String {
    Sha256::digest(question.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_its_question() {
        let text = bound("AAEC", "agent:shop");
        assert_eq!(read(&text, "agent:shop"), Ok("AAEC"));
        assert!(read(&text, "agent:bank").unwrap_err().to_string().contains("other filters"));
        for junk in ["", "AAEC", "AAEC.", ".", "AAEC.00"] {
            assert!(read(junk, "agent:shop").unwrap_err().to_string().contains("`cursor`"), "{junk}");
        }
    }
}
