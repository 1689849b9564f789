//! What is asked of the list of runs: read alike for the page and for the API, so that both list the same.
use crate::store::RunFilter;
use crate::store::queries::RUNS_MAX;
use crate::store::rows::RunCursor;
use crate::web::cursor;
use crate::web::error::WebError;
use crate::web::filter::run_filter;
use crate::web::list::address::Range;
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError};

/// Parameters that are fields of the filter: `agent=bank` is `q=agent:bank`.
pub(in crate::web) const FIELDS: [Field; 7] = [
    Field::Agent,
    Field::Model,
    Field::Entity,
    Field::Outcome,
    Field::Retries,
    Field::Finding,
    Field::Session,
];
/// The others.
const OTHERS: [&str; 6] = ["q", "t", "from", "to", "limit", "cursor"];

/// A question to the list of runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Asked {
    /// Every condition.
    pub(in crate::web) query: Query,
    /// How far back from now.
    pub(in crate::web) range: Range,
    /// Started at or after this, nanoseconds since 1970.
    pub(in crate::web) from_ns: Option<u64>,
    /// Started before this.
    pub(in crate::web) to_ns: Option<u64>,
    /// How many at once.
    pub(in crate::web) limit: Option<u16>,
    /// The place to go on from.
    pub(in crate::web) after: Option<RunCursor>,
    /// Whether the list is by session: its places are others then.
    pub(in crate::web) by_session: bool,
}

/// Why a question can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Unread {
    /// A word of the filter.
    Filter(QueryError),
    /// A parameter.
    Parameter(WebError),
}

impl From<WebError> for Unread {
    fn from(error: WebError) -> Self {
        Self::Parameter(error)
    }
}

impl From<Unread> for WebError {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Parameter(error) => error,
            Unread::Filter(error) => {
                let near = error.near.map(|(say, _)| format!("; did you mean {say}?")).unwrap_or_default();
                let typed = crate::web::text::plain(crate::web::text::cut(&error.typed, 100));
                Self::Invalid(format!("the filter can't be read: `{typed}` {}{near}", error.wrong))
            }
        }
    }
}

impl Asked {
    /// Reads a question; `more` are parameters that only the caller knows.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, Unread> {
        let mut asked = Self::read_by(params, more, Query::read)?;
        asked.limit = params.number("limit", (1, RUNS_MAX))?;
        if let Some(text) = params.get("cursor") {
            let place = cursor::read(text, &asked.question())?;
            asked.after = Some(RunCursor::parse(place).ok_or_else(cursor::unreadable)?);
        }
        Ok(asked)
    }

    /// Reads the conditions and the stretch of time, with `q` read by its own rules.
    pub(in crate::web) fn read_by(
        params: &Params,
        more: &[&str],
        read: impl Fn(&str) -> Result<Query, QueryError>,
    ) -> Result<Self, Unread> {
        let fields = FIELDS.iter().map(|field| field.name());
        let known: Vec<&str> = OTHERS.into_iter().chain(fields).chain(more.iter().copied()).collect();
        params.only(&known)?;
        let mut query = read(params.get("q").unwrap_or_default()).map_err(Unread::Filter)?;
        for field in FIELDS {
            if let Some(value) = params.get(field.name()) {
                query.terms.push(Query::term_of(field, value).map_err(Unread::Filter)?);
            }
        }
        Ok(Self {
            query,
            range: range(params.get("t").unwrap_or_default())?,
            from_ns: params.moment("from")?,
            to_ns: params.moment("to")?,
            limit: None,
            after: None,
            by_session: params.get("group") == Some("session"),
        })
    }

    /// The cursor of a place in the list that this question asks for.
    pub(in crate::web) fn cursor(&self, place: &RunCursor) -> String {
        cursor::bound(&place.to_string(), &self.question())
    }

    /// What the store is asked, with other conditions in place of the question's own.
    pub(in crate::web) fn filter(&self, query: &Query, now_ns: u64) -> RunFilter {
        let from_ns = self.range.starts_ns(now_ns).into_iter().chain(self.from_ns).max();
        RunFilter { from_ns, to_ns: self.to_ns, ..run_filter(query) }
    }

    /// Everything that decides which runs are listed in which order; how many at once does not.
    pub(in crate::web) fn question(&self) -> String {
        let Self { query, range, from_ns, to_ns, limit: _, after: _, by_session } = self;
        let by = if *by_session { "sessions" } else { "runs" };
        format!("{by} {} {from_ns:?} {to_ns:?} {query}", range.word())
    }
}

fn range(word: &str) -> Result<Range, WebError> {
    let named = Range::ALL.into_iter().find(|range| range.word() == word);
    named.ok_or_else(|| WebError::Invalid("`t` takes 1h, 24h, 7d or 30d, or is left out".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Asked, WebError> {
        Asked::read(&Params::read(query), &[]).map_err(WebError::from)
    }

    #[test]
    fn parameters_are_conditions_and_none_is_left_out() {
        let asked = read("q=lamp&agent=bank&retries=%3E1&t=24h&from=2026-11-12T16:02:11Z&limit=5").unwrap();
        assert_eq!(asked.query.to_string(), "lamp agent:bank retries:>1");
        assert_eq!((asked.range, asked.limit), (Range::Day, Some(5)));
        let day_ns = 86_400_000_000_000;
        let from_ns = asked.from_ns.unwrap();
        assert_eq!(asked.filter(&asked.query, from_ns).from_ns, Some(from_ns));
        assert_eq!(asked.filter(&asked.query, from_ns + 2 * day_ns).from_ns, Some(from_ns + day_ns));
        for (query, names) in [
            ("limt=5", "`limt`"),
            ("t=soon", "`t` takes"),
            ("retries=many", "`many` is not what retries takes"),
            ("outcome=done", "`done` is not what outcome takes"),
            ("from=yesterday", "`from`"),
            ("cursor=junk", "`cursor`"),
        ] {
            let error = read(query).unwrap_err().to_string();
            assert!(error.contains(names), "{query}: {error}");
        }
    }

    #[test]
    fn a_cursor_goes_with_its_filters_only() {
        let place = RunCursor::parse("AAAAAAAAAAFh").unwrap();
        let cursor = read("agent=bank&t=24h").unwrap().cursor(&place);
        let with = |query: &str| read(&format!("{query}&cursor={cursor}"));
        assert_eq!(with("q=agent:bank&t=24h&limit=7").unwrap().after, Some(place));
        for other in ["agent=shop&t=24h", "agent=bank", "agent=bank&t=24h&to=2026-11-12T16:02:11Z"] {
            assert!(with(other).unwrap_err().to_string().contains("other filters"), "{other}");
        }
    }
}
