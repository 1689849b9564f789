//! What the events of a span tell of one attempt: the exceptions that were raised, handled or not, and the
//! tries that one span covers.
use crate::conventions::{Retry, rebuild, retries};
use crate::domain::step::Event;
use crate::domain::value::{Piece, Value, attribute};
use crate::web::format;
use crate::web::run::bodies::{Bodies, Place, Wants};
use crate::web::run::raw::Original;
use crate::web::run::view::{Look, went_wrong};
use crate::web::text::{Text, cut, shortened};

/// Exceptions and tries listed on one page.
const LISTED_MAX: usize = 50;
/// Bytes of one stack trace; the whole is in the raw record.
const STACK_BYTES_MAX: usize = 16 << 10;
const TEXTS: [&str; 2] = ["exception.message", "exception.stacktrace"];

/// What was raised and tried again.
#[derive(Debug, Default)]
pub(in crate::web) struct Raised {
    /// Such as "2 exceptions, and the call did not fail"; empty when there are none.
    pub(in crate::web) heading: String,
    pub(in crate::web) exceptions: Vec<Exception>,
    /// Such as "One span covers 3 tries"; empty when it covers one.
    pub(in crate::web) tries: String,
    /// When each of the tries that are told of failed, and why.
    pub(in crate::web) retries: Vec<(String, String, Text)>,
}

/// One exception, as its event tells.
#[derive(Debug)]
pub(in crate::web) struct Exception {
    pub(in crate::web) at: String,
    /// Type and text.
    pub(in crate::web) what: Text,
    pub(in crate::web) stack: Option<Text>,
}

/// The bodies that texts of exceptions were moved to.
pub(in crate::web) fn wants(look: &Look<'_>, original: &Original) -> Wants {
    let mut wants = Wants::default();
    let trace = look.attempt.record.facts.trace_id;
    let events = exceptions(original).take(LISTED_MAX);
    let values = events.flat_map(|event| TEXTS.iter().filter_map(|key| attribute(&event.attributes, key)));
    for value in values {
        let Value::Framed(pieces) = value else { continue };
        let bodies = pieces.iter().filter_map(|piece| match piece {
            Piece::Body(body) | Piece::Inside(body, _) | Piece::Json(body, _) => Some(*body),
            Piece::Text(_) => None,
        });
        wants.whole.extend(bodies.filter_map(|body| Some((trace, *original.bodies.get(body)?))));
    }
    wants
}

impl Raised {
    /// What the events of the attempt that is looked at tell.
    pub(in crate::web) fn of(look: &Look<'_>, original: Option<&Original>, bodies: &Bodies) -> Self {
        let tries = look.attempt.record.facts.tries.filter(|tries| *tries > 1);
        let Some(original) = original else { return Self { tries: covered(tries), ..Self::default() } };
        let trace = look.attempt.record.facts.trace_id;
        let body = |at: usize| {
            let place: Place = (trace, *original.bodies.get(at)?);
            bodies.get(&place).map(|body| body.text.as_str())
        };
        let count = exceptions(original).count();
        Self {
            heading: heading(count, look),
            exceptions: exceptions(original).take(LISTED_MAX).map(|event| exception(event, &body)).collect(),
            tries: covered(tries),
            retries: retries(&original.events).into_iter().take(LISTED_MAX).map(retry).collect(),
        }
    }

    /// Whether there is nothing to tell.
    pub(in crate::web) fn is_empty(&self) -> bool {
        self.exceptions.is_empty() && self.tries.is_empty() && self.retries.is_empty()
    }
}

fn exceptions(original: &Original) -> impl Iterator<Item = &Event> {
    original.events.iter().filter(|event| event.name == "exception")
}

fn heading(count: usize, look: &Look<'_>) -> String {
    let counted = format::counted(format::length(count), "exception", "exceptions");
    match (count, went_wrong(look.attempt)) {
        (0, _) => String::new(),
        (_, true) => counted,
        (_, false) => format!("{counted} on the way; it is no failure"),
    }
}

fn covered(tries: Option<u32>) -> String {
    tries.map(|tries| format!("One span covers {tries} tries")).unwrap_or_default()
}

fn exception<'a>(event: &Event, body: &impl Fn(usize) -> Option<&'a str>) -> Exception {
    let text = |key: &str| {
        let value = rebuild(attribute(&event.attributes, key)?, body);
        value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let what = match (text("exception.type"), text("exception.message")) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => "An exception that tells neither type nor text".to_owned(),
    };
    let stack = text("exception.stacktrace").map(|stack| {
        let shown = cut(&stack, STACK_BYTES_MAX);
        Text::new(if shown.len() < stack.len() { format!("{shown}…") } else { shown.to_owned() })
    });
    Exception { at: format::clock_ms(event.at_ns), what: Text::new(shortened(&what, 2_000)), stack }
}

fn retry(told: Retry) -> (String, String, Text) {
    let number = told.number.map(|number| format!("Try {number}: ")).unwrap_or_default();
    let reason = if told.reason.is_empty() { "no reason told".to_owned() } else { told.reason };
    let said = Text::new(format!("{number}{}", shortened(&reason, 400)));
    (format::rfc3339(told.at_ns), format::clock_ms(told.at_ns), said)
}
