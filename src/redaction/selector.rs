//! Selectors: which values of a record a rule concerns.
//!
//! ```text
//! arguments.customer.email            this value, and everything below it
//! **.email || attributes.http.*.url   `*` is one name, `**` any number of them (once in a path)
//! $string && !result                  $string, $number: by type; $span, $event: by where it stands
//! attributes.'odd key'                names with other characters in quotes
//! ```
//! Names compare without case. A key with dots is as many names; items of a list have no name of their own.
use std::fmt;

const BYTES_MAX: usize = 1024;
const DEPTH_MAX: usize = 16;

/// A selector, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selector {
    /// One of these.
    Or(Vec<Selector>),
    /// All of these.
    And(Vec<Selector>),
    /// Not this.
    Not(Box<Selector>),
    /// A path from the top of the record.
    Path(Vec<Item>),
    /// A text.
    Text,
    /// A number.
    Number,
    /// On a span itself.
    Span,
    /// On a span event, or on a record that came as an event or log record.
    Event,
}

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// This name, in lower case.
    Name(String),
    /// Any one name.
    Any,
    /// Any number of names.
    Deep,
}

/// Why a selector can't be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError {
    /// The byte at which reading stopped, counted from 1.
    pub at: usize,
    /// What is wrong there.
    pub why: &'static str,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.why, self.at)
    }
}

/// Where a value stands. A body that several fields share stands in several places at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Paths in lower case, each with whether names between it and the value are not known.
    pub(crate) paths: Vec<(Vec<String>, bool)>,
    /// Whether it stands in a span event, or in a record that came as an event or log record.
    pub(crate) event: bool,
}

/// What type a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// A text, or bytes seen as one.
    Text,
    /// A number.
    Number,
}

/// Whether a selector selects. `Maybe` where names on the way to the value are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Selected {
    /// It does not.
    No,
    /// That can't be told.
    Maybe,
    /// It does.
    Yes,
}

impl Selector {
    /// Reads a selector.
    pub(crate) fn parse(text: &str) -> Result<Self, SelectorError> {
        if text.len() > BYTES_MAX {
            return Err(SelectorError { at: BYTES_MAX, why: "a selector has at most 1,024 characters" });
        }
        let mut reader = Reader { text, at: 0, depth: 0 };
        let selector = reader.or()?;
        reader.blank();
        if reader.rest().is_empty() {
            Ok(selector)
        } else {
            Err(reader.wrong("`&&`, `||` or the end is due"))
        }
    }

    /// Whether it selects a value of this type below this spot. `inner` are the names below the spot.
    pub(crate) fn selects(&self, spot: &Spot, inner: &[String], leaf: Leaf) -> Selected {
        match self {
            Self::Or(all) => {
                all.iter().map(|one| one.selects(spot, inner, leaf)).max().unwrap_or(Selected::No)
            }
            Self::And(all) => {
                all.iter().map(|one| one.selects(spot, inner, leaf)).min().unwrap_or(Selected::Yes)
            }
            Self::Not(one) => match one.selects(spot, inner, leaf) {
                Selected::Yes => Selected::No,
                Selected::Maybe => Selected::Maybe,
                Selected::No => Selected::Yes,
            },
            Self::Path(items) => spot
                .paths
                .iter()
                .map(|(path, gap)| along(items, Names { path, inner, gap: *gap }))
                .max()
                .unwrap_or(Selected::No),
            Self::Text => Selected::of(leaf == Leaf::Text),
            Self::Number => Selected::of(leaf == Leaf::Number),
            Self::Span => Selected::of(!spot.event),
            Self::Event => Selected::of(spot.event),
        }
    }

    /// Whether some path of it may end below this spot: what is there must be looked at part by part.
    pub(crate) fn reaches_below(&self, spot: &Spot, inner: &[String]) -> bool {
        match self {
            Self::Or(all) | Self::And(all) => all.iter().any(|one| one.reaches_below(spot, inner)),
            Self::Not(one) => one.reaches_below(spot, inner),
            Self::Path(items) => {
                spot.paths.iter().any(|(path, gap)| *gap || longer(items, Names { path, inner, gap: *gap }))
            }
            Self::Text | Self::Number => true,
            Self::Span | Self::Event => false,
        }
    }
}

