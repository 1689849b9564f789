//! Which texts are looked for, as conditions over bodies and over everything else of a record. Nothing that a
//! viewer types is ever spliced in: what is typed decides which conditions there are, and is bound to them.
//!
//! Bodies and records have an index of their words (migrations 0120 and 0122), which every condition asks
//! first. The expressions here are those of the indexes: another spelling would not use them.
use crate::store::read::Read;

/// The words of a body, as its index has them.
const SHOWN_OF_CONTENTS: &str = include_str!("shown_of_contents.sql");
/// The words of everything of a record that is no body, as its index has them.
const SHOWN_OF_STEPS: &str = include_str!("shown_of_steps.sql");
/// A text without the colour codes of terminals.
const SHOWN: &str = include_str!("shown.sql");
/// What is typed, as the indexes have words.
const TOKENS: &str = "tokens(translate(lowerUTF8(normalizeUTF8NFC($text)), '_.:''', '    '), 'asciiCJK')";
/// A text in which patterns are looked for.
const FOLDED: &str = "lowerUTF8(normalizeUTF8NFC($text))";
/// What of a record goes wrong.
const ERRORS: &str = "arrayConcat(error.kind, error.message, [status_message])";
/// What a record is called.
const NAMES: &str = "arrayConcat([name, toString(agent), toString(model), toString(service), \
    toString(worker), toString(tool), target, key, value, downstream_id, approver, run_id, step_id, \
    session_id, user_id, tool_call_id], \
    arrayMap((kind, id) -> concat(kind, ':', id), entities.kind, entities.id))";
/// What a record was sent with.
const ATTRIBUTES: &str = "arrayConcat(attributes.key, attributes.value, \
    arrayMap(pair -> pair.value, arrayFlatten(events.attributes)))";
/// The ids that may be given by their beginning.
const IDS: [&str; 3] = ["step_id", "tool_call_id", "key"];

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextPlace {
    /// What a model saw and answered.
    Messages,
    /// The definitions of the tools on offer.
    Tools,
    /// What a tool got.
    Arguments,
    /// What a tool gave back.
    Results,
    /// Errors and status messages.
    Errors,
    /// Names and ids.
    Names,
    /// Attributes and events as sent.
    Attributes,
}

impl TextPlace {
    /// Every one.
    pub const ALL: [Self; 7] = [
        Self::Messages,
        Self::Tools,
        Self::Arguments,
        Self::Results,
        Self::Errors,
        Self::Names,
        Self::Attributes,
    ];

    /// The word in addresses and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Tools => "tools",
            Self::Arguments => "arguments",
            Self::Results => "results",
            Self::Errors => "errors",
            Self::Names => "names",
            Self::Attributes => "attributes",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|place| place.word() == word)
    }

    /// The kinds of bodies that stand there.
    fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Messages => &["system", "message", "output"],
            Self::Tools => &["tool_definition"],
            Self::Arguments => &["arguments"],
            Self::Results => &["result"],
            Self::Attributes => &["attribute"],
            Self::Errors | Self::Names => &[],
        }
    }

    /// The fields of a record that stand there.
    fn fields(self) -> Option<&'static str> {
        match self {
            Self::Errors => Some(ERRORS),
            Self::Names => Some(NAMES),
            Self::Attributes => Some(ATTRIBUTES),
            Self::Messages | Self::Tools | Self::Arguments | Self::Results => None,
        }
    }
}

/// One thing that is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needle {
    /// Whole words that must stand in the text, for the index; empty when it has none to ask.
    pub words: String,
    /// What must be found in the folded text: a regular expression in lower case.
    pub pattern: String,
}

/// An attribute with its value, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeTest {
    /// Its key.
    pub key: String,
    /// Its value as text.
    pub value: String,
    /// No record may have it.
    pub negated: bool,
}

/// Which texts. The default asks for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextFilter {
    /// All must stand in one text; of each, one of its spellings.
    pub all: Vec<Vec<Needle>>,
    /// None may stand in that text.
    pub none: Vec<Needle>,
    /// Where; empty for everywhere.
    pub places: Vec<TextPlace>,
    /// The beginning of an id, in lower case without dashes.
    pub id: Option<String>,
    /// Attributes that some record of the run has, or none.
    pub attributes: Vec<AttributeTest>,
}

