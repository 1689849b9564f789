//! What both decoders keep in mind while they read: the budget, the cuts, and remarks for the sender.
use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::domain::value::Value;
use crate::otlp::budget::Budget;
use crate::otlp::fault::Fault;
use crate::otlp::limits::{ATTRIBUTES_MAX, NAME_BYTES_MAX, VALUE_BYTES_MAX, cut};
use crate::otlp::span::Cut;

/// What happens to text that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Utf8 {
    /// The record is refused.
    Strict,
    /// It is replaced by U+FFFD: in a resource or scope, where a refusal would cost every record below it.
    Lossy,
}

/// The state of reading one record, resource or scope.
#[derive(Debug)]
pub(crate) struct Reading<'b> {
    /// The memory of the whole request.
    pub(crate) budget: &'b mut Budget,
    /// Remarks for the sender, each at most once a request.
    pub(crate) remarks: &'b mut BTreeSet<&'static str>,
    /// The texts that were cut so far.
    pub(crate) cut: Vec<Cut>,
    /// Attributes left out so far.
    pub(crate) attributes_left_out: u32,
    utf8: Utf8,
    /// Lengths of the texts cut since the last call to [`Reading::cuts_in`].
    cuts_open: Vec<u64>,
}

impl<'b> Reading<'b> {
    /// The start of one record.
    pub(crate) fn new(budget: &'b mut Budget, remarks: &'b mut BTreeSet<&'static str>, utf8: Utf8) -> Self {
        Self { budget, remarks, cut: Vec::new(), attributes_left_out: 0, utf8, cuts_open: Vec::new() }
    }

    /// Text from bytes.
    pub(crate) fn utf8<'t>(&mut self, bytes: &'t [u8], field: &'static str) -> Result<Cow<'t, str>, Fault> {
        match (std::str::from_utf8(bytes), self.utf8) {
            (Ok(text), _) => Ok(Cow::Borrowed(text)),
            (Err(_), Utf8::Strict) => Err(Fault::BadUtf8 { field }),
            (Err(_), Utf8::Lossy) => {
                self.remarks.insert("resource or scope text that is not UTF-8 was replaced by U+FFFD");
                Ok(String::from_utf8_lossy(bytes))
            }
        }
    }

    /// A value's text, within its limit.
    pub(crate) fn text(&mut self, text: Cow<'_, str>) -> Result<String, Fault> {
        self.limited(text, VALUE_BYTES_MAX)
    }

    /// A key, a name, a version: text that is short by nature.
    pub(crate) fn name(&mut self, text: Cow<'_, str>) -> Result<String, Fault> {
        self.limited(text, NAME_BYTES_MAX)
    }

    /// A byte string, within its limit. There is no place for a mark inside: the cut is only noted.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        self.budget.value(bytes.len().min(VALUE_BYTES_MAX))?;
        if bytes.len() > VALUE_BYTES_MAX {
            self.cuts_open.push(bytes.len() as u64);
        }
        Ok(bytes.get(..VALUE_BYTES_MAX).unwrap_or(bytes).to_vec())
    }

    /// Notes under this name the texts that were cut since the last call.
    pub(crate) fn cuts_in(&mut self, at: &str) {
        let open = self.cuts_open.drain(..);
        self.cut.extend(open.map(|bytes| Cut { at: at.to_owned(), bytes }));
    }

    /// Adds an attribute. Over the limit it is left out and counted, but for those that say what an act did:
    /// they take the place of the last one that does not.
    pub(crate) fn attribute(&mut self, list: &mut Vec<(String, Value)>, key: String, value: Value) {
        self.cuts_in(&key);
        if list.len() >= ATTRIBUTES_MAX {
            self.attributes_left_out = self.attributes_left_out.saturating_add(1);
            if !says_what_was_done(&key) {
                return;
            }
            let Some(last) = list.iter().rposition(|(kept, _)| !says_what_was_done(kept)) else { return };
            list.remove(last);
        }
        list.push((key, value));
    }

    fn limited(&mut self, text: Cow<'_, str>, max: usize) -> Result<String, Fault> {
        self.budget.value(text.len().min(max))?;
        if text.len() <= max {
            return Ok(text.into_owned());
        }
        let (kept, bytes) = cut(&text, max);
        self.cuts_open.extend(bytes);
        Ok(kept)
    }
}

/// Whether an attribute is one that conventions read to tell what a step did.
fn says_what_was_done(key: &str) -> bool {
    ["recount.", "gen_ai.", "error.", "openinference.", "tool.", "session.", "http."]
        .iter()
        .any(|prefix| key.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_the_limit_what_tells_of_the_act_stays() {
        let (mut budget, mut remarks) = (Budget::new(), BTreeSet::new());
        let mut reading = Reading::new(&mut budget, &mut remarks, Utf8::Strict);
        let mut list = Vec::new();
        for number in 0..ATTRIBUTES_MAX + 10 {
            reading.attribute(&mut list, format!("k{number}"), Value::Empty);
        }
        reading.attribute(&mut list, "recount.action.key".to_owned(), Value::Empty);
        assert_eq!((list.len(), reading.attributes_left_out), (ATTRIBUTES_MAX, 11));
        assert_eq!(list.last().unwrap().0, "recount.action.key");
        assert_eq!(list[ATTRIBUTES_MAX - 2].0, format!("k{}", ATTRIBUTES_MAX - 2));
    }
}
