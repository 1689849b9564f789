//! The query string of a request, and what is read out of it with a word about what can't be.
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use jiff::Timestamp;

use crate::web::error::WebError;
use crate::web::link::encoded;

/// Most pairs that are read.
const PAIRS_MAX: usize = 100;

/// The pairs of a query string, decoded, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::web) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query string.
    pub(in crate::web) fn read(query: &str) -> Self {
        let pairs = url::form_urlencoded::parse(query.as_bytes()).take(PAIRS_MAX);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The pairs.
    pub(in crate::web) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The pairs as a query string from its question mark on; empty when there are none.
    pub(in crate::web) fn query(&self) -> String {
        let pairs: Vec<String> =
            self.pairs().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// The pairs but those under this name.
    pub(in crate::web) fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|(key, _)| key != name).cloned().collect())
    }

    /// The pairs that have a value.
    pub(in crate::web) fn filled(&self) -> Self {
        Self(self.0.iter().filter(|(_, value)| !value.is_empty()).cloned().collect())
    }

    /// The last value under a name, when it is not empty.
    pub(in crate::web) fn get(&self, name: &str) -> Option<&str> {
        self.pairs().filter(|(key, _)| *key == name).last().map(|(_, value)| value).filter(|v| !v.is_empty())
    }

    /// Refuses names that nobody reads: a filter that is not understood must not be left out in silence.
    pub(in crate::web) fn only(&self, known: &[&str]) -> Result<(), WebError> {
        match self.pairs().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => Err(WebError::Invalid(format!(
                "`{}` is no parameter here; there are: {}",
                crate::web::text::plain(crate::web::text::cut(name, 60)),
                known.join(", ")
            ))),
            None => Ok(()),
        }
    }

    /// A whole number between these two.
    pub(in crate::web) fn number(
        &self,
        name: &str,
        (least, most): (u16, u16),
    ) -> Result<Option<u16>, WebError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        let wrong = || WebError::Invalid(format!("`{name}` takes a whole number from {least} to {most}"));
        number.map(Some).ok_or_else(wrong)
    }

    /// So long ago (`90s`, `15m`, `24h`, `7d`), or a moment in RFC 3339, as nanoseconds since 1970.
    pub(in crate::web) fn before(&self, name: &'static str, now_ns: u64) -> Result<Option<u64>, WebError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit_s: Option<u64> = match text.get(digits.len()..) {
            Some("s") => Some(1),
            Some("m") => Some(60),
            Some("h") => Some(3_600),
            Some("d") => Some(86_400),
            _ => None,
        };
        let ago_ns = unit_s
            .and_then(|unit_s| digits.parse::<u64>().ok()?.checked_mul(unit_s)?.checked_mul(1_000_000_000));
        if let Some(ago_ns) = ago_ns {
            return Ok(Some(now_ns.saturating_sub(ago_ns)));
        }
        self.moment(name).map_err(|_unread| {
            let said = "takes an age such as 90s, 15m, 24h or 7d, or a time in RFC 3339".to_owned();
            WebError::Field(name, said)
        })
    }

    /// A moment in RFC 3339, as nanoseconds since 1970.
    pub(in crate::web) fn moment(&self, name: &str) -> Result<Option<u64>, WebError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let moment = text.parse::<Timestamp>().ok().and_then(|at| u64::try_from(at.as_nanosecond()).ok());
        let wrong =
            || WebError::Invalid(format!("`{name}` takes a time in RFC 3339, such as 2026-11-12T16:02:11Z"));
        moment.map(Some).ok_or_else(wrong)
    }
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let params = Params::read("q=a%20b&limit=20&from=2026-11-12T16%3A02%3A11Z&empty=");
        assert_eq!(params.get("q"), Some("a b"));
        assert_eq!(params.get("empty"), None);
        assert_eq!(params.number("limit", (1, 500)), Ok(Some(20)));
        assert_eq!(params.moment("from"), Ok(Some(1_794_499_331_000_000_000)));
        assert_eq!(params.only(&["q", "limit", "from", "empty"]), Ok(()));
        assert!(params.only(&["q"]).unwrap_err().to_string().contains("`limit` is no parameter"));
        assert!(Params::read("limit=0").number("limit", (1, 500)).is_err());
        assert!(Params::read("from=yesterday").moment("from").is_err());
    }
}