impl TextFilter {
    /// What of a run's traces must hold, in SQL over `runs`.
    pub(in crate::store) fn of_runs(&self) -> String {
        let mut all = Vec::new();
        if self.asks() {
            let mut found: Vec<String> = self.found_in().iter().map(|from| among(from)).collect();
            if self.id.is_some() && self.is_in(TextPlace::Names) {
                found.push("startsWith(replaceAll(lowerUTF8(run_id), '-', ''), {text_id:String})".to_owned());
                found.push(
                    "startsWith(replaceAll(lowerUTF8(session_id), '-', ''), {text_id:String})".to_owned(),
                );
                // Some tools show trace ids as numbers and lose the zeros in front.
                found.push(
                    "arrayExists(trace -> startsWith(lower(hex(trace)), {text_id:String}) OR \
                     startsWith(trimLeft(lower(hex(trace)), '0'), {text_id:String}), traces)"
                        .to_owned(),
                );
            }
            all.push(format!("({})", found.join(" OR ")));
        }
        for (at, test) in self.attributes.iter().enumerate() {
            let not = if test.negated { "NOT " } else { "" };
            let says = says(SHOWN_OF_STEPS, &format!("{{attribute_words_{at}:String}}"));
            let found = among(&format!(
                "SELECT trace_id FROM steps WHERE project = {{project:String}} AND $trace_in_scope \
                 AND {says} AND arrayExists(pair -> \
                 pair.key = {{attribute_key_{at}:String}} AND pair.value = {{attribute_value_{at}:String}}, \
                 attributes)"
            ));
            all.push(format!("{not}{found}"));
        }
        if all.is_empty() { "true".to_owned() } else { all.join(" AND ") }
    }

    /// Where the traces are found in which the texts stand.
    fn found_in(&self) -> Vec<String> {
        let from = |table: &str, holds: String| {
            format!(
                "SELECT trace_id FROM {table} \
                 WHERE project = {{project:String}} AND $trace_in_scope AND {holds}"
            )
        };
        let contents = self.of_contents().map(|holds| from("contents", holds));
        let steps = self.of_steps().map(|holds| from("steps", holds));
        contents.into_iter().chain(steps).collect()
    }

    /// What a body must hold; `None` when none can.
    pub(in crate::store) fn of_contents(&self) -> Option<String> {
        let everywhere = self.places.is_empty();
        let kinds = self.places.iter().any(|place| !place.kinds().is_empty());
        if !self.asks() || !(everywhere || kinds) {
            return None;
        }
        let text = folded(&shown("body"));
        let holds = self.holds(SHOWN_OF_CONTENTS, |pattern| format!("match({text}, {})", folded(pattern)));
        let kinds = if everywhere { "" } else { " AND toString(kind) IN {text_kinds:Array(String)}" };
        Some(format!("{holds}{kinds}"))
    }

    /// What the rest of a record must hold; `None` when none can.
    pub(in crate::store) fn of_steps(&self) -> Option<String> {
        let all = [TextPlace::Errors, TextPlace::Names, TextPlace::Attributes];
        let wanted: Vec<TextPlace> = all.into_iter().filter(|place| self.is_in(*place)).collect();
        if !self.asks() || wanted.is_empty() {
            return None;
        }
        let fields: Vec<&str> = wanted.iter().filter_map(|place| place.fields()).collect();
        let all = format!("arrayStringConcat(arrayConcat({}), '\\n')", fields.join(", "));
        // The fields are named once: a statement may have so many parts only.
        let text = folded(&shown("text"));
        let holds = self.holds(SHOWN_OF_STEPS, |pattern| {
            format!("arrayExists(text -> match({text}, {}), [{all}])", folded(pattern))
        });
        if self.id.is_none() || !self.is_in(TextPlace::Names) {
            return Some(holds);
        }
        let begins =
            IDS.map(|id| format!("startsWith(replaceAll(lowerUTF8({id}), '-', ''), {{text_id:String}})"));
        Some(format!(
            "(({holds}) OR startsWith(lower(hex(span_id)), {{text_id:String}}) OR {})",
            begins.join(" OR ")
        ))
    }

    /// What a text must hold: the index says which may, the text itself decides. What was erased may stand in
    /// the index for a while.
    fn holds(&self, index: &str, pattern: impl Fn(&str) -> String) -> String {
        let mut all = Vec::new();
        for (at, spellings) in self.all.iter().enumerate() {
            let each = spellings.iter().enumerate().map(|(which, needle)| {
                let has = says_words(index, &format!("{{text_words_{at}_{which}:String}}"));
                let matches = pattern(&format!("{{text_pattern_{at}_{which}:String}}"));
                if needle.words.is_empty() { matches } else { format!("({has} AND {matches})") }
            });
            all.push(format!("({})", each.collect::<Vec<_>>().join(" OR ")));
        }
        for at in 0..self.none.len() {
            all.push(format!("NOT {}", pattern(&format!("{{text_none_{at}:String}}"))));
        }
        all.join(" AND ")
    }

    fn asks(&self) -> bool {
        !self.all.is_empty()
    }

    fn is_in(&self, place: TextPlace) -> bool {
        self.places.is_empty() || self.places.contains(&place)
    }

    /// What any of the needles looks like, for finding where it stands.
    pub(in crate::store) fn mark(&self) -> String {
        let patterns = self.all.iter().flatten().map(|needle| needle.pattern.as_str());
        patterns.collect::<Vec<_>>().join("|")
    }

