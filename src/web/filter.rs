//! From what was typed to what the store is asked: the filter language onto the columns of runs.
use crate::store::{AttributeTest, RunField, RunFilter, RunMeasure};
use crate::web::query::{Compare, Field, Query, Term, Test};

/// The filter of a list of runs.
pub(in crate::web) fn run_filter(query: &Query) -> RunFilter {
    query.terms.iter().fold(RunFilter::default(), with)
}

fn with(mut filter: RunFilter, term: &Term) -> RunFilter {
    match &term.test {
        Test::Word(word) if term.negated => filter.words_none.push(word.clone()),
        Test::Word(word) => filter.words.push(word.clone()),
        Test::Is(field, value) => return with_value(filter, *field, value, term.negated),
        Test::Number(field, compare, number) => {
            if let Some(measure) = measure(*field) {
                bound(&mut filter, measure, (*compare, term.negated), *number);
            }
        }
    }
    filter
}

fn with_value(mut filter: RunFilter, field: Field, value: &str, negated: bool) -> RunFilter {
    if let Some((key, value)) = value.split_once('=').filter(|_| field == Field::Attribute) {
        let (key, value) = (key.to_owned(), value.to_owned());
        filter.texts.attributes.push(AttributeTest { key, value, negated });
        return filter;
    }
    let value = if field == Field::Account { format!("account:{value}") } else { value.to_owned() };
    match column(field) {
        Some(column) if negated => filter.without(column, value),
        Some(column) => filter.with(column, value),
        None => filter,
    }
}

fn column(field: Field) -> Option<RunField> {
    match field {
        Field::Outcome => Some(RunField::Outcome),
        Field::Agent => Some(RunField::Agent),
        Field::Account | Field::Entity => Some(RunField::Entity),
        Field::Model => Some(RunField::Model),
        Field::Tool => Some(RunField::Tool),
        Field::Key => Some(RunField::Key),
        Field::Finding => Some(RunField::Finding),
        Field::Has => Some(RunField::Has),
        Field::Run => Some(RunField::Run),
        Field::Session => Some(RunField::Session),
        Field::User => Some(RunField::User),
        Field::Service => Some(RunField::Service),
        Field::Environment => Some(RunField::Environment),
        Field::State => Some(RunField::State),
        Field::Complete => Some(RunField::Complete),
        Field::Attribute
        | Field::Steps
        | Field::Attempts
        | Field::Retries
        | Field::Acts
        | Field::Errors
        | Field::Confirmed
        | Field::Failed
        | Field::Unknown
        | Field::Submitted
        | Field::Took
        | Field::Tokens
        | Field::Cost => None,
    }
}

fn measure(field: Field) -> Option<RunMeasure> {
    match field {
        Field::Steps => Some(RunMeasure::Steps),
        Field::Attempts => Some(RunMeasure::Attempts),
        Field::Retries => Some(RunMeasure::Retries),
        Field::Acts => Some(RunMeasure::Acts),
        Field::Errors => Some(RunMeasure::Errors),
        Field::Confirmed => Some(RunMeasure::Confirmed),
        Field::Failed => Some(RunMeasure::Failed),
        Field::Unknown => Some(RunMeasure::Unknown),
        Field::Submitted => Some(RunMeasure::Submitted),
        Field::Took => Some(RunMeasure::Took),
        Field::Tokens => Some(RunMeasure::Tokens),
        Field::Cost => Some(RunMeasure::Cost),
        Field::Outcome
        | Field::Attribute
        | Field::Agent
        | Field::Account
        | Field::Entity
        | Field::Model
        | Field::Tool
        | Field::Key
        | Field::Finding
        | Field::Has
        | Field::Run
        | Field::Session
        | Field::User
        | Field::Service
        | Field::Environment
        | Field::State
        | Field::Complete => None,
    }
}

/// Bounds of the store exclude themselves, so "at least" is above the number just below.
fn bound(filter: &mut RunFilter, measure: RunMeasure, how: (Compare, bool), number: f64) {
    let (above, below) = match how {
        (Compare::More, false) | (Compare::AtMost, true) => (Some(number), None),
        (Compare::AtLeast, false) | (Compare::Less, true) => (Some(number.next_down()), None),
        (Compare::Less, false) | (Compare::AtLeast, true) => (None, Some(number)),
        (Compare::AtMost, false) | (Compare::More, true) => (None, Some(number.next_up())),
        (Compare::Equal, _) => (Some(number.next_down()), Some(number.next_up())),
    };
    let bound = filter.bounds.entry(measure).or_default();
    bound.above = above.into_iter().chain(bound.above).reduce(f64::max);
    bound.below = below.into_iter().chain(bound.below).reduce(f64::min);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_reaches_a_column() {
        for field in Field::ALL {
            let is_attribute = *field == Field::Attribute;
            assert!(is_attribute || column(*field).is_some() != measure(*field).is_some(), "{field:?}");
        }
        for field in [Field::Outcome, Field::State, Field::Complete, Field::Has, Field::Finding] {
            assert!(!field.words().is_empty(), "{field:?}");
        }
    }

    #[test]
    fn what_was_typed_is_what_is_asked() {
        let query = Query::read(
            "lamp -kettle account:2291 -agent:bot took:>30s took:<=2m retries:3 -attribute:flag=a=b",
        )
        .unwrap();
        let filter = run_filter(&query);
        let attribute = AttributeTest { key: "flag".into(), value: "a=b".into(), negated: true };
        assert_eq!(filter.texts.attributes, [attribute]);
        assert_eq!(filter.words, ["lamp"]);
        assert_eq!(filter.words_none, ["kettle"]);
        assert_eq!(filter.fields[&RunField::Entity].any_of, ["account:2291"]);
        assert_eq!(filter.fields[&RunField::Agent].none_of, ["bot"]);
        let took = filter.bounds[&RunMeasure::Took];
        assert_eq!(took.above, Some(30.0));
        assert!(took.below.is_some_and(|below| below > 120.0 && below < 120.001));
        let retries = filter.bounds[&RunMeasure::Retries];
        assert!(retries.above.unwrap() < 3.0 && retries.below.unwrap() > 3.0);
    }
}