impl Selected {
    fn of(selected: bool) -> Self {
        if selected { Self::Yes } else { Self::No }
    }
}

/// The names from the top of the record to a value.
#[derive(Clone, Copy)]
struct Names<'a> {
    path: &'a [String],
    inner: &'a [String],
    /// Names may be missing between the two.
    gap: bool,
}

impl<'a> Names<'a> {
    fn split(self) -> Option<(&'a str, Self)> {
        if let Some((first, path)) = self.path.split_first() {
            return Some((first, Self { path, ..self }));
        }
        let (first, inner) = self.inner.split_first()?;
        Some((first, Self { inner, ..self }))
    }
}

/// Whether the items match the first of the names, or all.
fn along(items: &[Item], names: Names<'_>) -> Selected {
    let Some((item, rest)) = items.split_first() else { return Selected::Yes };
    if names.path.is_empty() && names.gap {
        return Selected::Maybe;
    }
    match item {
        Item::Deep => {
            let mut names = names;
            let mut best = along(rest, names);
            while let Some((_, after)) = names.split() {
                best = best.max(along(rest, after));
                names = after;
            }
            best
        }
        Item::Any => names.split().map_or(Selected::No, |(_, after)| along(rest, after)),
        Item::Name(name) => match names.split() {
            Some((first, after)) if first == name => along(rest, after),
            Some(_) | None => Selected::No,
        },
    }
}

/// Whether the items begin with these names and go on.
fn longer(items: &[Item], names: Names<'_>) -> bool {
    match (items.split_first(), names.split()) {
        (None, _) => false,
        (Some((Item::Deep, rest)), _) => !rest.is_empty(),
        (Some(_), None) => true,
        (Some((Item::Any, rest)), Some((_, after))) => longer(rest, after),
        (Some((Item::Name(name), rest)), Some((first, after))) => name == first && longer(rest, after),
    }
}

