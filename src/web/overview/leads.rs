//! Where a number leads: to the runs it was counted in, under the same filter and time.
use crate::store::Stretch;
use crate::web::format::rfc3339;
use crate::web::link::{Links, encoded};
use crate::web::list::address::Address;
use crate::web::overview::asked::{Asked, is_of};
use crate::web::query::{Compare, Field, Query, Term, Test};

/// Writes addresses of runs.
#[derive(Debug, Clone)]
pub(in crate::web) struct Leads {
    runs: String,
    unknowns: String,
    asked: Asked,
    stretch: Stretch,
}

impl Leads {
    /// For numbers that were counted under this question.
    pub(in crate::web) fn new(links: &Links, asked: &Asked, stretch: Stretch) -> Self {
        Self { runs: links.runs(), unknowns: links.unknowns(), asked: asked.clone(), stretch }
    }

    /// The runs of the whole time with these conditions as well.
    pub(in crate::web) fn all(&self, more: &[Test]) -> String {
        self.between(more, (self.asked.from_ns, self.asked.to_ns))
    }

    /// The runs of a bin.
    pub(in crate::web) fn bin(&self, bin: usize, more: &[Test]) -> String {
        let (start, end) = (self.stretch.edge_ns(bin), self.stretch.edge_ns(bin + 1));
        let from = self.asked.from_ns.map_or(start, |from| from.max(start));
        let to = self.asked.to_ns.map_or(end, |to| to.min(end));
        self.between(more, (Some(from), Some(to)))
    }

    /// The queue of unknowns of a tool, or of all; where the filter chooses runs: these with an unknown.
    pub(in crate::web) fn unknowns(&self, tool: Option<&str>, older: Option<&str>) -> String {
        if self.asked.chooses_runs() || (tool.is_none() && self.asked.names(Field::Tool)) {
            let tool = tool.map(|tool| Test::Is(Field::Tool, tool.to_owned()));
            let more: Vec<Test> = tool.into_iter().chain([more_than_none(Field::Unknown)]).collect();
            return self.between(&more, (None, None));
        }
        let pairs = [("tool", tool), ("older", older)];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", encoded(value?))));
        let query = pairs.collect::<Vec<_>>().join("&");
        if query.is_empty() { self.unknowns.clone() } else { format!("{}?{query}", self.unknowns) }
    }

    fn between(&self, more: &[Test], (from_ns, to_ns): (Option<u64>, Option<u64>)) -> String {
        let kept = [("from", from_ns), ("to", to_ns)];
        let kept = kept.into_iter().filter_map(|(name, at)| Some((name, seconds(at?))));
        let address = Address { runs: self.runs.clone(), kept: kept.collect(), open: None };
        address.with(&narrowed(&self.asked.query, more))
    }
}

/// The condition that a count is above zero.
pub(in crate::web) fn more_than_none(field: Field) -> Test {
    Test::Number(field, Compare::More, 0.0)
}

/// The filter with these conditions as well. One of several wanted values of a field takes their place.
fn narrowed(query: &Query, more: &[Test]) -> Query {
    let mut terms = query.terms.clone();
    for test in more {
        if let Test::Is(field, _) = test {
            terms.retain(|term| term.negated || !is_of(term, *field));
        }
        terms.push(Term { negated: false, test: test.clone() });
    }
    Query { terms }
}

/// RFC 3339, without a fraction where there is none.
fn seconds(ns: u64) -> String {
    let whole = rfc3339(ns);
    whole.strip_suffix(".000000000Z").map_or(whole.clone(), |second| format!("{second}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::params::Params;

    const HOUR: u64 = 3_600_000_000_000;

    fn leads(query: &str) -> Leads {
        let now_ns = 1_795_970_000_000_000_000;
        let asked = Asked::read(&Params::read(query), &[], now_ns).unwrap();
        let stretch = Stretch { start_ns: 1_793_491_200_000_000_000, width_ns: HOUR, bins: 3 };
        Leads::new(&Links::new("/x"), &asked, stretch)
    }

    #[test]
    fn a_number_leads_to_its_runs_and_no_others() {
        let leads = leads("q=agent:bank tool:a tool:b&from=2026-11-01T00:30:00Z&to=2026-11-01T02:10:00Z");
        let tool = Test::Is(Field::Tool, "a".to_owned());
        let from = |from: &str, to: &str| format!("&from=2026-11-01T{from}%3A00Z&to=2026-11-01T{to}%3A00Z");
        assert_eq!(
            leads.all(std::slice::from_ref(&tool)),
            format!("/x/runs?q=agent%3Abank%20tool%3Aa{}", from("00%3A30", "02%3A10"))
        );
        let failed = more_than_none(Field::Failed);
        let q = "agent%3Abank%20tool%3Aa%20tool%3Ab%20failed%3A%3E0";
        assert_eq!(
            leads.bin(0, std::slice::from_ref(&failed)),
            format!("/x/runs?q={q}{}", from("00%3A30", "01%3A00"))
        );
        assert_eq!(leads.bin(2, &[failed]), format!("/x/runs?q={q}{}", from("02%3A00", "02%3A10")));
    }

    #[test]
    fn unknowns_lead_to_their_queue_unless_runs_are_chosen() {
        assert_eq!(leads("").unknowns(Some("a b"), Some("1d")), "/x/unknowns?tool=a%20b&older=1d");
        assert_eq!(leads("").unknowns(None, None), "/x/unknowns");
        assert_eq!(
            leads("q=agent:bank").unknowns(None, Some("1d")),
            "/x/runs?q=agent%3Abank%20unknown%3A%3E0"
        );
    }
}
