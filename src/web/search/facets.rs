//! What a search can be narrowed by: values with counts, each a link that edits the same `q`.
use crate::domain::finding::Code;
use crate::domain::outcome::Outcome;
use crate::store::RunField;
use crate::store::queries::TextFacets;
use crate::web::finding;
use crate::web::format;
use crate::web::list::address::Address;
use crate::web::query::{Field, Query, Test};
use crate::web::text::{Text, shortened};

/// The fields that have facets: their place in the language of `q`, in the store, and their heading.
const FACETS: [(Field, RunField, &str); 7] = [
    (Field::Outcome, RunField::Outcome, "Outcome"),
    (Field::Has, RunField::Has, "Retries"),
    (Field::Agent, RunField::Agent, "Agent"),
    (Field::Model, RunField::Model, "Model"),
    (Field::Finding, RunField::Finding, "Finding"),
    (Field::Entity, RunField::Entity, "Entity"),
    (Field::Session, RunField::Session, "Session"),
];

/// One field.
#[derive(Debug)]
pub(in crate::web) struct Group {
    pub(in crate::web) name: &'static str,
    pub(in crate::web) options: Vec<Choice>,
}

/// One value.
#[derive(Debug)]
pub(in crate::web) struct Choice {
    pub(in crate::web) name: Text,
    pub(in crate::web) count: String,
    pub(in crate::web) href: String,
    pub(in crate::web) on: bool,
}

/// The fields that are chosen already: they are counted without their own choice, so that one can go from one
/// value to the other.
pub(in crate::web) fn chosen(query: &Query) -> Vec<Field> {
    let is_of = |field: Field| move |test: &Test| matches!(test, Test::Is(of, _) if *of == field);
    let fields = FACETS.iter().map(|(field, _, _)| *field);
    fields.filter(|field| query.terms.iter().any(|term| is_of(*field)(&term.test))).collect()
}

/// The groups of a search: `all` under all of its conditions, `without` each chosen field's own ones.
pub(in crate::web) fn groups(
    (all, without): (&TextFacets, &[(Field, TextFacets)]),
    query: &Query,
    address: &Address,
) -> Vec<Group> {
    let counts = |field: Field| without.iter().find(|(of, _)| *of == field).map_or(all, |(_, facets)| facets);
    let groups = FACETS.iter().map(|(field, column, name)| {
        let values = counts(*field).fields.get(column).map(Vec::as_slice).unwrap_or_default();
        let options = values.iter().map(|(value, runs)| {
            let test = Test::Is(*field, value.clone());
            Choice {
                name: Text::new(shortened(&said(*field, value), 60)),
                count: format::count(*runs),
                on: query.has(&test),
                href: address.with(&query.toggled(test)),
            }
        });
        Group { name, options: options.collect() }
    });
    groups.filter(|group| !group.options.is_empty()).collect()
}

fn said(field: Field, value: &str) -> String {
    match (field, Outcome::from_word(value), Code::from_word(value)) {
        (Field::Has, _, _) => "Retried".to_owned(),
        (Field::Outcome, Some(_), _) => crate::web::text::sentence(value),
        (Field::Outcome, None, _) => "No effects".to_owned(),
        (Field::Finding, _, Some(code)) => finding::title(code).to_owned(),
        _ => value.to_owned(),
    }
}
