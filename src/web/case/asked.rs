//! What is asked of the queue: which cases, in which order, from which place on.
use crate::domain::case::CaseState;
use crate::store::queries::{CASES_MAX, CaseCursor, CaseFilter, CaseOrder};
use crate::web::cursor;
use crate::web::error::WebError;
use crate::web::link::{Links, encoded};
use crate::web::params::Params;

/// Parameters that choose cases.
const FILTER: [&str; 6] = ["state", "tool", "owner", "unowned", "account", "older"];
/// The others.
const OTHERS: [&str; 3] = ["sort", "limit", "cursor"];
const HOUR: u64 = 3_600_000_000_000;
/// The choices of `older`: the word, its name, and how long.
const AGES: [(&str, &str, u64); 4] = [
    ("1h", "An hour", HOUR),
    ("1d", "A day", 24 * HOUR),
    ("7d", "7 days", 7 * 24 * HOUR),
    ("30d", "30 days", 30 * 24 * HOUR),
];

/// A question to the queue.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Asked {
    /// Settled ones instead of open ones.
    pub(in crate::web) settled: bool,
    /// By this tool.
    pub(in crate::web) tool: Option<String>,
    /// Owned by this name.
    pub(in crate::web) owner: Option<String>,
    /// Owned by nobody.
    pub(in crate::web) unowned: bool,
    /// On this account.
    pub(in crate::web) account: Option<String>,
    /// Unknown for at least so long, by its word.
    pub(in crate::web) older: Option<&'static str>,
    /// In which order; `None` for the one that fits the state.
    pub(in crate::web) sort: Option<CaseOrder>,
    /// How many at once.
    pub(in crate::web) limit: Option<u16>,
    /// The place to go on from.
    pub(in crate::web) after: Option<CaseCursor>,
}

