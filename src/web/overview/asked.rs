//! What is asked of the overview: as of the list of runs, and of the last 7 days where no time is named.
use crate::store::RunFilter;
use crate::web::error::WebError;
use crate::web::list::address::Range;
use crate::web::list::asked::{Asked as Runs, FIELDS, Unread};
use crate::web::params::Params;
use crate::web::query::{Field, Query, Term, Test};

/// The word for all that is kept; the list of runs has none.
pub(in crate::web) const ALL_TIME: &str = "all";
const SECOND: u64 = 1_000_000_000;
/// Parameters that are no fields of the filter.
const OTHERS: [&str; 4] = ["q", "t", "from", "to"];

/// A question to the overview.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::web) struct Asked {
    /// Every condition.
    pub(in crate::web) query: Query,
    /// How far back from now.
    pub(in crate::web) range: Range,
    /// Nobody named a time.
    pub(in crate::web) by_default: bool,
    /// Started at or after this, nanoseconds since 1970; from `range` where that is later.
    pub(in crate::web) from_ns: Option<u64>,
    /// Started before this.
    pub(in crate::web) to_ns: Option<u64>,
}

impl Asked {
    /// Reads a question as of now; `more` are parameters that only the caller knows.
    pub(in crate::web) fn read(params: &Params, more: &[&str], now_ns: u64) -> Result<Self, Unread> {
        let fields = FIELDS.iter().chain([&Field::Tool]).map(|field| field.name());
        let known: Vec<&str> = OTHERS.into_iter().chain(fields).chain(more.iter().copied()).collect();
        params.only(&known)?;
        let all = params.get("t") == Some(ALL_TIME);
        let rest = if all { params.without("t") } else { params.clone() };
        let runs = Runs::read(&rest, &known).map_err(told)?;
        let mut query = runs.query;
        if let Some(tool) = params.get(Field::Tool.name()) {
            query.terms.push(Query::term_of(Field::Tool, tool).map_err(Unread::Filter)?);
        }
        let named = all || runs.range != Range::All || runs.from_ns.is_some() || runs.to_ns.is_some();
        let range = if named { runs.range } else { Range::Week };
        // Whole seconds: the addresses that numbers lead to name them.
        let now_ns = now_ns - now_ns % SECOND;
        Ok(Self {
            query,
            range,
            by_default: !named,
            from_ns: range.starts_ns(now_ns).into_iter().chain(runs.from_ns).max(),
            to_ns: runs.to_ns,
        })
    }

    /// What the store is asked about runs.
    pub(in crate::web) fn filter(&self, query: &Query) -> RunFilter {
        let filter = crate::web::filter::run_filter(query);
        RunFilter { from_ns: self.from_ns, to_ns: self.to_ns, ..filter }
    }

    /// Whether the filter names this and nothing else decides which of its values count.
    pub(in crate::web) fn names(&self, field: Field) -> bool {
        self.query.terms.iter().any(|term| !term.negated && is_of(term, field))
    }

    /// Whether the filter chooses runs by anything but their tools.
    pub(in crate::web) fn chooses_runs(&self) -> bool {
        self.query.terms.iter().any(|term| term.negated || !is_of(term, Field::Tool))
    }
}

/// Whether a condition is about this field's value.
pub(in crate::web) fn is_of(term: &Term, field: Field) -> bool {
    matches!(&term.test, Test::Is(of, _) if *of == field)
}

/// The list of runs has no word for all time, so its refusal does not name it.
fn told(unread: Unread) -> Unread {
    match &unread {
        Unread::Parameter(WebError::Invalid(said)) if said.starts_with("`t` takes") => {
            Unread::Parameter(WebError::Invalid("`t` takes 1h, 24h, 7d, 30d or all".to_owned()))
        }
        Unread::Parameter(_) | Unread::Filter(_) => unread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400 * SECOND;
    const NOW: u64 = 1_795_970_000 * SECOND + 7;

    fn read(query: &str) -> Result<Asked, WebError> {
        Asked::read(&Params::read(query), &["format"], NOW).map_err(WebError::from)
    }

    #[test]
    fn without_a_time_it_is_the_last_seven_days() {
        let asked = read("q=agent:bank&tool=issue_refund").unwrap();
        assert_eq!(asked.query.to_string(), "agent:bank tool:issue_refund");
        assert_eq!((asked.from_ns, asked.by_default), (Some(NOW - 7 - 7 * DAY), true));
        let all = read("t=all").unwrap();
        assert_eq!((all.from_ns, all.by_default, all.range), (None, false, Range::All));
        assert_eq!(read("t=24h").unwrap().from_ns, Some(NOW - 7 - DAY));
        let between = read("from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z").unwrap();
        assert_eq!(
            (between.from_ns, between.to_ns),
            (Some(1_793_491_200 * SECOND), Some(1_793_577_600 * SECOND))
        );
        assert!(!between.by_default);
    }

    #[test]
    fn what_cannot_be_asked_is_named() {
        for (query, names) in [
            ("t=2d", "30d or all"),
            ("limit=5", "`limit`"),
            ("cursor=x", "`cursor`"),
            ("colour=red", "`colour`"),
            ("q=outcom:x", "outcom"),
        ] {
            assert!(read(query).unwrap_err().to_string().contains(names), "{query}");
        }
    }

    #[test]
    fn a_filter_of_tools_alone_needs_no_look_at_the_runs() {
        assert!(!read("q=tool:a tool:b").unwrap().chooses_runs() && !read("").unwrap().chooses_runs());
        assert!(read("q=-tool:a").unwrap().chooses_runs() && read("q=lamp").unwrap().chooses_runs());
        assert!(
            read("q=model:m").unwrap().names(Field::Model)
                && !read("q=-model:m").unwrap().names(Field::Model)
        );
    }
}
