//! What is asked of the search: read alike for the page and for the API, so that both find the same.
use crate::store::rows::RunCursor;
use crate::store::{Needle, RunFilter, TextFilter, TextPlace};
use crate::web::cursor;
use crate::web::desk::Desk;
use crate::web::error::WebError;
use crate::web::list::asked::{Asked as Listed, Unread};
use crate::web::params::Params;
use crate::web::query::{Field, Query, QueryError, Test};
use crate::web::search::needle::{id_of, needle, stem};

/// Words in one search.
const WORDS_MAX: usize = 10;
/// Spellings of all words together: what one statement may ask.
const SPELLINGS_MAX: usize = 60;
/// Runs in one answer.
pub const RUNS_MAX: u16 = 50;
/// Runs in an answer when nobody says how many.
const RUNS: u16 = 20;

/// A question to the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::web) struct Asked {
    /// Conditions of runs and the stretch of time; its words are looked for in texts.
    pub(in crate::web) list: Listed,
    /// Words and phrases that must all stand in one text.
    pub(in crate::web) words: Vec<String>,
    /// Those that may not stand in it.
    without: Vec<String>,
    /// Where; empty for everywhere.
    pub(in crate::web) places: Vec<TextPlace>,
    /// How many runs at once.
    pub(in crate::web) limit: u16,
    /// The place to go on from.
    pub(in crate::web) after: Option<RunCursor>,
}

impl Asked {
    /// Reads a question; `more` are parameters that only the caller knows.
    pub(in crate::web) fn read(params: &Params, more: &[&str]) -> Result<Self, Unread> {
        let known = [&["in"], more].concat();
        let list = Listed::read_by(params, &known, Query::read_texts)?;
        let said = |negated: bool| {
            let terms = list.query.terms.iter().filter(move |term| term.negated == negated);
            terms.filter_map(|term| match &term.test {
                Test::Word(word) => Some(word.trim().to_owned()).filter(|word| !word.is_empty()),
                Test::Is(..) | Test::Number(..) => None,
            })
        };
        let mut asked = Self {
            words: said(false).collect(),
            without: said(true).collect(),
            places: places(params.get("in").unwrap_or_default())?,
            limit: params.number("limit", (1, RUNS_MAX))?.unwrap_or(RUNS),
            after: None,
            list: list.clone(),
        };
        asked.check().map_err(Unread::Filter)?;
        if let Some(text) = params.get("cursor") {
            let place = cursor::read(text, &asked.question())?;
            asked.after = Some(RunCursor::parse(place).ok_or_else(cursor::unreadable)?);
        }
        Ok(asked)
    }

    fn check(&self) -> Result<(), QueryError> {
        let error = |typed: &str, wrong: String| QueryError { typed: typed.to_owned(), wrong, near: None };
        if self.words.len() + self.without.len() > WORDS_MAX {
            return Err(error("This search", format!("has more than {WORDS_MAX} words")));
        }
        if self.words.is_empty() && !self.without.is_empty() {
            let wrong = "says only which words may not stand in a text; add one that must".to_owned();
            return Err(error("This search", wrong));
        }
        if self.words.is_empty() && !self.places.is_empty() && !self.list.query.terms.is_empty() {
            return Err(error("This search", "says where to look (`in`) and no word to look for".to_owned()));
        }
        for word in &self.words {
            if let Some(place) = word.strip_prefix("in:") {
                let words = TextPlace::ALL.map(TextPlace::word).join(", ");
                let wrong = if place.is_empty() {
                    "names no place".to_owned()
                } else {
                    format!("is chosen beside the box (`in=` in an address: {words})")
                };
                return Err(error(word, wrong));
            }
        }
        Ok(())
    }

    /// The conditions of runs without the words.
    pub(in crate::web) fn conditions(&self) -> Query {
        let mut query = self.list.query.clone();
        query.terms.retain(|term| !matches!(term.test, Test::Word(_)));
        query
    }

    /// Whether one run is asked about: then all of its hits are listed.
    pub(in crate::web) fn is_of_one_run(&self) -> bool {
        let mut terms = self.list.query.terms.iter();
        terms.any(|term| !term.negated && matches!(term.test, Test::Is(Field::Run, _)))
    }

    /// The cursor of a place in what this question finds.
    pub(in crate::web) fn cursor(&self, place: &RunCursor) -> String {
        cursor::bound(&place.to_string(), &self.question())
    }