    /// Binds what the conditions name.
    pub(in crate::store) fn bind(&self, mut read: Read) -> Read {
        for (at, spellings) in self.all.iter().enumerate() {
            for (which, needle) in spellings.iter().enumerate() {
                read = read
                    .bind(&format!("text_words_{at}_{which}"), &needle.words)
                    .bind(&format!("text_pattern_{at}_{which}"), &needle.pattern);
            }
        }
        for (at, needle) in self.none.iter().enumerate() {
            read = read.bind(&format!("text_none_{at}"), &needle.pattern);
        }
        for (at, test) in self.attributes.iter().enumerate() {
            read = read
                .bind(&format!("attribute_words_{at}"), format!("{} {}", test.key, test.value))
                .bind(&format!("attribute_key_{at}"), &test.key)
                .bind(&format!("attribute_value_{at}"), &test.value);
        }
        if !self.places.is_empty() {
            let kinds: Vec<&str> = self.places.iter().flat_map(|place| place.kinds()).copied().collect();
            read = read.bind("text_kinds", kinds);
        }
        match &self.id {
            Some(id) => read.bind("text_id", id),
            None => read,
        }
    }
}

/// A text as people see it: without the colour codes of terminals, also where JSON writes them with escapes.
pub(in crate::store) fn shown(text: &str) -> String {
    SHOWN.trim_end().replace("$text", text)
}

/// A text as patterns are looked for in it.
pub(in crate::store) fn folded(text: &str) -> String {
    FOLDED.replace("$text", text)
}

/// Whether a body has all words of the text that this parameter is bound to.
pub(in crate::store) fn body_says(parameter: &str) -> String {
    says(SHOWN_OF_CONTENTS, parameter)
}

fn says(index: &str, parameter: &str) -> String {
    format!("(empty({}) OR {})", TOKENS.replace("$text", parameter), says_words(index, parameter))
}

/// The same for what has words.
fn says_words(index: &str, parameter: &str) -> String {
    format!("hasAllTokens({}, {})", index.trim_end(), TOKENS.replace("$text", parameter))
}

/// Whether one of a run's traces is among those.
fn among(traces: &str) -> String {
    format!("arrayExists(trace -> trace GLOBAL IN ({traces}), traces)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needle(words: &str) -> Needle {
        Needle { words: words.to_owned(), pattern: words.to_owned() }
    }

    #[test]
    fn the_expressions_are_those_of_the_indexes() {
        for (expression, migration) in [
            (SHOWN_OF_CONTENTS, include_str!("../../../migrations/0120_contents_shown.sql")),
            (SHOWN_OF_STEPS, include_str!("../../../migrations/0122_steps_shown.sql")),
        ] {
            let index = format!(" shown {} TYPE text(tokenizer = 'asciiCJK')", expression.trim_end());
            assert!(migration.contains(&index), "{migration}");
            for fields in [ERRORS, NAMES, ATTRIBUTES] {
                let inner = fields.trim_start_matches("arrayConcat(").trim_end_matches(')');
                let first = inner.split(", ").next().unwrap_or_default().trim_start_matches('[');
                assert!(SHOWN_OF_STEPS.contains(first), "{first}");
            }
        }
        assert!(SHOWN_OF_CONTENTS.contains(&TOKENS["tokens(".len()..30]));
        assert!(SHOWN_OF_CONTENTS.contains(&shown("body")) && SHOWN_OF_STEPS.contains(&shown("text")));
    }

    #[test]
    fn nothing_typed_stands_in_a_statement() {
        let filter = TextFilter {
            all: vec![vec![needle("'; DROP TABLE"), needle("x")]],
            none: vec![needle("evil")],
            places: vec![TextPlace::Names, TextPlace::Results],
            id: Some("evil".to_owned()),
            attributes: vec![AttributeTest { key: "evil".into(), value: "evil".into(), negated: true }],
        };
        let sql = filter.of_runs();
        assert!(!sql.contains("DROP") && !sql.contains("evil"), "{sql}");
        for name in ["text_words_0_1", "text_none_0", "text_kinds", "text_id", "attribute_value_0"] {
            assert!(sql.contains(&format!("{{{name}:")), "{name}: {sql}");
        }
        assert_eq!(TextFilter::default().of_runs(), "true");
    }

    #[test]
    fn a_place_decides_which_tables_are_asked() {
        let within = |places: &[TextPlace]| {
            let all = vec![vec![needle("a")]];
            let filter = TextFilter { all, places: places.to_vec(), ..TextFilter::default() };
            (filter.of_contents().is_some(), filter.of_steps().is_some())
        };
        assert_eq!(within(&[]), (true, true));
        assert_eq!(within(&[TextPlace::Messages]), (true, false));
        assert_eq!(within(&[TextPlace::Errors]), (false, true));
        assert_eq!(within(&[TextPlace::Attributes]), (true, true));
    }
}
