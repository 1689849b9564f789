//! The queue: cases as of now, in order of urgency, age, value or change.
use std::fmt;

use data_encoding::BASE64URL_NOPAD;

use crate::domain::case::{Case, CaseState};
use crate::domain::policy::Money;
use crate::domain::scope::Scope;
use crate::store::client::Store;
use crate::store::error::StoreError;
use crate::store::rows::answer::{rows, select};
use crate::store::rows::cases::{SHOWN, blank};

const SQL: &str = include_str!("cases.sql");
/// A deadline passes without a write.
const STATE_NOW: &str = "if(state = 'waiting' AND unknown_at_ns > 0 AND unknown_at_ns <= {now_ns:UInt64}, \
                         'open', toString(state))";

/// The most cases of one page.
pub const CASES_MAX: u16 = 500;

/// Which cases. The default is all that are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseFilter {
    /// In one of these states.
    pub states: Vec<CaseState>,
    /// By this tool.
    pub tool: Option<String>,
    /// Owned by this name.
    pub owner: Option<String>,
    /// Owned by nobody.
    pub unowned: bool,
    /// On one of these entities, `type:id`; any when empty.
    pub entities: Vec<String>,
    /// Under one of these keys; any when empty.
    pub keys: Vec<String>,
    /// Of one of these runs; any when empty.
    pub run_ids: Vec<String>,
    /// Unknown since before this time, nanoseconds since 1970.
    pub opened_before_ns: Option<u64>,
    /// Settled at this time or later.
    pub settled_from_ns: Option<u64>,
    /// One of these; any when empty.
    pub case_ids: Vec<String>,
}

impl Default for CaseFilter {
    fn default() -> Self {
        Self {
            states: vec![CaseState::Open, CaseState::Pending],
            tool: None,
            owner: None,
            unowned: false,
            entities: Vec::new(),
            keys: Vec::new(),
            run_ids: Vec::new(),
            opened_before_ns: None,
            settled_from_ns: None,
            case_ids: Vec::new(),
        }
    }
}

/// In which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CaseOrder {
    /// What becomes unsafe first on top, then by amount, then by age.
    #[default]
    Urgency,
    /// The oldest first.
    Age,
    /// The largest amount first.
    Value,
    /// The latest changed first.
    Changed,
}

impl CaseOrder {
    /// Every order.
    pub const ALL: [Self; 4] = [Self::Urgency, Self::Age, Self::Value, Self::Changed];

    /// The word of the API and pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Urgency => "urgency",
            Self::Age => "age",
            Self::Value => "value",
            Self::Changed => "changed",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.word() == word)
    }

    fn sql(self) -> &'static str {
        match self {
            Self::Urgency => {
                "tuple(if(key_expires_ns > {now_ns:UInt64}, key_expires_ns, 18446744073709551615), -amount, \
                 opened_now)"
            }
            Self::Age => "tuple(opened_now, toFloat64(0), toUInt64(0))",
            Self::Value => "tuple(toUInt64(0), -amount, opened_now)",
            Self::Changed => "tuple(18446744073709551615 - changed_ns, toFloat64(0), toUInt64(0))",
        }
    }

    /// The place of a case in this order; as [`Self::sql`] says it.
    fn place(self, case: &Case, now_ns: u64) -> (u64, f64, u64) {
        let amount = case.value.as_deref().and_then(Money::parse).map_or(0.0, |money| money.amount);
        let opened = case.opened_ns.or(case.unknown_at_ns).unwrap_or_default();
        match self {
            Self::Urgency => {
                let ends = case.key_expires_ns.filter(|ends| *ends > now_ns);
                (ends.unwrap_or(u64::MAX), -amount, opened)
            }
            Self::Age => (opened, 0.0, 0),
            Self::Value => (0, -amount, opened),
            Self::Changed => (u64::MAX - case.changed_ns, 0.0, 0),
        }
    }
}

