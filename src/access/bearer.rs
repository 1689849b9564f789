//! Reads the credential out of a header, and says what is wrong with one that can't be read. Never repeats
//! it.
use crate::access::token::{ApiKey, KEY_MARK};

/// Why no key can be read from a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BearerError {
    /// There is none.
    #[error("no credential came with this: send the header `Authorization: Bearer rcn_…` with a key")]
    Missing,
    /// Not text.
    #[error("the Authorization header has bytes that are no text")]
    NotText,
    /// In quotation marks.
    #[error("the Authorization header is in quotation marks: leave them out, it is `Bearer rcn_…`")]
    Quoted,
    /// Another scheme.
    #[error("the Authorization header has the scheme Basic: it must be `Bearer rcn_…`")]
    Basic,
    /// No scheme, or one nobody knows.
    #[error("the Authorization header does not begin with a known scheme: it must be `Bearer rcn_…`")]
    Scheme,
    /// A key without its scheme.
    #[error("the Authorization header has a key, but `Bearer ` is missing in front of it")]
    Bare,
    /// Not of our form.
    #[error("the credential is no key of Recount: those begin with `rcn_` and have 73 characters")]
    NotAKey,
    /// Of our form, but too short or too long.
    #[error("the credential begins as a key of Recount but is not whole: a key has 73 characters")]
    Cut,
}

/// The key in the value of an `Authorization` header. The scheme may be in any case, and `%20` stands for the
/// space, as some SDKs send it.
///
/// # Errors
/// What is wrong with it.
pub fn bearer(value: Option<&[u8]>) -> Result<ApiKey, BearerError> {
    let Some(value) = value else { return Err(BearerError::Missing) };
    let Ok(text) = std::str::from_utf8(value) else { return Err(BearerError::NotText) };
    let text = text.trim();
    if text.is_empty() {
        return Err(BearerError::Missing);
    }
    if text.starts_with(['"', '\'']) {
        return Err(BearerError::Quoted);
    }
    let unspaced = text.replace("%20", " ");
    let Some((scheme, key)) = unspaced.split_once(char::is_whitespace) else {
        return Err(if text.starts_with(KEY_MARK) { BearerError::Bare } else { BearerError::Scheme });
    };
    match scheme.trim_end_matches(':').to_ascii_lowercase().as_str() {
        "bearer" => read(key.trim()),
        "basic" => Err(BearerError::Basic),
        _ => Err(BearerError::Scheme),
    }
}

/// The key in the value of an `x-api-key` header, which has no scheme.
///
/// # Errors
/// What is wrong with it.
pub fn bare(value: &[u8]) -> Result<ApiKey, BearerError> {
    match std::str::from_utf8(value) {
        Ok(text) if text.trim().starts_with(['"', '\'']) => Err(BearerError::Quoted),
        Ok(text) => read(text.trim()),
        Err(_) => Err(BearerError::NotText),
    }
}

/// Whether a query string seems to carry a key. It must not: addresses are logged everywhere.
pub fn names_a_key(query: &str) -> bool {
    query.split('&').any(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = name.to_ascii_lowercase().replace('-', "_");
        let named = matches!(
            name.as_str(),
            "api_key" | "apikey" | "access_token" | "token" | "authorization" | "x_api_key"
        );
        named || value.contains(KEY_MARK)
    })
}

fn read(key: &str) -> Result<ApiKey, BearerError> {
    match ApiKey::parse(key) {
        Some(key) => Ok(key),
        None if key.is_empty() => Err(BearerError::Missing),
        None if key.starts_with(['"', '\'']) => Err(BearerError::Quoted),
        None if key.starts_with(KEY_MARK) => Err(BearerError::Cut),
        None => Err(BearerError::NotAKey),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_or_explained() {
        let key = ApiKey::make().unwrap();
        let text = key.expose();
        for value in [
            format!("Bearer {text}"),
            format!("bearer {text}"),
            format!(" BEARER  {text} "),
            format!("Bearer%20{text}"),
        ] {
            assert_eq!(bearer(Some(value.as_bytes())), Ok(key.clone()), "{value}");
        }
        for (value, why) in [
            (format!("\"Bearer {text}\""), BearerError::Quoted),
            (format!("Bearer \"{text}\""), BearerError::Quoted),
            (text.to_owned(), BearerError::Bare),
            (format!("Basic {text}"), BearerError::Basic),
            (format!("Key {text}"), BearerError::Scheme),
            ("Bearer ".to_owned(), BearerError::Scheme),
            ("Bearer k-live-EXAMPLE".to_owned(), BearerError::NotAKey),
            (format!("Bearer {}", &text[..40]), BearerError::Cut),
            (String::new(), BearerError::Missing),
        ] {
            let found = bearer(Some(value.as_bytes())).unwrap_err();
            assert_eq!(found, why, "{value}");
            assert!(!found.to_string().contains("EXAMPLE") && !found.to_string().contains(&text[10..]));
        }
        assert_eq!(bearer(None), Err(BearerError::Missing));
        assert_eq!(bare(text.as_bytes()), Ok(key));
    }

    #[test]
    fn a_key_in_an_address_is_noticed() {
        for query in ["api_key=x", "a=1&API-Key=x", "k=rcn_abc", "token=1"] {
            assert!(names_a_key(query), "{query}");
        }
        assert!(!names_a_key("q=key:step:refund&from=2026"));
    }
}