impl Asked {
    /// Reads a question; `more` are parameters that only the caller knows.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, WebError> {
        let known: Vec<&str> = FILTER.into_iter().chain(OTHERS).chain(more.iter().copied()).collect();
        params.only(&known)?;
        let text = |name: &str| params.get(name).map(str::trim).filter(|text| !text.is_empty());
        let mut asked = Self {
            settled: match text("state") {
                None | Some("open") => false,
                Some("resolved") => true,
                Some(_) => return Err(wrong("state", "open or resolved")),
            },
            tool: text("tool").map(str::to_owned),
            owner: text("owner").map(str::to_owned),
            unowned: match text("unowned") {
                None => false,
                Some("yes") => true,
                Some(_) => return Err(wrong("unowned", "yes, or is left out")),
            },
            account: text("account").map(str::to_owned),
            older: text("older").map(age).transpose()?,
            sort: text("sort").map(order).transpose()?,
            limit: params.number("limit", (1, CASES_MAX))?,
            after: None,
        };
        if let Some(text) = params.get("cursor") {
            let place = cursor::read(text, &asked.question())?;
            asked.after = Some(CaseCursor::parse(place).ok_or_else(cursor::unreadable)?);
        }
        Ok(asked)
    }

    /// The cursor of a place in the queue that this question asks for.
    pub(in crate::web) fn cursor(&self, place: &CaseCursor) -> String {
        cursor::bound(&place.to_string(), &self.question())
    }

    /// What the store is asked.
    pub(in crate::web) fn filter(&self, now_ns: u64) -> CaseFilter {
        let older = self.older.and_then(|word| AGES.iter().find(|(known, ..)| *known == word));
        let open = CaseFilter::default();
        CaseFilter {
            states: if self.settled { vec![CaseState::Resolved] } else { open.states.clone() },
            tool: self.tool.clone(),
            owner: self.owner.clone(),
            unowned: self.unowned,
            entities: self.account.iter().map(|id| format!("account:{id}")).collect(),
            opened_before_ns: older.map(|(.., long)| now_ns.saturating_sub(*long)),
            ..open
        }
    }

    /// The order asked for, or the one that fits: open ones by urgency, settled ones by time.
    pub(in crate::web) fn order(&self) -> CaseOrder {
        self.sort.unwrap_or(if self.settled { CaseOrder::Changed } else { CaseOrder::Urgency })
    }

    /// Whether anything is chosen beyond the state.
    pub(in crate::web) fn is_narrowed(&self) -> bool {
        let Self { settled: _, tool, owner, unowned, account, older, sort: _, limit: _, after: _ } = self;
        *unowned || tool.is_some() || owner.is_some() || account.is_some() || older.is_some()
    }

    /// The question without a place, as a query string from its question mark on; empty when it asks nothing.
    pub(in crate::web) fn query(&self) -> String {
        let pairs = self.pairs();
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// The same as names and values, for the hidden fields of a form.
    pub(in crate::web) fn pairs(&self) -> Vec<(&'static str, String)> {
        let yes = |on: bool, word: &str| on.then(|| word.to_owned());
        [
            ("state", yes(self.settled, "resolved")),
            ("tool", self.tool.clone()),
            ("owner", self.owner.clone()),
            ("unowned", yes(self.unowned, "yes")),
            ("account", self.account.clone()),
            ("older", self.older.map(str::to_owned)),
            ("sort", self.sort.map(|order| order.word().to_owned())),
            ("limit", self.limit.map(|limit| limit.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
    }

    /// The address of the queue under this question.
    pub(in crate::web) fn href(&self, links: &Links) -> String {
        links.to(&format!("/unknowns{}", self.query()))
    }

    /// The choices of `older`: word, name, whether it is chosen.
    pub(in crate::web) fn ages(&self) -> Vec<(&'static str, &'static str, bool)> {
        AGES.iter().map(|(word, name, _)| (*word, *name, self.older == Some(*word))).collect()
    }

    /// The choices of `sort`: word, name, whether it is chosen.
    pub(in crate::web) fn orders(&self) -> Vec<(&'static str, &'static str, bool)> {
        let name = |order| match order {
            CaseOrder::Urgency => "Unsafe first",
            CaseOrder::Age => "Oldest first",
            CaseOrder::Value => "Largest first",
            CaseOrder::Changed => "Latest change first",
        };
        CaseOrder::ALL.into_iter().map(|order| (order.word(), name(order), order == self.order())).collect()
    }

    /// Everything that decides which cases are listed in which order.
    fn question(&self) -> String {
        format!("cases {} {}", self.order().word(), Self { limit: None, after: None, ..self.clone() }.query())
    }
}

fn age(word: &str) -> Result<&'static str, WebError> {
    let known = AGES.iter().find(|(known, ..)| *known == word).map(|(known, ..)| *known);
    known.ok_or_else(|| wrong("older", "1h, 1d, 7d or 30d"))
}

fn order(word: &str) -> Result<CaseOrder, WebError> {
    CaseOrder::from_word(word).ok_or_else(|| wrong("sort", "urgency, age, value or changed"))
}

fn wrong(name: &str, takes: &str) -> WebError {
    WebError::Invalid(format!("`{name}` takes {takes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Asked, WebError> {
        Asked::read(&Params::read(query), &[])
    }

    #[test]
    fn a_question_is_its_address() {
        let query = "state=resolved&tool=issue_refund&owner=Maya%20L&account=6012&older=1d&sort=age&limit=9";
        let asked = read(query).unwrap();
        assert_eq!(asked.query(), format!("?{query}"));
        assert_eq!(asked.filter(100 * HOUR).opened_before_ns, Some(76 * HOUR));
        assert_eq!(asked.filter(0).entities, ["account:6012"]);
        assert_eq!(read("").unwrap().query(), "");
        assert!(!read("state=resolved&sort=age").unwrap().is_narrowed());
        for (query, names) in [
            ("stat=open", "`stat`"),
            ("state=closed", "`state` takes"),
            ("older=2d", "`older` takes"),
            ("sort=size", "`sort` takes"),
            ("unowned=1", "`unowned` takes"),
            ("cursor=x", "`cursor`"),
        ] {
            assert!(read(query).unwrap_err().to_string().contains(names), "{query}");
        }
    }
}