    fn question(&self) -> String {
        let places = self.places.iter().map(|place| place.word()).collect::<Vec<_>>().join(",");
        format!("search in {places} {}", self.list.question())
    }

    /// What the store is asked, with these conditions of runs in place of the question's own.
    pub(in crate::web) fn filter(
        &self,
        conditions: &Query,
        desk: &Desk,
        scope: &crate::domain::scope::Scope,
        now_ns: u64,
    ) -> RunFilter {
        let mut filter = desk.widened(&scope.project, self.list.filter(conditions, now_ns));
        let attributes = std::mem::take(&mut filter.texts.attributes);
        filter.texts = TextFilter { attributes, ..self.texts(|word| desk.endings(&scope.project, word)) };
        filter
    }

    /// The texts that are looked for, and those that may not be there; also by what a word may have become
    /// where a rule hid it.
    fn texts(&self, hidden: impl Fn(&str) -> Vec<String>) -> TextFilter {
        let each = SPELLINGS_MAX / (self.words.len() + self.without.len()).max(1);
        let spellings = |word: &String| -> Vec<Needle> {
            let others = hidden(stem(word).0).into_iter().map(|other| needle(&other));
            let all = std::iter::once(needle(word)).chain(others);
            all.take(each).collect()
        };
        let id = match self.words.as_slice() {
            [only] => id_of(only),
            _ => None,
        };
        TextFilter {
            all: self.words.iter().map(spellings).collect(),
            none: self.without.iter().flat_map(spellings).collect(),
            places: self.places.clone(),
            id,
            attributes: Vec::new(),
        }
    }
}

fn places(text: &str) -> Result<Vec<TextPlace>, WebError> {
    let mut places = Vec::new();
    for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let place = TextPlace::from_word(word).ok_or_else(|| {
            let words = TextPlace::ALL.map(TextPlace::word).join(", ");
            WebError::Invalid(format!("`in` takes {words}, one or several with commas between them"))
        })?;
        places.push(place);
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Asked, WebError> {
        Asked::read(&Params::read(query), &[]).map_err(WebError::from)
    }

    #[test]
    fn words_are_looked_for_and_conditions_narrow() {
        let asked =
            read("q=refund \"cracked kettle\" -test agent:bank C:\\temp&in=results,errors&outcome=unknown")
                .unwrap();
        assert_eq!(asked.words, ["refund", "cracked kettle", "C:\\temp"]);
        assert_eq!(asked.without, ["test"]);
        assert_eq!(asked.places, [TextPlace::Results, TextPlace::Errors]);
        assert_eq!(asked.conditions().to_string(), "agent:bank outcome:unknown");
        assert_eq!(asked.limit, RUNS);
        let texts = asked.texts(|word| vec![format!("hidden-{word}")]);
        assert_eq!(texts.all.first().map(Vec::len), Some(2));
        let none: Vec<&str> = texts.none.iter().map(|needle| needle.words.as_str()).collect();
        assert_eq!(none, ["test", "hidden-test"]);
        assert_eq!(texts.id, None);
        assert_eq!(read("q=run-031").unwrap().texts(|_| Vec::new()).id.as_deref(), Some("run031"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (query, names) in [
            ("q=outcom:unknown", "`outcom` is not a field; did you mean outcome?"),
            ("q=%22open", "opens a quote that is never closed"),
            ("q=in:errors", "`in=`"),
            ("q=agent:bank&in=errors", "no word to look for"),
            ("q=-lamp agent:bank", "add one that must"),
            ("q=a&in=everywhere", "`in` takes messages"),
            ("q=a&limit=51", "`limit`"),
            ("q=a&cursor=junk", "`cursor`"),
            ("q=a&wrong=1", "`wrong`"),
            ("q=1 2 3 4 5 6 7 8 9 10 11", "more than 10 words"),
        ] {
            let error = read(query).unwrap_err().to_string();
            assert!(error.contains(names), "{query}: {error}");
        }
        let long = format!("q={}", "x".repeat(5_000));
        assert!(read(&long).unwrap_err().to_string().contains("longer than 4096 bytes"));
    }

    #[test]
    fn a_cursor_goes_with_its_question_only() {
        let place = RunCursor::parse("AAAAAAAAAAFh").unwrap();
        let cursor = read("q=a&in=results").unwrap().cursor(&place);
        assert_eq!(read(&format!("q=a&in=results&limit=3&cursor={cursor}")).unwrap().after, Some(place));
        assert!(read(&format!("q=a&cursor={cursor}")).is_err());
    }
}