/// The names in a key, in lower case.
pub(crate) fn names(key: &str) -> impl Iterator<Item = String> {
    key.split('.').filter(|name| !name.is_empty()).map(str::to_lowercase)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn or(&mut self) -> Result<Selector, SelectorError> {
        let mut all = vec![self.and()?];
        while self.takes("||") {
            all.push(self.and()?);
        }
        Ok(if all.len() > 1 { Selector::Or(all) } else { all.remove(0) })
    }

    fn and(&mut self) -> Result<Selector, SelectorError> {
        let mut all = vec![self.not()?];
        while self.takes("&&") {
            all.push(self.not()?);
        }
        Ok(if all.len() > 1 { Selector::And(all) } else { all.remove(0) })
    }

    fn not(&mut self) -> Result<Selector, SelectorError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.wrong("`!` and parentheses are nested too deep"));
        }
        let selector = if self.takes("!") {
            Selector::Not(Box::new(self.not()?))
        } else if self.takes("(") {
            let inner = self.or()?;
            if !self.takes(")") {
                return Err(self.wrong("a `)` is due"));
            }
            inner
        } else if self.takes("$") {
            self.kind()?
        } else {
            self.path()?
        };
        self.depth -= 1;
        Ok(selector)
    }

    fn kind(&mut self) -> Result<Selector, SelectorError> {
        let at = self.at;
        let selector = match self.word() {
            "string" => Selector::Text,
            "number" => Selector::Number,
            "span" => Selector::Span,
            "event" => Selector::Event,
            _ => {
                self.at = at;
                return Err(self.wrong("after `$` comes string, number, span or event"));
            }
        };
        Ok(selector)
    }

    fn path(&mut self) -> Result<Selector, SelectorError> {
        let mut items = Vec::new();
        loop {
            self.item(&mut items)?;
            if !self.takes(".") {
                return Ok(Selector::Path(items));
            }
        }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Result<(), SelectorError> {
        if self.takes("**") {
            if items.contains(&Item::Deep) {
                return Err(self.wrong("`**` may stand once in a path"));
            }
            items.push(Item::Deep);
            return Ok(());
        }
        if self.takes("*") {
            items.push(Item::Any);
            return Ok(());
        }
        if self.takes("'") {
            let Some((name, _)) = self.rest().split_once('\'') else {
                return Err(self.wrong("the closing `'` is missing"));
            };
            self.at += name.len() + 1;
            items.extend(names(name).map(Item::Name));
            return if name.is_empty() { Err(self.wrong("a name is empty")) } else { Ok(()) };
        }
        let name = self.word();
        if name.is_empty() {
            return Err(self.wrong("a name, `*`, `**`, `$` or `(` is due"));
        }
        items.push(Item::Name(name.to_lowercase()));
        Ok(())
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.blank();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, why: &'static str) -> SelectorError {
        SelectorError { at: self.at + 1, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(path: &str) -> Spot {
        Spot { paths: vec![(names(path).collect(), false)], event: false }
    }

    fn selects(selector: &str, path: &str) -> bool {
        Selector::parse(selector).unwrap().selects(&spot(path), &[], Leaf::Text) == Selected::Yes
    }

    #[test]
    fn paths_select_a_value_and_what_is_below_it() {
        for (selector, path, expected) in [
            ("arguments", "arguments", true),
            ("arguments", "arguments.customer.email", true),
            ("arguments.customer", "arguments", false),
            ("email", "arguments.email", false),
            ("**.email", "arguments.customer.email", true),
            ("**.EMAIL", "arguments.Email.x", true),
            ("**.email", "arguments.emails", false),
            ("attributes.http.*.url", "attributes.http.request.url", true),
            ("attributes.http.*.url", "attributes.http.url", false),
            ("attributes.'http.request.url'", "attributes.http.request.url", true),
            ("a.**.d", "a.b.c.d", true),
            ("a.**", "a", true),
            ("a || b && !b.c", "b.d", true),
            ("a || b && !b.c", "b.c", false),
            ("(a || b) && $string", "a", true),
            ("$number", "a", false),
            ("$span", "a", true),
            ("$event", "a", false),
            ("'odd key!'", "odd key!", true),
        ] {
            assert_eq!(selects(selector, path), expected, "{selector} on {path}");
        }
    }

    #[test]
    fn names_that_are_not_known_may_match() {
        let spot = Spot { paths: vec![(vec!["attributes".into(), "messages".into()], true)], event: false };
        let selects = |selector: &str, inner: &[&str]| {
            let inner: Vec<String> = inner.iter().map(|name| (*name).to_owned()).collect();
            Selector::parse(selector).unwrap().selects(&spot, &inner, Leaf::Text)
        };
        assert_eq!(selects("attributes.messages", &[]), Selected::Yes);
        assert_eq!(selects("attributes.messages.content", &[]), Selected::Maybe);
        assert_eq!(selects("!attributes.messages.content", &[]), Selected::Maybe);
        assert_eq!(selects("attributes.other", &[]), Selected::No);
    }

    #[test]
    fn what_may_end_below_is_known() {
        for (selector, path, expected) in [
            ("arguments.order_id", "arguments", true),
            ("arguments", "arguments", false),
            ("**.email", "arguments", true),
            ("!(a.b || c)", "a", true),
            ("!(a.b || c)", "d", false),
        ] {
            let found = Selector::parse(selector).unwrap().reaches_below(&spot(path), &[]);
            assert_eq!(found, expected, "{selector} on {path}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        for (selector, at) in [
            ("", 1),
            ("a.", 3),
            ("a &", 3),
            ("a.**.b.**", 10),
            ("(a", 3),
            ("$what", 2),
            ("'open", 2),
            ("a b", 3),
            ("a..b", 3),
            ("!!!!!!!!!!!!!!!!!!a", 17),
        ] {
            assert_eq!(Selector::parse(selector).unwrap_err().at, at, "{selector}");
        }
        assert!(Selector::parse(&"a".repeat(2000)).is_err());
    }
}