/// A place in the queue: that of the last case seen, and the time as of which it was listed.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseCursor {
    now_ns: u64,
    place: (u64, f64, u64),
    case_id: String,
}

impl CaseCursor {
    /// Reads what [`fmt::Display`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (now_ns, rest) = bytes.split_first_chunk()?;
        let (first, rest) = rest.split_first_chunk()?;
        let (second, rest) = rest.split_first_chunk()?;
        let (third, rest) = rest.split_first_chunk()?;
        let second = f64::from_bits(u64::from_be_bytes(*second));
        let case_id = String::from_utf8(rest.to_vec()).ok().filter(|id| !id.is_empty())?;
        second.is_finite().then(|| Self {
            now_ns: u64::from_be_bytes(*now_ns),
            place: (u64::from_be_bytes(*first), second, u64::from_be_bytes(*third)),
            case_id,
        })
    }
}

/// Opaque, fit for a URL.
impl fmt::Display for CaseCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second, third) = self.place;
        let mut bytes = Vec::new();
        for number in [self.now_ns, first, second.to_bits(), third] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(self.case_id.bytes());
        f.write_str(&BASE64URL_NOPAD.encode(&bytes))
    }
}

/// One page of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct CasePage {
    /// As of now: deadlines that have passed count.
    pub cases: Vec<Case>,
    /// Where the next page begins; `None` on the last.
    pub next: Option<CaseCursor>,
}

/// Cases in an order, after a place in it. A cursor goes on as of the time of its first page.
///
/// # Errors
/// As for any read.
pub async fn cases(
    store: &Store,
    scope: &Scope,
    (filter, order): (&CaseFilter, CaseOrder),
    (after, rows_max): (Option<&CaseCursor>, u16),
    now_ns: u64,
) -> Result<CasePage, StoreError> {
    let now_ns = after.map_or(now_ns, |cursor| cursor.now_ns);
    let rows_max = rows_max.clamp(1, CASES_MAX);
    let sql = select(SQL, SHOWN).replace("$state_now", STATE_NOW).replace("$order", order.sql());
    let (first, second, third) = after.map(|cursor| cursor.place).unwrap_or_default();
    let states: Vec<&str> = filter.states.iter().map(|state| state.word()).collect();
    let read = store
        .read(scope, &sql)
        .bind("now_ns", now_ns)
        .bind("states", states)
        .bind("tool", filter.tool.as_deref().unwrap_or_default())
        .bind("owner", filter.owner.as_deref().unwrap_or_default())
        .bind("unowned", filter.unowned)
        .bind("keys", &filter.keys)
        .bind("run_ids", &filter.run_ids)
        .bind("entities", &filter.entities)
        .bind("opened_before_ns", filter.opened_before_ns.unwrap_or_default())
        .bind("settled_from_ns", filter.settled_from_ns.unwrap_or_default())
        .bind("case_ids", &filter.case_ids)
        .bind("after_id", after.map(|cursor| cursor.case_id.as_str()).unwrap_or_default())
        .bind("after_1", first)
        .bind("after_2", second)
        .bind("after_3", third)
        .bind("rows_max", u32::from(rows_max) + 1);
    let mut cases = rows(read, SHOWN, blank).await?;
    let more = cases.len() > usize::from(rows_max);
    cases.truncate(usize::from(rows_max));
    cases.iter_mut().for_each(|case| case.pass(now_ns));
    let next = cases.last().filter(|_| more).map(|last| CaseCursor {
        now_ns,
        place: order.place(last, now_ns),
        case_id: last.case_id.clone(),
    });
    Ok(CasePage { cases, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back() {
        let cursor = CaseCursor { now_ns: 7, place: (u64::MAX, -40.5, 3), case_id: "0a1b".to_owned() };
        assert_eq!(CaseCursor::parse(&cursor.to_string()), Some(cursor));
        for text in ["", "AAAA", "é", "not a cursor"] {
            assert_eq!(CaseCursor::parse(text), None, "{text}");
        }
    }
}
